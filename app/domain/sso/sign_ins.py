"""Signing in through an organization's identity provider.

A request to the provider is stored nowhere: its id carries when it ends and a signature over provider and
browser, so that beginning costs nothing and only the browser that began can end it. What is stored is that it
was answered; an answer counts once.

A provider speaks for its own organization only, and for people of the e-mail domains that this has proven.
Who is new here becomes a member there. Who has an account here already, but is no member, is invited: they
accept as themselves, and until then neither they nor the organization get anything. What people get, a token
and a session, opens this one organization, ends by itself, and ends with the provider.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, or_, select

from app.access.context import Context
from app.domain.domains import domain_claims
from app.domain.organizations import invites, organizations, sso_requirements, team_places, users
from app.domain.sso import saml_providers, sessions
from app.domain.sso.sessions import SignedIn
from app.kit import workers
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_email
from app.kit.saml.names import SamlRefused
from app.kit.saml.requests import ServiceProvider, address
from app.kit.saml.requests import metadata as written_metadata
from app.models.organizations import Member, Organization
from app.models.sso import SamlProvider, SamlRequest, SignIn
from app.models.teams import Team
from app.models.texts import without_hidden
from app.models.users import User

if TYPE_CHECKING:
    from app.kit.saml.answers import SamlAnswer
    from app.kit.saml.certificates import RequestSigningKey

log = logging.getLogger("docyard.sign_ins")
MARK = 43  # characters by which a browser is known again
PATIENCE = timedelta(minutes=10)  # between a request and its answer
OWN_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]{0,79}")
ADDRESS = re.compile(r"[!#-'*+/-9=?A-Z^-~-]+(?:\.[!#-'*+/-9=?A-Z^-~-]+)*@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+")
LONGEST_NAME = 64
_REQUEST = re.compile(r"_([0-9a-f]{1,12})\.([0-9a-f]{32})\.([A-Za-z0-9_-]{16})")
_p, _o, _m, _u = table(SamlProvider), table(Organization), table(Member), table(User)
_r, _t = table(SamlRequest), table(Team)

_PROVIDER = rows(
    lambda: (
        select(*_p.c, _o.c.title.label("organization_title"), domain_claims.verified_domains(_o.c.id))
        .join(_o, _o.c.id == _p.c.organization_id)
        .where(_p.c.id == given("id"))
    )
)
_PERSON = rows(
    lambda: (
        select(*_u.c, _m.c.organization_id.label("member_of"), _m.c.disabled)
        .outerjoin(_m, and_(_m.c.user_id == _u.c.id, _m.c.organization_id == given("organization")))
        .where(_u.c.email == given("email"))
    )
)
_ANSWERED = rows(
    lambda: select(_r.c.id).where(
        or_(
            _r.c.id == given("id"),
            and_(_r.c.provider_id == given("provider"), _r.c.assertion_id == given("assertion")),
        )
    )
)
_FORGET_REQUESTS = command(lambda: delete(_r).where(_r.c.expires_at < given("now", Instant())))
_TEAM = rows(lambda: select(*_t.c).where(_t.c.id == given("id")))


async def start(cx: Context, provider_id: str, browser: str, wanted: str) -> str:
    """Return the address at the provider where this browser signs in.

    `wanted` is the path of our own to come back to; anything else is left out. Raises NotFound, and Conflict
    for a provider that is pending.
    """
    provider = await _active(cx, provider_id)
    return address(
        _service(cx, provider_id),
        provider.sso_url,
        _request_id(cx, provider_id, browser),
        cx.now,
        relay_state=own_path(wanted),
        key=await asyncio.to_thread(_signing_key, cx.settings.saml_key),
    )


async def metadata(cx: Context, provider_id: str) -> str:
    """Return what a provider reads to know this server; also while it is pending."""
    await _provider(cx, provider_id)
    return written_metadata(
        _service(cx, provider_id), await asyncio.to_thread(_signing_key, cx.settings.saml_key)
    )


def own_path(wanted: str) -> str:
    """Return the path if it is one of ours, or nothing: put behind our own address it leads nowhere else."""
    return wanted if OWN_PATH.fullmatch(wanted) else ""


async def check(cx: Context, provider_id: str, sent: str, browser: str | None) -> tuple[Any, SamlAnswer]:
    """Return the provider, and what it said in answer to a request of this browser.

    Raises Invalid for what cannot be read, Forbidden for what does not count, with the reason.
    """
    provider = await _active(cx, provider_id)
    try:
        raw = b64decode("".join(sent.split()), validate=True)
    except (ValueError, Base64Error):
        raise Invalid("The response is not base64.", path="SAMLResponse") from None
    try:
        answer = await workers.run(workers.INLINE + len(raw), _checked, cx, provider, raw)
        _check_request(cx, provider_id, answer.request_id, browser)
    except SamlRefused as refusal:
        log.info("refused", extra={"facts": {"provider": provider_id, "reason": refusal.message}})
        raise Forbidden(refusal.message) from None
    return provider, answer


@dataclass(frozen=True, slots=True)
class SignInRequest:
    """Somebody who has an account here was invited, and comes in when they have accepted."""

    email: str
    organization_id: str
    organization: str
    invite_id: str


async def finish(
    cx: Context, provider: Any, answer: SamlAnswer, *, with_token: bool
) -> SignedIn | SignInRequest:
    """Sign the person in whom the answer names: a member, or somebody new, who becomes one.

    Who has an account but is no member is invited instead. Raises Forbidden for an answer that was used, an
    address that is none or whose domain the organization has not proven, and a disabled member.
    """
    provider = await _use(cx, provider, answer)
    email = _address(provider, answer)
    known: Any = await cx.db.first(_PERSON, email=email, organization=provider.organization_id)
    if known is not None and known.member_of is None:
        return await _ask(cx, provider, email)
    if known is not None and known.disabled:
        raise Forbidden("This member is disabled; ask an administrator of the organization.")
    user: User = known or await _join(cx, provider, answer, email)
    cx.note("user", user.id, provider.organization_id, user.display_name)
    mark = {"provider_id": provider.id, "user_id": user.id, "first_at": cx.now, "last_at": cx.now}
    await cx.tx.add_many(SignIn, [mark], missing=True)
    await cx.tx.put(SignIn, {"last_at": cx.now}, provider_id=provider.id, user_id=user.id)
    until = cx.now + timedelta(hours=cx.settings.sso_hours)
    until = min(until, answer.until or until)
    return await sessions.begin(cx, user, provider, until, with_token=with_token)


async def _provider(cx: Context, provider_id: str) -> Any:
    provider = await cx.db.first(_PROVIDER, id=provider_id)
    if provider is None:
        raise NotFound("There is no such identity provider.")
    return provider


async def _active(cx: Context, provider_id: str) -> Any:
    provider = await _provider(cx, provider_id)
    if not sso_requirements.is_active(provider):
        raise Conflict("This identity provider is not set up yet.")
    if not cx.settings.base_url:
        raise Conflict("This server does not know its own address; set DOCYARD_BASE_URL.")
    return provider


def _service(cx: Context, provider_id: str) -> ServiceProvider:
    ours = saml_providers.addresses(cx, provider_id)
    return ServiceProvider(ours.entity_id, ours.acs_url)


def _request_id(cx: Context, provider_id: str, browser: str) -> str:
    text = f"{int((cx.now + PATIENCE).timestamp()):x}.{secrets.token_hex(16)}"
    return f"_{text}.{cx.signer.sign('saml', f'{provider_id} {browser} {text}')}"


def _check_request(cx: Context, provider_id: str, request_id: str, browser: str | None) -> None:
    found = _REQUEST.fullmatch(request_id)
    text = f"{found[1]}.{found[2]}" if found else ""
    if found is None or not cx.signer.good("saml", f"{provider_id} {browser or ''} {text}", found[3]):
        raise SamlRefused("This browser did not begin to sign in here; begin at the sign-in address.")
    if int(found[1], 16) <= cx.now.timestamp():
        raise SamlRefused("Signing in took too long; begin once more.")


def _checked(cx: Context, provider: Any, raw: bytes) -> SamlAnswer:
    """Load the library here, when somebody needs it; so this runs in a thread."""
    try:
        from app.kit.saml import answers
    except ModuleNotFoundError:
        raise SamlRefused(sso_requirements.NOT_INSTALLED) from None
    ours = saml_providers.addresses(cx, provider.id)
    expected = answers.Expected(provider.entity_id, provider.certificate, ours.entity_id, ours.acs_url)
    return answers.checked(raw, expected, cx.now)


def _signing_key(setting: str) -> RequestSigningKey | None:
    if not setting:
        return None
    from app.kit.saml.certificates import signing_key

    return signing_key(setting)


async def _use(cx: Context, provider: Any, answer: SamlAnswer) -> Any:
    """Use an answer up, and return the provider, which must be as it was when the answer was checked."""
    now = await _active(cx, provider.id)
    if (now.entity_id, now.certificate) != (provider.entity_id, provider.certificate):
        raise Forbidden("The identity provider was changed meanwhile; begin once more.")
    used = {"id": answer.request_id, "provider": provider.id, "assertion": answer.assertion_id}
    if await cx.db.all(_ANSWERED, **used):
        raise Forbidden("This answer was used already; begin once more.")
    await cx.tx.run(_FORGET_REQUESTS, now=cx.now)
    until = int(answer.request_id[1:].partition(".")[0], 16)
    await cx.tx.add(
        SamlRequest,
        id=answer.request_id,
        provider_id=provider.id,
        assertion_id=answer.assertion_id,
        answered_at=cx.now,
        expires_at=datetime.fromtimestamp(until, UTC),
    )
    return now


def _address(provider: Any, answer: SamlAnswer) -> str:
    """Return the address that the answer names, of a domain that the provider's organization has proven."""
    if not ADDRESS.fullmatch(answer.email) or len(answer.email) > 320:
        # Only plain letters: others may be folded to them, and one person's address to another's.
        raise Forbidden("The identity provider named no e-mail address that can be used here.")
    email = canonical_email(answer.email)
    if not domain_claims.is_verified(provider, email):
        domain = email.rpartition("@")[2]
        raise Forbidden(f"This organization has not proven that the domain {domain} is its own.")
    return email


async def _ask(cx: Context, provider: Any, email: str) -> SignInRequest:
    """Invite somebody into the organization and the provider's team, unless they are invited already."""
    organization = provider.organization_id
    cx.note("organization", organization, organization, provider.organization_title)
    invited = await invites.invite_missing(
        cx, organization, [email], role=provider.default_role, team_id=provider.default_team_id
    )
    return SignInRequest(email, organization, provider.organization_title, invited[0].id)


async def _join(cx: Context, provider: Any, answer: SamlAnswer, email: str) -> User:
    """Make an account for somebody new, and let them into the organization and the provider's team."""
    name = " ".join(without_hidden(answer.name).split())[:LONGEST_NAME].strip()
    user = await users.create(cx, email, name or email.partition("@")[0][:LONGEST_NAME])
    await organizations.add_member(cx, provider.organization_id, user.id, provider.default_role)
    if provider.default_team_id is not None:
        team: Any = await cx.db.first(_TEAM, id=provider.default_team_id)
        await cx.tx.lock(team_places.lane(team))
        await team_places.join(cx, team, {"defaultTeam": user.id})  # an invite may have let them in already
    return user

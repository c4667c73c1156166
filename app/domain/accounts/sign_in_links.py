"""Signing in by a link: sent to an address, or shown to an operator or administrator who gives it on.

Asking does the same for every address, so that neither the answer nor its time tells who has an account; a
job finds out and sends the link. A link works once, for ten minutes, and only in the browser that asked for
it. Opening it does nothing: what signs in is the form on its page, so that programs that open the links in
mail use nothing up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, exists, func, literal_column, or_, select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rate_limits import Rate
from app.access.scopes import refuse_narrowed
from app.domain import jobs, mail
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser, SignedIn
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.mail import Letter
from app.domain.organizations import members, organizations, users
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import canonical_email
from app.kit.ids import new_id
from app.kit.signing import new_link_code, token_hash
from app.models.accounts import LinkPurpose, SignInLink
from app.models.domain_claims import DomainClaim
from app.models.invites import Invite
from app.models.jobs import Job
from app.models.organizations import Member, OrganizationCreate
from app.models.users import User

SEND = "send_sign_in_link"
VALID: Mapping[LinkPurpose, timedelta] = {
    "sign-in": timedelta(minutes=10),
    "invitation": timedelta(days=7),
    "set-up": timedelta(days=1),
}
MOST_PER_ADDRESS = Rate(
    5, "Too many links were asked for this address; use the last one, or wait ten minutes.", 600
)
MOST_OPEN = 5  # links of one address that may be open at a time
PURPOSE = "sign-in link"
GONE = "This link has already been used or has expired. Ask for a new one."

SIGN_IN_LINKS, USERS, INVITES, MEMBERS, DOMAIN_CLAIMS = (
    table(SignInLink),
    table(User),
    table(Invite),
    table(Member),
    table(DomainClaim),
)
_LINK = query(SignInLink, lambda: select(*SIGN_IN_LINKS.c).where(SIGN_IN_LINKS.c.hash == given("hash")))
_USE = query(
    SignInLink,
    lambda: delete(SIGN_IN_LINKS).where(SIGN_IN_LINKS.c.hash == given("hash")).returning(*SIGN_IN_LINKS.c),
)
_FORGET = command(lambda: delete(SIGN_IN_LINKS).where(SIGN_IN_LINKS.c.expires_at < given("now", Instant())))
_WITHDRAW_SET_UP = command(
    lambda: delete(SIGN_IN_LINKS).where(SIGN_IN_LINKS.c.email == "", SIGN_IN_LINKS.c.purpose == "set-up")
)
_OPEN = rows(lambda: select(func.count().label("count")).where(SIGN_IN_LINKS.c.email == given("email")))
_ACCOUNT = query(User, lambda: select(*USERS.c).where(USERS.c.email == given("email")))
_ANYBODY = rows(lambda: select(USERS.c.id).limit(1))
_ORGANIZATIONS = rows(
    lambda: (
        select(MEMBERS.c.organization_id)
        .where(MEMBERS.c.user_id == given("user"))
        .order_by(MEMBERS.c.organization_id)
    )
)
MOST_TOLD = 20  # organizations of a person whose audit logs are told of a sign-in
_IS_VERIFIED = DOMAIN_CLAIMS.c.status == literal_column("'verified'")  # as the index says it
_EXPECTED = rows(
    lambda: select(
        or_(
            exists().where(INVITES.c.email == given("email")),
            exists().where(INVITES.c.id == given("invite"), INVITES.c.email.is_(None)),
            exists().where(
                DOMAIN_CLAIMS.c.kind == "email",
                DOMAIN_CLAIMS.c.name == given("domain"),
                _IS_VERIFIED,
            ),
        ).label("is_expected")
    )
)


@dataclass(frozen=True, slots=True)
class MadeLink:
    """The address of a new link, and when it ends."""

    url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A link that can be used: for what and whom, whether they have no account yet, and the path of ours that
    it leads to."""

    purpose: str
    email: str
    is_new: bool
    path: str


async def ask(cx: Context, email: str, browser: str, path: str) -> str:
    """Have a link sent to an address if somebody has an account with it, or is invited; returns the address.

    `browser` is the mark of the browser that asks. Raises Invalid for what is no address, and
    TooManyRequests.
    """
    address = canonical_email(email.strip())
    if not users.EMAIL.fullmatch(address) or len(address) > 320:
        raise Invalid("This is not an e-mail address.", path="email")
    if cx.limits is not None:
        cx.limits.take(f"sign-in {cx.signer.fingerprint(PURPOSE, address)}", MOST_PER_ADDRESS, cx.now)
    wanted = {"email": address, "browser": token_hash(browser), "path": path}
    subject = new_id()
    payload = {"wanted": cx.signer.seal(PURPOSE, json.dumps(wanted), subject)}
    await jobs.enqueue(cx, SEND, subject, jobs.INSTALLATION, due_at=cx.now, payload=payload)
    return address


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Send a link that was asked for, if the address is one of somebody who may have it."""
    wanted = runtime.context(NOBODY).signer.unseal(PURPOSE, job.payload["wanted"], job.subject)
    if wanted is not None and job.created_at + VALID["sign-in"] > runtime.clock():
        await runtime.write(
            NOBODY, lambda cx: _send(cx, **json.loads(wanted)), AuditAction("job", "sendSignInLink")
        )


async def create(
    cx: Context,
    email: str,
    *,
    browser: str | None = None,
    path: str = "",
    purpose: LinkPurpose = "sign-in",
) -> str:
    """Make a link that signs in whoever has this address, and return where it leads.

    Asks nobody for a right: the caller has made sure of it. `browser` is the hash of a browser's mark.
    """
    await cx.tx.run(_FORGET, now=cx.now)
    code = new_link_code()
    await cx.tx.add(
        SignInLink,
        hash=token_hash(code),
        purpose=purpose,
        email=canonical_email(email) if email else "",
        browser=browser,
        path=path,
        created_at=cx.now,
        expires_at=cx.now + VALID[purpose],
    )
    return f"{cx.settings.base_url}/sign-in/link?code={code}"


async def create_for_member(cx: Context, organization_id: str, user_id: str) -> MadeLink:
    """Make a link that signs a member in, for an administrator to give them, where the server sends no mail.

    Raises Forbidden for a narrowed token, NotFound for nobody of the organization, and Conflict where people
    get their links by mail, and for who is disabled or belongs to another organization, too: an administrator
    here must not get in there.
    """
    permit_in(cx, organization_id, can="admin")
    refuse_narrowed(cx.actor)
    member = await members.find(cx, organization_id, user_id)
    if cx.settings.sends_mail:
        raise Conflict("This server sends e-mail: people get their links from its sign-in page.")
    if member.disabled:
        raise Conflict("This member is disabled.")
    belongs = await cx.db.all(_ORGANIZATIONS, user=user_id)
    if any(row.organization_id != organization_id for row in belongs):
        raise Conflict("They also belong to another organization. Ask the operator of the server for a link.")
    person = await users.get(cx, user_id)
    return MadeLink(await create(cx, person.email), cx.now + VALID["sign-in"])


async def create_for_set_up(cx: Context) -> str | None:
    """Return the address that makes the first person of a new server its administrator; None on others.

    A link that was made before does not work any more.
    """
    if await cx.db.first(_ANYBODY):
        return None
    await cx.tx.run(_WITHDRAW_SET_UP)
    return await create(cx, "", purpose="set-up")


async def may_sign_in(cx: Context, email: str, path: str = "") -> bool:
    """Tell whether a link may be made for an address: of an account, of somebody invited or of a verified
    domain, or on the way to an invite link."""
    if await cx.db.first(_ACCOUNT, email=email) or cx.settings.sign_up:
        return True
    invite = path.rpartition("/invite/")[2].partition("?")[0] if "/invite/" in path else ""
    found = await cx.db.first(_EXPECTED, email=email, invite=invite, domain=email.rpartition("@")[2])
    return bool(found and found.is_expected)


async def find(cx: Context, code: str) -> OpenLink:
    """Return what a link is for, without using it; raises NotFound for one that cannot be used any more."""
    link = await cx.db.first(_LINK, hash=token_hash(code))
    if link is None or link.expires_at <= cx.now:
        raise NotFound(GONE)
    is_new = not link.email or not await cx.db.first(_ACCOUNT, email=link.email)
    return OpenLink(link.purpose, link.email, is_new, link.path)


async def use(
    cx: Context, code: str, browser: str | None, caller: Browser, *, name: str = "", before: str | None = None
) -> tuple[SignedIn, str]:
    """Sign in whom a link is for, with a new account under `name` if they have none; returns the session,
    and the path of ours that was wanted. The session that the browser had `before` ends.

    Raises NotFound for a link that was used or is too old, and for that of an invitation where somebody has
    an account already; Forbidden in another browser than the one that asked for it, which uses nothing up;
    Invalid for a name that is missing.
    """
    link = await _take(cx, code, browser)
    if link.purpose == "set-up":
        raise NotFound(GONE)
    user = await cx.db.first(_ACCOUNT, email=link.email)
    if link.purpose == "invitation" and (user or not await may_sign_in(cx, link.email, link.path)):
        raise NotFound(GONE)
    if before is not None:
        await sessions.end(cx, before)
    return await begin_session(cx, user or await users.create(cx, link.email, name), caller), link.path


async def set_up(
    cx: Context, code: str, caller: Browser, *, email: str, name: str, organization: OrganizationCreate
) -> SignedIn:
    """Make the first person of a server, and an organization that they administrate; raises like `use`."""
    link = await _take(cx, code, None)
    if link.purpose != "set-up" or await cx.db.first(_ANYBODY):
        raise NotFound(GONE)
    user = await users.create(cx, email, name)
    await organizations.found(cx, user.id, organization)
    return await begin_session(cx, user, caller)


async def _take(cx: Context, code: str, browser: str | None) -> SignInLink:
    found = await cx.db.first(_LINK, hash=token_hash(code))
    if found is None or found.expires_at <= cx.now:
        raise NotFound(GONE)
    if found.browser is not None and found.browser != token_hash(browser or ""):
        raise Forbidden("Open this link in the browser in which you asked for it, or ask for another here.")
    taken = await cx.tx.first(_USE, hash=found.hash)
    if taken is None:
        raise NotFound(GONE)
    return taken


async def begin_session(cx: Context, user: User, caller: Browser) -> SignedIn:
    """Begin a session of somebody who has proven who they are, and tell the audit logs."""
    for row in (await cx.db.all(_ORGANIZATIONS, user=user.id))[:MOST_TOLD]:
        cx.note("user", user.id, row.organization_id, user.display_name)
    return await sessions.begin(cx, user, caller)


async def _send(cx: Context, email: str, browser: str, path: str) -> None:
    counted = await cx.db.first(_OPEN, email=email)
    if (counted and counted.count >= MOST_OPEN) or not await may_sign_in(cx, email, path):
        return
    link = await create(cx, email, browser=browser, path=path)
    letter = Letter(
        subject="Sign in to Docyard",
        paragraphs=(
            "Open this link in the browser in which you asked for it. It works once, for 10 minutes.",
        ),
        link=("Sign in", link),
        closing=("If you did not ask for it, ignore this mail: nobody is signed in without the link.",),
    )
    await mail.post(cx, email, letter, until=cx.now + VALID["sign-in"])

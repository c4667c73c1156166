"""Signing in through an organization's identity provider, whichever protocol it speaks.

A provider speaks for its own organization only, and for people of the e-mail domains that this has proven.
Who is new here becomes a member there. Who has an account here already, but is no member, is invited: they
accept as themselves, and until then neither they nor the organization get anything. What people get, a token
and a session, opens this one organization, ends by itself, and ends with the provider.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, select

from app.access.context import Context
from app.domain.accounts import invitations, sessions
from app.domain.accounts.sessions import Browser, SignedIn
from app.domain.domains import domain_claims
from app.domain.organizations import invites, organizations, sso_requirements, team_places, users
from app.domain.sso.identity_providers import ProviderKind
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict, Forbidden, NotFound
from app.kit.http.urls import canonical_email
from app.models.organizations import Member, Organization
from app.models.sso import IdentityProvider, SignIn
from app.models.teams import Team
from app.models.texts import without_hidden
from app.models.users import User

ADDRESS = re.compile(r"[!#-'*+/-9=?A-Z^-~-]+(?:\.[!#-'*+/-9=?A-Z^-~-]+)*@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+")
LONGEST_NAME = 64
IDENTITY_PROVIDERS, ORGANIZATIONS, MEMBERS, USERS = (
    table(IdentityProvider),
    table(Organization),
    table(Member),
    table(User),
)
TEAMS = table(Team)

_PROVIDER = rows(
    lambda: (
        select(
            *IDENTITY_PROVIDERS.c,
            ORGANIZATIONS.c.title.label("organization_title"),
            domain_claims.verified_domains(ORGANIZATIONS.c.id),
        )
        .join(ORGANIZATIONS, ORGANIZATIONS.c.id == IDENTITY_PROVIDERS.c.organization_id)
        .where(IDENTITY_PROVIDERS.c.id == given("id"))
    )
)
_PERSON = rows(
    lambda: (
        select(*USERS.c, MEMBERS.c.organization_id.label("member_of"), MEMBERS.c.disabled)
        .outerjoin(
            MEMBERS, and_(MEMBERS.c.user_id == USERS.c.id, MEMBERS.c.organization_id == given("organization"))
        )
        .where(USERS.c.email == given("email"))
    )
)
_TEAM = rows(lambda: select(*TEAMS.c).where(TEAMS.c.id == given("id")))


@dataclass(frozen=True, slots=True)
class Assertion:
    """A provider's statement about a person, and the time until which it counts."""

    email: str
    name: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SignInRequest:
    """Somebody who has an account here was invited, and comes in when they have accepted."""

    email: str
    organization_id: str
    organization: str
    invite_id: str


async def find_provider(cx: Context, provider_id: str, kind: ProviderKind) -> Any:
    """Return a provider with the title and the verified domains of its organization; raises NotFound."""
    provider = await cx.db.first(_PROVIDER, id=provider_id)
    if provider is None or provider.kind != kind:
        raise NotFound("There is no such identity provider.")
    return provider


async def active_provider(cx: Context, provider_id: str, kind: ProviderKind) -> Any:
    """Return a provider through which people can sign in; raises NotFound, and Conflict for one that is
    pending."""
    provider = await find_provider(cx, provider_id, kind)
    if not sso_requirements.is_active(provider):
        raise Conflict("This identity provider is not set up yet.")
    if not cx.settings.base_url:
        raise Conflict("This server does not know its own URL; set DOCYARD_BASE_URL.")
    return provider


async def sign_in(
    cx: Context, provider: Any, said: Assertion, browser: Browser, *, with_token: bool
) -> SignedIn | SignInRequest:
    """Sign in whom a provider names: a member, or somebody new, who becomes one.

    Who has an account but is no member is invited instead. Raises Forbidden for an address that is none or
    whose domain the organization has not proven, and a disabled member.
    """
    email = _address(provider, said)
    known: Any = await cx.db.first(_PERSON, email=email, organization=provider.organization_id)
    if known is not None and known.member_of is None:
        return await _ask(cx, provider, email)
    if known is not None and known.disabled:
        raise Forbidden("This member is disabled; ask an administrator of the organization.")
    user: User = known or await _join(cx, provider, said, email)
    cx.note("user", user.id, provider.organization_id, user.display_name)
    mark = {"provider_id": provider.id, "user_id": user.id, "first_at": cx.now, "last_at": cx.now}
    await cx.tx.add_many(SignIn, [mark], missing=True)
    await cx.tx.put(SignIn, {"last_at": cx.now}, provider_id=provider.id, user_id=user.id)
    until = cx.now + timedelta(hours=cx.settings.sso_hours)
    until = min(until, said.until or until)
    return await sessions.begin_with_provider(cx, user, provider, until, browser, with_token=with_token)


def name_of(said: str, email: str) -> str:
    """Return the name of somebody new: what a provider says, or the first part of their address."""
    name = " ".join(without_hidden(said).split())[:LONGEST_NAME].strip()
    return name or email.partition("@")[0][:LONGEST_NAME]


def _address(provider: Any, said: Assertion) -> str:
    """Return the address that the provider names, of a domain that the provider's organization has proven."""
    if not ADDRESS.fullmatch(said.email) or len(said.email) > 320:
        # Only plain letters: others may be folded to them, and one person's address to another's.
        raise Forbidden("The identity provider named no e-mail address that can be used here.")
    email = canonical_email(said.email)
    if not domain_claims.is_verified(provider, email):
        domain = email.rpartition("@")[2]
        raise Forbidden(f"This organization has not verified the domain {domain}.")
    return email


async def _ask(cx: Context, provider: Any, email: str) -> SignInRequest:
    """Invite somebody into the organization and the provider's team, unless they are invited already."""
    organization = provider.organization_id
    await organizations.refuse_deleted(cx, organization)
    cx.note("organization", organization, organization, provider.organization_title)
    invited = await invites.invite_missing(
        cx, organization, [email], role=provider.default_role, team_id=provider.default_team_id
    )
    await invitations.tell(cx, organization, [each for each in invited if each.created_at == cx.now])
    return SignInRequest(email, organization, provider.organization_title, invited[0].id)


async def _join(cx: Context, provider: Any, said: Assertion, email: str) -> User:
    """Make an account for somebody new, and let them into the organization and the provider's team."""
    user = await users.create(cx, email, name_of(said.name, email))
    await organizations.add_member(cx, provider.organization_id, user.id, provider.default_role)
    if provider.default_team_id is not None:
        team: Any = await cx.db.first(_TEAM, id=provider.default_team_id)
        await cx.tx.lock(team_places.lane(team))
        await team_places.join(cx, team, {"defaultTeam": user.id})  # an invite may have let them in already
    return user

"""Asking for single sign-on, of an organization or of a member, so that nobody locks themselves out.

Where it is asked for there must be an active identity provider. Before it is asked of everybody an
administrator must have come in that way, and while it is, what that needs stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, Text, and_, exists, false, func, literal, or_, select, true

from app.access.context import Context
from app.domain.domains import domain_claims
from app.domain.organizations.member_rows import TeamRow
from app.kit.database.columns import Key
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict
from app.models.domain_claims import DomainClaim
from app.models.organizations import Member, Organization
from app.models.sso import IdentityProvider, SignIn
from app.models.users import User

IDENTITY_PROVIDERS, MEMBERS, ORGANIZATIONS, SIGN_INS = (
    table(IdentityProvider),
    table(Member),
    table(Organization),
    table(SignIn),
)
DOMAIN_CLAIMS, USERS = table(DomainClaim), table(User)
NOT_INSTALLED = "Single sign-on is not installed here; it comes with the extra `docyard[saml]`."


class ProviderRow(Protocol):
    """An identity provider with its default team, in a list of one or none."""

    id: str
    organization_id: str
    sso_url: str | None
    entity_id: str | None
    certificate: str | None
    client_secret: str | None
    default_team: Sequence[TeamRow]


def active() -> ColumnElement[bool]:
    """Return the providers through which people can sign in."""
    saml = and_(IDENTITY_PROVIDERS.c.certificate.is_not(None), IDENTITY_PROVIDERS.c.sso_url.is_not(None))
    return and_(
        IDENTITY_PROVIDERS.c.entity_id.is_not(None),
        or_(saml, IDENTITY_PROVIDERS.c.client_secret.is_not(None)),
    )


def is_active(row: IdentityProvider | ProviderRow) -> bool:
    """Tell whether people can sign in through a provider."""
    return row.client_secret is not None or None not in (row.entity_id, row.certificate, row.sso_url)


def _ways_in() -> Select[Any]:
    """Return what an organization has besides one provider: active ones, and administrators who came in
    through them and still could, since the domain of their address is proven."""
    usable = and_(
        IDENTITY_PROVIDERS.c.organization_id == ORGANIZATIONS.c.id,
        active(),
        IDENTITY_PROVIDERS.c.id != given("besides", Key),
    )
    of_organization = and_(MEMBERS.c.organization_id == ORGANIZATIONS.c.id, MEMBERS.c.disabled == false())
    providers = select(func.count()).select_from(IDENTITY_PROVIDERS).where(usable)
    proven = exists().where(
        DOMAIN_CLAIMS.c.organization_id == ORGANIZATIONS.c.id,
        DOMAIN_CLAIMS.c.kind == "email",
        domain_claims.PROVEN,
        USERS.c.email.like(literal("%@", Text()) + DOMAIN_CLAIMS.c.name),
    )
    came = (
        select(SIGN_INS.c.user_id)
        .join(IDENTITY_PROVIDERS, IDENTITY_PROVIDERS.c.id == SIGN_INS.c.provider_id)
        .join(USERS, USERS.c.id == SIGN_INS.c.user_id)
        .where(usable, proven.correlate(ORGANIZATIONS, USERS))
        .correlate(ORGANIZATIONS)
    )
    administrators = (
        select(func.count())
        .select_from(MEMBERS)
        .where(of_organization, MEMBERS.c.role == "admin", MEMBERS.c.user_id.in_(came))
    )
    tied = exists().where(of_organization, MEMBERS.c.sso == true())
    return select(
        ORGANIZATIONS.c.sso,
        tied.correlate(ORGANIZATIONS).label("tied"),
        providers.correlate(ORGANIZATIONS).scalar_subquery().label("providers"),
        administrators.correlate(ORGANIZATIONS).scalar_subquery().label("administrators"),
    ).where(ORGANIZATIONS.c.id == given("organization"))


_WAYS_IN = rows(_ways_in)
_DOMAINS = rows(
    lambda: select(domain_claims.verified_domains(ORGANIZATIONS.c.id)).where(
        ORGANIZATIONS.c.id == given("organization")
    )
)


async def require_provider(cx: Context, organization_id: str) -> None:
    """Refuse to ask a member for single sign-on where no provider is active: raises Conflict."""
    if not (await _left(cx, organization_id)).providers:
        raise Conflict("The organization has no active identity provider; set one up first.")


async def require_way_in(cx: Context, organization_id: str) -> None:
    """Refuse to ask everybody for it before an administrator has signed in that way: raises Conflict."""
    await require_provider(cx, organization_id)
    if not (await _left(cx, organization_id)).administrators:
        raise Conflict("No administrator has signed in through the identity provider yet; do so first.")


async def refuse_doing_without(cx: Context, organization_id: str, provider_id: str) -> None:
    """Refuse to do without an active provider that is needed: raises Conflict."""
    left = await _left(cx, organization_id, besides=provider_id)
    if (left.sso or left.tied) and not left.providers:
        raise Conflict(
            "The organization requires single sign-on, and this is its last active identity provider."
        )
    if left.sso and not left.administrators:
        raise Conflict("No administrator has signed in through another identity provider yet; do so first.")


async def outsiders(cx: Context, organization_id: str, addresses: Iterable[str]) -> list[str]:
    """Return those of the e-mail addresses that no provider of the organization can answer for: their
    domains are none that it has proven."""
    proven = await cx.db.first(_DOMAINS, organization=organization_id)
    return [address for address in addresses if not domain_claims.is_verified(proven, address)]


async def stop_asking(cx: Context, organization_id: str) -> None:
    """Ask nobody for it any more, neither the organization nor any member; asks for no right."""
    await cx.tx.put(Organization, {"sso": False, "updated_at": cx.now}, id=organization_id)
    await cx.tx.put(Member, {"sso": False}, organization_id=organization_id)


async def _left(cx: Context, organization_id: str, *, besides: str = "") -> Any:
    found = await cx.db.first(_WAYS_IN, organization=organization_id, besides=besides)
    assert found is not None
    return found

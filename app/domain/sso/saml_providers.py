"""An organization's identity providers (specification, SAML and SSO).

A provider is active when its entity id, certificate and address are all set. Only administrators see
providers; where to sign in is told to every member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, select

from app.access import memberships
from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.organizations import sso_requirements, team_rows
from app.domain.sso import sessions
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, rows, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import safe_server
from app.kit.ids import new_id
from app.models.queries import PageQuery
from app.models.sso import SamlProvider, SAMLProviderCreate, SAMLProviderUpdate
from app.models.teams import Team

_p, _t = table(SamlProvider), table(Team)


def _with_team() -> Select[Any]:
    """Providers with their default team; needs the value `me` for the caller's part in it."""
    team = select(*team_rows.columns()).where(_t.c.id == _p.c.default_team_id).correlate(_p)
    return select(*shown(SamlProvider), nested(team, "default_team"))


IN_ORGANIZATION = Listing(
    "identity providers of an organization",
    SamlProvider,
    lambda: _with_team().where(_p.c.organization_id == given("organization")),
    order=lambda: [_p.c.id],
)
_here = and_(_p.c.id == given("id"), _p.c.organization_id == given("organization"))
_ONE = query(SamlProvider, lambda: select(*_p.c).where(_here))
_SHOWN = query(SamlProvider, lambda: _with_team().where(_here))
_LOGINS = rows(
    lambda: (
        select(_p.c.id, _p.c.label)
        .where(_p.c.organization_id == given("organization"), sso_requirements.active())
        .order_by(_p.c.id)
    )
)
_TEAM = rows(
    lambda: select(_t.c.id).where(_t.c.id == given("id"), _t.c.organization_id == given("organization"))
)


async def list_providers(cx: Context, organization_id: str, query: PageQuery) -> Page[SamlProvider]:
    """List the identity providers of an organization, oldest first."""
    permit_in(cx, organization_id, can="admin")
    me = cx.actor.user_id
    return await IN_ORGANIZATION.page(cx.db, query.paging, cx.tokens, organization=organization_id, me=me)


async def get(cx: Context, organization_id: str, provider_id: str) -> SamlProvider:
    """Get an identity provider."""
    permit_in(cx, organization_id, can="admin")
    return await _found(cx, organization_id, provider_id, _SHOWN)


async def list_logins(cx: Context, organization_id: str) -> list[Any]:
    """List where members of an organization sign in: its active identity providers.

    Whoever has to sign in there may ask too, with a token that opens nothing else of the organization.
    """
    membership = cx.actor.memberships.get(organization_id)
    if membership is None:
        raise NotFound("There is no such organization.")
    if membership.closed not in (None, memberships.needs_sso(organization_id)):
        raise Forbidden(membership.closed)
    found = await cx.db.all(_LOGINS, organization=organization_id)
    return [Login(row.id, row.label, addresses(cx, row.id).start_url) for row in found]


async def create(cx: Context, organization_id: str, new: SAMLProviderCreate) -> SamlProvider:
    """Add an identity provider; it is pending until it has entity id, certificate and address."""
    permit_in(cx, organization_id, can="admin")
    fields = ("label", "entity_id", "certificate", "sso_url", "default_team", "default_role")
    values = await _checked(cx, organization_id, {name: getattr(new, name) for name in fields})
    made = await cx.tx.add(
        SamlProvider,
        id=new_id(),
        organization_id=organization_id,
        created_at=cx.now,
        updated_at=cx.now,
        **values,
    )
    return await _found(cx, organization_id, made.id, _SHOWN)


async def update(
    cx: Context, organization_id: str, provider_id: str, change: SAMLProviderUpdate
) -> SamlProvider:
    """Change an identity provider.

    What is cleared makes it pending: nobody signs in through it any more, and the sessions and tokens that it
    issued are revoked at once.
    """
    permit_in(cx, organization_id, can="admin")
    before = await _found(cx, organization_id, provider_id, _ONE if change.sent() else _SHOWN)
    values = await _checked(cx, organization_id, change.sent())
    if not values:
        return before
    cleared = any(name in values and values[name] is None for name in ("entity_id", "certificate", "sso_url"))
    if cleared and sso_requirements.is_active(before):
        await sso_requirements.refuse_doing_without(cx, organization_id, before.id)
        await sessions.end_all(cx, before.id)
    await cx.tx.put(SamlProvider, {**values, "updated_at": cx.now}, id=before.id)
    return await _found(cx, organization_id, provider_id, _SHOWN)


async def delete(cx: Context, organization_id: str, provider_id: str) -> None:
    """Delete an identity provider.

    Nobody signs in through it any more, and the sessions and tokens that it issued are revoked at once.
    """
    permit_in(cx, organization_id, can="admin")
    before = await _found(cx, organization_id, provider_id, _ONE)
    if sso_requirements.is_active(before):
        await sso_requirements.refuse_doing_without(cx, organization_id, before.id)
    await cx.tx.remove(SamlProvider, id=before.id)


@dataclass(frozen=True, slots=True)
class Login:
    """Where members sign in."""

    id: str
    label: str
    start_url: str


@dataclass(frozen=True, slots=True)
class ProviderAddresses:
    """This server, as one identity provider knows it."""

    entity_id: str
    acs_url: str
    start_url: str


def addresses(cx: Context, provider_id: str) -> ProviderAddresses:
    """Return what an identity provider is told; built from the configured address, never from a request's."""
    here = f"{cx.settings.base_url}/sso/{provider_id}"
    return ProviderAddresses(f"{here}/metadata", f"{here}/acs", f"{here}/start")


async def _found(
    cx: Context, organization_id: str, provider_id: str, by: Statement[SamlProvider]
) -> SamlProvider:
    found = await cx.db.first(by, organization=organization_id, id=provider_id, me=cx.actor.user_id)
    if found is None:
        raise NotFound("There is no such identity provider.")
    return found


async def _checked(cx: Context, organization_id: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a body; raises Invalid naming the field."""
    if values.get("certificate") is not None:
        values["certificate"] = values["certificate"].strip()
        _check_certificate(cx, values["certificate"])
    if values.get("sso_url") is not None:
        safe_server(values["sso_url"], cx.settings.allowed_hosts, path="ssoURL")
    if "default_team" in values:
        team = values["default_team_id"] = values.pop("default_team")
        if team is not None and not await cx.db.all(_TEAM, id=team, organization=organization_id):
            raise Invalid("The organization has no such team.", path="defaultTeam")
    return values


def _check_certificate(cx: Context, text: str) -> None:
    try:
        from app.kit.saml import certificates
    except ModuleNotFoundError:
        raise Conflict(sso_requirements.NOT_INSTALLED) from None
    try:
        certificates.current(text, cx.now)
    except ValueError as error:
        raise Invalid(f"The certificate {error}.", path="certificate") from None

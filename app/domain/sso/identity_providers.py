"""Identity providers of an organization, and those that speak SAML: listed, created, changed, deleted.

A provider is active when everything is set that signing in through it needs. Only administrators see
providers; where to sign in is told to every member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Select, select

from app.access import memberships
from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.accounts import sessions
from app.domain.organizations import member_rows, sso_requirements
from app.domain.sso import saml_metadata
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, query, rows, shown, table
from app.kit.errors import Conflict, Forbidden, Invalid, NotFound
from app.kit.http.urls import safe_server
from app.kit.ids import new_id
from app.models.queries import PageQuery
from app.models.sso import (
    IdentityProvider,
    SAMLProviderCreate,
    SAMLProviderUpdate,
)
from app.models.teams import Team

ProviderKind = Literal["saml", "oidc"]
IDENTITY_PROVIDERS, TEAMS = table(IdentityProvider), table(Team)


def _with_team() -> Select[Any]:
    """Select providers with their default team; needs the values of `member_rows.sight`."""
    team = (
        select(*member_rows.team_columns())
        .where(TEAMS.c.id == IDENTITY_PROVIDERS.c.default_team_id)
        .correlate(IDENTITY_PROVIDERS)
    )
    return select(*shown(IdentityProvider), nested(team, "default_team"))


_IN_ORGANIZATION = Listing(
    "identity providers of an organization",
    IdentityProvider,
    lambda: _with_team().where(
        IDENTITY_PROVIDERS.c.organization_id == given("organization"),
        IDENTITY_PROVIDERS.c.kind == given("kind"),
    ),
    order=lambda: [IDENTITY_PROVIDERS.c.id],
)
_ONE = query(
    IdentityProvider,
    lambda: _with_team().where(
        IDENTITY_PROVIDERS.c.id == given("id"),
        IDENTITY_PROVIDERS.c.organization_id == given("organization"),
        IDENTITY_PROVIDERS.c.kind == given("kind"),
    ),
)
_LOGINS = rows(
    lambda: (
        select(IDENTITY_PROVIDERS.c.id, IDENTITY_PROVIDERS.c.label, IDENTITY_PROVIDERS.c.kind)
        .where(IDENTITY_PROVIDERS.c.organization_id == given("organization"), sso_requirements.active())
        .order_by(IDENTITY_PROVIDERS.c.id)
    )
)
_TEAM = rows(
    lambda: select(TEAMS.c.id).where(
        TEAMS.c.id == given("id"), TEAMS.c.organization_id == given("organization")
    )
)


async def list_of_kind(
    cx: Context, organization_id: str, kind: ProviderKind, query: PageQuery
) -> Page[IdentityProvider]:
    """Return a page of the providers of a kind, for administrators."""
    permit_in(cx, organization_id, can="admin")
    sight = member_rows.sight(cx)
    return await _IN_ORGANIZATION.page(
        cx.db, query.paging, cx.tokens, sight=sight, organization=organization_id, kind=kind
    )


async def find(cx: Context, organization_id: str, provider_id: str, kind: ProviderKind) -> IdentityProvider:
    """Return a provider with its default team, for administrators; raises NotFound."""
    permit_in(cx, organization_id, can="admin")
    values = {"organization": organization_id, "id": provider_id, "kind": kind}
    found = await cx.db.first(_ONE, **values, **member_rows.sight(cx))
    if found is None:
        raise NotFound("There is no such identity provider.")
    return found


async def list_logins(cx: Context, organization_id: str) -> list[Login]:
    """List where members of an organization sign in: its active identity providers.

    Whoever has to sign in there may ask too, with a token that opens nothing else of the organization.
    """
    membership = cx.actor.memberships.get(organization_id)
    if membership is None:
        raise NotFound("There is no such organization.")
    if membership.closed not in (None, memberships.needs_sso(organization_id)):
        raise Forbidden(membership.closed)
    found = await cx.db.all(_LOGINS, organization=organization_id)
    return [Login(row.id, row.label, start_url(cx, row.id, row.kind)) for row in found]


async def delete_of_kind(cx: Context, organization_id: str, provider_id: str, kind: ProviderKind) -> None:
    """Delete a provider with the sessions and tokens that it issued."""
    before = await find(cx, organization_id, provider_id, kind)
    if sso_requirements.is_active(before):
        await sso_requirements.refuse_doing_without(cx, organization_id, before.id)
    await cx.tx.remove(IdentityProvider, id=before.id)


async def with_default_team(cx: Context, organization_id: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a body with the column of its default team; raises Invalid naming the field."""
    if "default_team" in values:
        team = values["default_team_id"] = values.pop("default_team")
        if team is not None and not await cx.db.all(_TEAM, id=team, organization=organization_id):
            raise Invalid("The organization has no such team.", path="defaultTeam")
    return values


@dataclass(frozen=True, slots=True)
class Login:
    """A provider as members choose it, with the address at which they sign in."""

    id: str
    label: str
    start_url: str


def start_url(cx: Context, provider_id: str, kind: str) -> str:
    """Return where people begin to sign in."""
    return f"{cx.settings.base_url}/{'sso' if kind == 'saml' else 'oidc'}/{provider_id}/start"


async def list_saml(cx: Context, organization_id: str, query: PageQuery) -> Page[IdentityProvider]:
    """List the identity providers of an organization, oldest first."""
    return await list_of_kind(cx, organization_id, "saml", query)


async def get_saml(cx: Context, organization_id: str, provider_id: str) -> IdentityProvider:
    """Get an identity provider."""
    return await find(cx, organization_id, provider_id, "saml")


async def fetch_new_metadata(cx: Context, organization_id: str, new: SAMLProviderCreate) -> str | None:
    """Return the metadata at the URL that a new provider names; None if it names none."""
    permit_in(cx, organization_id, can="admin")
    return await saml_metadata.fetch(cx, new)


async def fetch_metadata(
    cx: Context, organization_id: str, provider_id: str, change: SAMLProviderUpdate
) -> str | None:
    """Return the metadata at the URL that a change of a provider names; None if it names none."""
    await find(cx, organization_id, provider_id, "saml")
    return await saml_metadata.fetch(cx, change)


async def create_saml(
    cx: Context, organization_id: str, new: SAMLProviderCreate, fetched: str | None = None
) -> IdentityProvider:
    """Add an identity provider; it is pending until it has entity id, certificate and address.

    `fetched` is the metadata at its `metadataURL`.
    """
    permit_in(cx, organization_id, can="admin")
    fields = ("label", "entity_id", "certificate", "sso_url", "metadata", "default_team", "default_role")
    sent = {name: getattr(new, name) for name in fields}
    values = await _checked_saml(cx, organization_id, sent, fetched)
    made = await cx.tx.add(
        IdentityProvider,
        id=new_id(),
        organization_id=organization_id,
        kind="saml",
        client_id=None,
        client_secret=None,
        created_at=cx.now,
        updated_at=cx.now,
        **values,
    )
    return await find(cx, organization_id, made.id, "saml")


async def update_saml(
    cx: Context,
    organization_id: str,
    provider_id: str,
    change: SAMLProviderUpdate,
    fetched: str | None = None,
) -> IdentityProvider:
    """Change an identity provider; `fetched` is the metadata at its `metadataURL`.

    What is cleared makes it pending: nobody signs in through it any more, and the sessions and tokens that it
    issued are revoked at once.
    """
    before = await find(cx, organization_id, provider_id, "saml")
    values = await _checked_saml(cx, organization_id, change.sent(), fetched)
    if not values:
        return before
    cleared = any(name in values and values[name] is None for name in ("entity_id", "certificate", "sso_url"))
    if cleared and sso_requirements.is_active(before):
        await sso_requirements.refuse_doing_without(cx, organization_id, before.id)
        await sessions.end_of_provider(cx, before.id)
    await cx.tx.put(IdentityProvider, {**values, "updated_at": cx.now}, id=before.id)
    return await find(cx, organization_id, provider_id, "saml")


async def delete_saml(cx: Context, organization_id: str, provider_id: str) -> None:
    """Delete an identity provider.

    Nobody signs in through it any more, and the sessions and tokens that it issued are revoked at once.
    """
    await delete_of_kind(cx, organization_id, provider_id, "saml")


@dataclass(frozen=True, slots=True)
class ProviderAddresses:
    """This server, as one identity provider knows it."""

    entity_id: str
    acs_url: str
    start_url: str


def saml_addresses(cx: Context, provider_id: str) -> ProviderAddresses:
    """Return what an identity provider is told; built from the configured address, never from a request's."""
    here = f"{cx.settings.base_url}/sso/{provider_id}"
    return ProviderAddresses(f"{here}/metadata", f"{here}/acs", start_url(cx, provider_id, "saml"))


async def _checked_saml(
    cx: Context, organization_id: str, values: dict[str, Any], fetched: str | None
) -> dict[str, Any]:
    """Return the columns of a body; raises Invalid naming the field."""
    values.pop("metadata_url", None)
    if (metadata := values.pop("metadata", None)) is not None:
        values.update(saml_metadata.columns(metadata, "metadata"))
    if fetched is not None:
        values.update(saml_metadata.columns(fetched, "metadataURL"))
    if values.get("certificate") is not None:
        values["certificate"] = values["certificate"].strip()
        _check_certificate(cx, values["certificate"])
    if values.get("sso_url") is not None:
        safe_server(values["sso_url"], cx.settings.allowed_hosts, path="ssoURL")
    return await with_default_team(cx, organization_id, values)


def _check_certificate(cx: Context, text: str) -> None:
    try:
        from app.kit.saml import certificates
    except ModuleNotFoundError:
        raise Conflict(sso_requirements.NOT_INSTALLED) from None
    try:
        certificates.current(text, cx.now)
    except ValueError as error:
        raise Invalid(f"The certificate {error}.", path="certificate") from None

"""Identity providers of an organization that speak OpenID Connect: listed, created, changed, deleted."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.accounts import sessions
from app.domain.infrastructure import stored_secrets
from app.domain.sso.identity_providers import (
    delete_of_kind,
    find,
    list_of_kind,
    start_url,
    with_default_team,
)
from app.kit.database.paging import Page
from app.kit.http.urls import safe_server
from app.kit.ids import new_id
from app.models.queries import PageQuery
from app.models.sso import IdentityProvider, OIDCProviderCreate, OIDCProviderUpdate

_COLUMNS = {"issuer": "entity_id"}


async def list_of_organization(cx: Context, organization_id: str, query: PageQuery) -> Page[IdentityProvider]:
    """List the OpenID Connect providers of an organization, oldest first."""
    return await list_of_kind(cx, organization_id, "oidc", query)


async def get(cx: Context, organization_id: str, provider_id: str) -> IdentityProvider:
    """Get an OpenID Connect provider."""
    return await find(cx, organization_id, provider_id, "oidc")


async def create(cx: Context, organization_id: str, new: OIDCProviderCreate) -> IdentityProvider:
    """Add an OpenID Connect provider, which signs in people of the organization's verified domains."""
    permit_in(cx, organization_id, can="admin")
    fields = ("label", "issuer", "client_id", "client_secret", "default_team", "default_role")
    provider_id = new_id()
    values = await _checked(cx, organization_id, provider_id, {name: getattr(new, name) for name in fields})
    await cx.tx.add(
        IdentityProvider,
        id=provider_id,
        organization_id=organization_id,
        kind="oidc",
        certificate=None,
        sso_url=None,
        created_at=cx.now,
        updated_at=cx.now,
        **values,
    )
    return await find(cx, organization_id, provider_id, "oidc")


async def update(
    cx: Context, organization_id: str, provider_id: str, change: OIDCProviderUpdate
) -> IdentityProvider:
    """Change an OpenID Connect provider.

    Another issuer or client ID is another provider: the sessions and tokens that it issued are revoked.
    """
    before = await find(cx, organization_id, provider_id, "oidc")
    values = await _checked(cx, organization_id, provider_id, change.sent())
    if not values:
        return before
    if any(name in values and values[name] != getattr(before, name) for name in ("entity_id", "client_id")):
        await sessions.end_of_provider(cx, before.id)
    await cx.tx.put(IdentityProvider, {**values, "updated_at": cx.now}, id=before.id)
    return await find(cx, organization_id, provider_id, "oidc")


async def delete(cx: Context, organization_id: str, provider_id: str) -> None:
    """Delete an OpenID Connect provider.

    Nobody signs in through it any more, and the sessions and tokens that it issued are revoked at once.
    """
    await delete_of_kind(cx, organization_id, provider_id, "oidc")


def addresses(cx: Context, provider_id: str) -> dict[str, str]:
    """Return what the provider has to know of this server."""
    return {"redirectURI": redirect_uri(cx, provider_id), "startURL": start_url(cx, provider_id, "oidc")}


def redirect_uri(cx: Context, provider_id: str) -> str:
    """Return where a provider sends people back to, built from the configured address."""
    return f"{cx.settings.base_url}/oidc/{provider_id}/callback"


async def _checked(
    cx: Context, organization_id: str, provider_id: str, values: dict[str, Any]
) -> dict[str, Any]:
    if "issuer" in values:
        safe_server(values["issuer"], cx.settings.allowed_hosts, path="issuer")
    if "client_secret" in values:
        values["client_secret"] = cx.signer.seal(
            stored_secrets.CLIENT_SECRET, values["client_secret"], provider_id
        )
    named = {_COLUMNS.get(name, name): value for name, value in values.items()}
    return await with_default_team(cx, organization_id, named)

"""The environment that a script gets with an event: where the API is, tokens to call it with, what is
configured, secrets, and addresses.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from cachetools import LRUCache
from sqlalchemy import select

from app.access.context import Context
from app.access.scopes import VISITOR_AUTH
from app.domain.infrastructure import stored_secrets
from app.domain.integrations import integration_secrets, integration_urls, script_tokens
from app.domain.integrations.event_destinations import EventDestination
from app.domain.integrations.script_tokens import CreatedInstallationToken
from app.kit.clock import wire_time
from app.kit.database.columns import Key
from app.kit.database.interface import Transaction
from app.kit.database.statements import given, rows, table
from app.kit.errors import Conflict
from app.models.integration_environment import (
    EnvironmentInstallation,
    EnvironmentIntegration,
    EnvironmentOwner,
    EnvironmentPlacement,
    IntegrationEnvironment,
)
from app.models.sites import Site

SPARE = timedelta(minutes=10)  # that a token has left when a script gets it
TOKENS = 2000  # kept in memory
SITES = table(Site)
_SITE_KEY = rows(lambda: select(SITES.c.id, SITES.c.visitor_key).where(SITES.c.id == given("id", Key)))

Issue = Callable[[Context, str], Awaitable[CreatedInstallationToken]]


@dataclass(slots=True)
class _TokenCache:
    """Tokens by the integration or installation that they are of; one is used for many events."""

    held: LRUCache[str, tuple[str, datetime]] = field(default_factory=lambda: LRUCache(TOKENS))


_cache = _TokenCache()


async def environment_of(cx: Context, to: EventDestination) -> IntegrationEnvironment:
    """Return what an integration needs to act on an event."""
    row, settings = to.integration, cx.settings
    key, secrets = integration_secrets.opened(cx, row.secrets)
    token = await _token(cx, row.id, script_tokens.of_integration)
    environment: IntegrationEnvironment = {
        "apiEndpoint": settings.base_url,  # clients add the version
        "apiTokens": {"integration": token},
        "authToken": token,
        "integration": _integration(cx, to),
        "secrets": secrets,
        "signingSecret": key,
        "signingSecrets": {"integration": key},
    }
    if to.installation is None:
        return environment
    installed = to.installation
    token = await _token(cx, installed.id, script_tokens.of_installation)
    environment["apiTokens"]["installation"] = environment["authToken"] = token
    environment["signingSecrets"]["installation"] = _derived(key, installed.id)
    environment["installation"] = _installation(cx, to)
    if to.placement is None:
        return environment
    placed, secret = _placement(cx, to), _derived(key, f"{installed.id} {to.placement.object_id}")
    if to.placement.kind == "space":
        environment["spaceInstallation"] = placed
        environment["signingSecrets"]["spaceInstallation"] = secret
    else:
        environment["siteInstallation"] = placed
        environment["signingSecrets"]["siteInstallation"] = await _visitor_key(cx, to) or secret
    return environment


def _integration(cx: Context, to: EventDestination) -> EnvironmentIntegration:
    """Return the integration as it is in force for an event: with the scopes that were agreed to there."""
    row, manifest = to.integration, to.integration.manifest
    owner = row.owner[0]
    published: EnvironmentOwner = {
        "object": "organization",
        "id": owner.id,
        "title": owner.title,
        "createdAt": wire_time(owner.created_at),
    }
    if owner.hostname:
        published["hostname"] = owner.hostname

    def picture(name: str) -> str:
        return integration_urls.of_picture(cx.settings, row.id, name)

    def pictured(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**item, "icon": picture(item["icon"])} if "icon" in item else item for item in items]

    told: EnvironmentIntegration = {
        "object": "integration",
        "name": row.name,
        "version": row.version,
        "title": row.title,
        "description": row.description,
        "summary": manifest["summary"],
        "previewImages": [picture(name) for name in manifest["previewImages"]],
        "target": row.target,
        "verified": row.verified,
        "visibility": row.visibility,
        "scopes": to.scopes,
        "categories": row.categories,
        "blocks": pictured(manifest["blocks"]),
        "contentSources": pictured(manifest["contentSources"]),
        "configurations": manifest["configurations"],
        "externalLinks": manifest["externalLinks"],
        "owner": published,
        "urls": integration_urls.of_integration(cx.settings, row),
        "permissions": {"admin": False},
    }
    if policy := manifest["contentSecurityPolicy"]:
        told["contentSecurityPolicy"] = policy
    return told


def _installation(cx: Context, to: EventDestination) -> EnvironmentInstallation:
    row, name = to.installation, to.integration.name
    return {
        "status": row.status,
        "configuration": row.configuration,
        "externalIds": row.external_ids,
        "id": row.id,
        "space_selection": row.space_selection,
        "site_selection": row.site_selection,
        "spaces": row.spaces,
        "createdAt": wire_time(row.created_at),
        "updatedAt": wire_time(row.updated_at),
        "target": {"organization": row.organization_id},
        "urls": integration_urls.of_installation(cx.settings, name, row.organization_id, row.id),
    }


def _placement(cx: Context, to: EventDestination) -> EnvironmentPlacement:
    row, name, installation_id = to.placement, to.integration.name, to.installation.id
    placed: EnvironmentPlacement = {
        "status": row.status,
        "configuration": row.configuration,
        "externalIds": row.external_ids,
        "integration": name,
        "installation": installation_id,
        "urls": integration_urls.of_placement(cx.settings, name, installation_id, row.kind, row.object_id),
    }
    if row.kind == "space":
        placed["space"] = row.object_id
    else:
        placed["site"] = row.object_id
    return placed


def _derived(key: str, place: str) -> str:
    """Return a key of its own for a place, which stays the same as long as that of the integration."""
    return hmac.new(key.encode(), place.encode(), sha256).hexdigest()


async def _visitor_key(cx: Context, to: EventDestination) -> str | None:
    """Return the key that visitors of a site are signed in with, where the integration may do that."""
    if VISITOR_AUTH not in to.scopes:
        return None
    found = await cx.db.first(_SITE_KEY, id=to.placement.object_id)
    try:
        return stored_secrets.visitor_key(cx, found) if found is not None else None
    except Conflict:  # the secret of this server was changed, and the key can be read no more
        return None


async def _token(cx: Context, owner: str, issue: Issue) -> str:
    """Return a token of an integration or installation that lasts long enough."""
    held = _cache.held.get(owner)
    if held is None or held[1] - cx.now < SPARE:
        assert cx.home is not None

        async def make(tx: Transaction) -> CreatedInstallationToken:
            return await issue(replace(cx, db=tx), owner)

        made = await cx.home.write(make)
        held = _cache.held[owner] = (made.token, made.until)
    return held[0]

"""Who calls with the token of an installation: the integration, in one organization, on what was selected."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, select

from app.access import scopes
from app.access.context import Actor, Grants, InstallationCaller, Membership
from app.access.rights import Level
from app.kit.database.interface import Reader
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import Unauthenticated
from app.kit.signing import token_hash
from app.models.installations import Installation, InstallationToken, Placement
from app.models.integrations import Integration
from app.models.organizations import Organization
from app.models.sites import Site
from app.models.spaces import Space

INSTALLATION_TOKENS, INSTALLATIONS, INTEGRATIONS, PLACEMENTS = (
    table(InstallationToken),
    table(Installation),
    table(Integration),
    table(Placement),
)
SPACES, SITES, ORGANIZATIONS = table(Space), table(Site), table(Organization)


def _who(condition: ColumnElement[bool]) -> Select[Any]:
    """Return tokens with their installations and what those were given: all of it where everything is
    selected."""
    placed = select(PLACEMENTS.c.object_id, PLACEMENTS.c.kind).where(
        PLACEMENTS.c.installation_id == INSTALLATIONS.c.id
    )
    spaces = select(SPACES.c.id).where(
        SPACES.c.organization_id == INSTALLATIONS.c.organization_id, INSTALLATIONS.c.space_selection == "all"
    )
    sites = select(SITES.c.id).where(
        SITES.c.organization_id == INSTALLATIONS.c.organization_id, INSTALLATIONS.c.site_selection == "all"
    )
    return (
        select(
            INSTALLATION_TOKENS.c.id,
            INSTALLATION_TOKENS.c.expires_at,
            INSTALLATIONS.c.id.label("installation_id"),
            INSTALLATIONS.c.organization_id,
            INSTALLATIONS.c.status,
            ORGANIZATIONS.c.quotas,
            INTEGRATIONS.c.id.label("integration_id"),
            INTEGRATIONS.c.user_id,
            INTEGRATIONS.c.scopes,
            INSTALLATIONS.c.agreed,
            nested(placed.correlate(INSTALLATIONS), "placed"),
            nested(spaces.correlate(INSTALLATIONS), "spaces"),
            nested(sites.correlate(INSTALLATIONS), "sites"),
        )
        .select_from(
            INSTALLATION_TOKENS.join(
                INSTALLATIONS, INSTALLATIONS.c.id == INSTALLATION_TOKENS.c.installation_id
            )
            .join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id)
            .join(ORGANIZATIONS, ORGANIZATIONS.c.id == INSTALLATIONS.c.organization_id)
        )
        .where(condition, INTEGRATIONS.c.deleted_at.is_(None))
    )


_BY_HASH = rows(lambda: _who(INSTALLATION_TOKENS.c.hash == given("hash")))
_BY_ID = rows(lambda: _who(among(INSTALLATION_TOKENS.c.id, "tokens")))


async def actor(db: Reader, secret: str, now: datetime) -> Actor:
    """Return the caller behind the token of an installation; raises Unauthenticated."""
    found = await db.first(_BY_HASH, hash=token_hash(secret))
    if found is None or found.expires_at <= now:
        raise Unauthenticated("The token is unknown, revoked or expired.")
    return _actor(found, counted=set())


async def actors(db: Reader, tokens: Collection[str], now: datetime) -> dict[str, Actor]:
    """Return who calls with these tokens, by the ids of the tokens; without those that are not valid now.

    Nothing that they do is counted as a request.
    """
    found = await db.all(_BY_ID, tokens=sorted(tokens)) if tokens else ()
    return {row.id: _actor(row) for row in found if row.expires_at > now}


def _actor(found: Any, counted: set[str] | None = None) -> Actor:
    given_ = scopes.in_force(found.scopes, found.agreed)
    granted = {kind: scopes.level_of(given_, kind) for kind in ("space", "site")}
    levels = {row.object_id: granted[row.kind] for row in found.placed}
    levels |= {row.id: granted["space"] for row in found.spaces}
    levels |= {row.id: granted["site"] for row in found.sites}
    held = scopes.level_of(given_, "organization")
    closed = "The installation is paused." if found.status == "paused" else None
    membership = Membership(
        found.organization_id,
        held,
        Level.NONE,
        closed,
        Grants({k: v for k, v in levels.items() if v}),
        quotas=found.quotas,
    )
    return Actor(
        user_id=found.user_id,
        token_id=found.id,
        only_organization=found.organization_id,
        memberships={found.organization_id: membership},
        installation=InstallationCaller(found.integration_id, found.installation_id),
        scopes=frozenset((*given_, scopes.ALWAYS)),
        counted=counted,
    )

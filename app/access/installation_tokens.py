"""Authentication of scripts by token. A token is for an integration in one organization, limited to the
objects selected there, or for the integration itself, which may only manage its installations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, select

from app.access import scopes
from app.access.context import Actor, Grants, IntegrationCaller, Membership
from app.access.memberships import DELETED
from app.access.rights import Level
from app.kit.database.interface import Reader
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import Unauthenticated
from app.kit.signing import token_hash
from app.models.installations import Installation, InstallationToken, Placement
from app.models.integrations import Integration, IntegrationToken
from app.models.organizations import Organization
from app.models.sites import Site
from app.models.spaces import Space

INSTALLATION_TOKENS, INSTALLATIONS, INTEGRATIONS, PLACEMENTS, INTEGRATION_TOKENS = (
    table(InstallationToken),
    table(Installation),
    table(Integration),
    table(Placement),
    table(IntegrationToken),
)
SPACES, SITES, ORGANIZATIONS = table(Space), table(Site), table(Organization)

PAUSED = "The installation is paused."


def _columns(token: Any) -> list[Any]:
    """Return a token, an installation, and what that was given: all of it where everything is selected."""
    placed = select(PLACEMENTS.c.object_id, PLACEMENTS.c.kind).where(
        PLACEMENTS.c.installation_id == INSTALLATIONS.c.id
    )
    spaces = select(SPACES.c.id).where(
        SPACES.c.organization_id == INSTALLATIONS.c.organization_id, INSTALLATIONS.c.space_selection == "all"
    )
    sites = select(SITES.c.id).where(
        SITES.c.organization_id == INSTALLATIONS.c.organization_id, INSTALLATIONS.c.site_selection == "all"
    )
    return [
        token.c.id,
        token.c.expires_at,
        INSTALLATIONS.c.id.label("installation_id"),
        INSTALLATIONS.c.organization_id,
        INSTALLATIONS.c.status,
        ORGANIZATIONS.c.quotas,
        ORGANIZATIONS.c.deleted_at.is_not(None).label("is_closed"),
        INTEGRATIONS.c.id.label("integration_id"),
        INTEGRATIONS.c.user_id,
        INTEGRATIONS.c.scopes,
        INSTALLATIONS.c.agreed,
        nested(placed.correlate(INSTALLATIONS), "placed"),
        nested(spaces.correlate(INSTALLATIONS), "spaces"),
        nested(sites.correlate(INSTALLATIONS), "sites"),
    ]


def _of_installation(condition: ColumnElement[bool]) -> Select[Any]:
    """Return tokens of installations."""
    return (
        select(*_columns(INSTALLATION_TOKENS))
        .select_from(
            INSTALLATION_TOKENS.join(
                INSTALLATIONS, INSTALLATIONS.c.id == INSTALLATION_TOKENS.c.installation_id
            )
            .join(INTEGRATIONS, INTEGRATIONS.c.id == INSTALLATIONS.c.integration_id)
            .join(ORGANIZATIONS, ORGANIZATIONS.c.id == INSTALLATIONS.c.organization_id)
        )
        .where(condition, INTEGRATIONS.c.deleted_at.is_(None))
    )


def _of_integration(condition: ColumnElement[bool]) -> Select[Any]:
    """Return tokens of integrations, once for each installation, or once where there is none."""
    return (
        select(*_columns(INTEGRATION_TOKENS))
        .select_from(
            INTEGRATION_TOKENS.join(INTEGRATIONS, INTEGRATIONS.c.id == INTEGRATION_TOKENS.c.integration_id)
            .outerjoin(INSTALLATIONS, INSTALLATIONS.c.integration_id == INTEGRATIONS.c.id)
            .outerjoin(ORGANIZATIONS, ORGANIZATIONS.c.id == INSTALLATIONS.c.organization_id)
        )
        .where(condition, INTEGRATIONS.c.deleted_at.is_(None))
    )


_BY_HASH = rows(lambda: _of_installation(INSTALLATION_TOKENS.c.hash == given("hash")))
_BY_ID = rows(lambda: _of_installation(among(INSTALLATION_TOKENS.c.id, "tokens")))
_INTEGRATION_BY_HASH = rows(lambda: _of_integration(INTEGRATION_TOKENS.c.hash == given("hash")))
_INTEGRATION_BY_ID = rows(lambda: _of_integration(among(INTEGRATION_TOKENS.c.id, "tokens")))


async def actor(db: Reader, secret: str, now: datetime) -> Actor:
    """Return the caller behind the token of a script; raises Unauthenticated."""
    hash_ = token_hash(secret)
    found = await db.first(_BY_HASH, hash=hash_)
    if found is not None and found.expires_at > now:
        return _installation(found, counted=set())
    several = await db.all(_INTEGRATION_BY_HASH, hash=hash_) if found is None else ()
    if several and several[0].expires_at > now:
        return _integration(several, counted=set())
    raise Unauthenticated("The token is unknown, revoked or expired.")


async def actors(db: Reader, tokens: Collection[str], now: datetime) -> dict[str, Actor]:
    """Return who calls with these tokens, by the ids of the tokens; without those that are not valid now.

    Nothing that they do is counted as a request.
    """
    found = await db.all(_BY_ID, tokens=sorted(tokens)) if tokens else ()
    actors = {row.id: _installation(row) for row in found if row.expires_at > now}
    left = sorted(set(tokens) - {row.id for row in found})
    by_token: dict[str, list[Any]] = {}
    for row in await db.all(_INTEGRATION_BY_ID, tokens=left) if left else ():
        if row.expires_at > now:
            by_token.setdefault(row.id, []).append(row)
    return actors | {token: _integration(several) for token, several in by_token.items()}


def _installation(found: Any, counted: set[str] | None = None) -> Actor:
    return Actor(
        user_id=found.user_id,
        token_id=found.id,
        only_organization=found.organization_id,
        memberships={found.organization_id: _membership(found)},
        installation=IntegrationCaller(found.integration_id, found.installation_id),
        scopes=frozenset((*scopes.in_force(found.scopes, found.agreed), scopes.ALWAYS)),
        counted=counted,
    )


def _integration(found: Sequence[Any], counted: set[str] | None = None) -> Actor:
    first = found[0]
    return Actor(
        user_id=first.user_id,
        token_id=first.id,
        memberships={row.organization_id: _membership(row) for row in found if row.organization_id},
        installation=IntegrationCaller(first.integration_id),
        scopes=frozenset((scopes.ALWAYS, scopes.INTEGRATION)),
        counted=counted,
    )


def _membership(found: Any) -> Membership:
    given_ = scopes.in_force(found.scopes, found.agreed)
    granted = {kind: scopes.level_of(given_, kind) for kind in ("space", "site")}
    levels = {row.object_id: granted[row.kind] for row in found.placed}
    levels |= {row.id: granted["space"] for row in found.spaces}
    levels |= {row.id: granted["site"] for row in found.sites}
    return Membership(
        found.organization_id,
        scopes.level_of(given_, "organization"),
        Level.NONE,
        DELETED if found.is_closed else PAUSED if found.status == "paused" else None,
        Grants({k: v for k, v in levels.items() if v}),
        quotas=found.quotas,
    )

"""Versions of an integration: the scripts that were published, of which the newest runs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, delete, func, select

from app.access.context import Context
from app.domain.integrations.integration_rows import INTEGRATIONS, by_name, find, looking
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import command, given, shown, table
from app.models.integrations import IntegrationVersion
from app.models.manifests import IntegrationPublish
from app.models.queries import PageQuery

KEPT = 10
INTEGRATION_VERSIONS = table(IntegrationVersion)
_ALL = Listing(
    "versions of an integration",
    IntegrationVersion,
    lambda: (
        select(
            *shown(IntegrationVersion, besides=("script",)),
            func.length(INTEGRATION_VERSIONS.c.script).label("script_length"),
        )
        .join(INTEGRATIONS, INTEGRATIONS.c.id == INTEGRATION_VERSIONS.c.integration_id)
        .where(by_name(), among(INTEGRATIONS.c.organization_id, "mine"))
    ),
    order=lambda: [INTEGRATION_VERSIONS.c.version],
    descending=True,
)
_FORGET = command(
    lambda: delete(INTEGRATION_VERSIONS).where(
        INTEGRATION_VERSIONS.c.integration_id == given("integration"),
        INTEGRATION_VERSIONS.c.version <= given("until", Integer()),
    )
)


async def list_of_integration(cx: Context, integration_name: str, query: PageQuery) -> Page[Any]:
    """List the versions of an integration, newest first: the last ten are kept."""
    sight = {"mine": looking(cx, "admin")}
    found = await _ALL.page(cx.db, query.paging, cx.tokens, sight=sight, name=integration_name)
    if not found.count:
        await find(cx, integration_name, can="admin")
    return found


async def add(cx: Context, integration_id: str, version: int, manifest: IntegrationPublish) -> None:
    """Store the script of a new version, and forget versions that are too old."""
    await cx.tx.add_many(
        IntegrationVersion,
        [
            {
                "integration_id": integration_id,
                "version": version,
                "runtime": manifest.runtime,
                "script": manifest.script,
                "published_by": cx.actor.user_id,
                "created_at": cx.now,
            }
        ],
    )
    await cx.tx.run(_FORGET, integration=integration_id, until=version - KEPT)

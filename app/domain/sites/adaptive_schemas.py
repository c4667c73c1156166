"""A site's schema of claims: what it may know of its visitors, and what conditions are held to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.access.context import Context
from app.domain.site_addresses.site_rows import find, reading
from app.domain.sites import structure
from app.formats.expressions import claims, conditions
from app.kit.database.statements import Statement, query
from app.kit.errors import Conflict, Invalid
from app.models.publishing import AdaptiveSchemaUpdate
from app.models.sites import Site

_SITE: Statement[Any] = query(Site, lambda: reading(inner=("adaptive_schema", "adaptive_schema_at")))


@dataclass(slots=True, frozen=True)
class AdaptiveSchema:
    """A schema and when it was set; a site's first one, which knows nothing, is as old as the site."""

    json_schema: dict[str, Any]
    updated_at: datetime


async def get(cx: Context, organization_id: str, site_id: str) -> AdaptiveSchema:
    """Get the schema of what a site may know of its visitors."""
    site = await find(cx, organization_id, site_id, can="viewAdaptiveSchema", using=_SITE)
    schema = orjson.loads(site.adaptive_schema) if site.adaptive_schema else claims.empty()
    return AdaptiveSchema(schema, site.adaptive_schema_at or site.created_at)


async def update(
    cx: Context, organization_id: str, site_id: str, change: AdaptiveSchemaUpdate
) -> AdaptiveSchema:
    """Set the schema of what a site may know of its visitors.

    Raises Invalid naming the place that is not of the form, Conflict where a condition of the site would
    make no sense any more.
    """
    whole = await structure.of(cx, organization_id, site_id, can="editAdaptiveSchema")
    known = claims.read(change.json_schema)
    for item in whole.conditions():
        try:
            conditions.check(item.condition or "", known)
        except Invalid as refused:
            raise Conflict(f"“{item.title}” has a condition that would not fit: {refused.message}") from None
    schema = {"$schema": claims.DRAFT, **change.json_schema}
    text = orjson.dumps(schema).decode()
    await cx.tx.put(Site, {"adaptive_schema": text, "adaptive_schema_at": cx.now}, id=site_id)
    return AdaptiveSchema(schema, cx.now)


async def list_template_conditions(cx: Context, organization_id: str, site_id: str) -> list[tuple[str, str]]:
    """List conditions that suggest themselves by the schema, each with its description."""
    schema = await get(cx, organization_id, site_id)
    return list(claims.templates(claims.read(schema.json_schema)))


def check_condition(site: Any, condition: str | None, *, path: str = "condition") -> None:
    """Refuse a condition that is none, or gives no boolean by the site's schema of claims."""
    if condition:
        known = claims.read(orjson.loads(site.adaptive_schema)) if site.adaptive_schema else None
        conditions.check(condition, known, path=path)

"""A collection as callers see it (specification, Collection)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.access.fetch import permissions
from app.models.collections import ChildOut, Collection, CollectionOut
from app.present import links
from app.present.shape import shows
from app.present.spaces import space


@shows(CollectionOut)
def collection(cx: Context, row: Collection) -> dict[str, Any]:
    """Fields without a value are left out; `defaultLevel` may be null."""
    out: dict[str, Any] = {
        "object": "collection",
        "id": row.id,
        "title": row.title,
        "organization": row.organization_id,
        "defaultLevel": row.default_level,
        "urls": links.collection(cx, row),
        "permissions": permissions(cx, Collection, row),
    }
    if row.description is not None:
        out["description"] = row.description
    if row.parent_id:
        out["parent"] = row.parent_id
    return out


@shows(ChildOut)
def child(cx: Context, found: tuple[str, Any]) -> dict[str, Any]:
    """A space or a collection of a place, by its kind."""
    kind, row = found
    return space(cx, row) if kind == "space" else collection(cx, row)

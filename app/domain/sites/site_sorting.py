"""Sorting what a site shows: any item, before or after another of its level."""

from __future__ import annotations

from app.access.context import Context
from app.domain.sites import site_nodes, structure
from app.domain.sites.site_nodes import Node
from app.models.site_positions import StructureSort


async def sort(cx: Context, organization_id: str, site_id: str, order: StructureSort) -> Node:
    """Put an item of a site's structure before or after another one of the same level."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item = whole.named(order.item.type, order.item.id, "item.id")
    await whole.move(item, order.position)
    return await site_nodes.one(cx, organization_id, site_id, item.id)

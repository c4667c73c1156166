"""External links in a site's navigation, at its root or in a group of sections."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites import conditions, site_nodes, structure
from app.domain.sites.site_nodes import Node
from app.domain.sites.structure import Structure
from app.models.site_items import ExternalLinkCreate, ExternalLinkUpdate


async def add(cx: Context, organization_id: str, site_id: str, new: ExternalLinkCreate) -> Node:
    """Add an external link to a site's navigation, last in its group or of all."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    values = _checked(whole, new.sent())
    parent = values.pop("parent", None)
    link = await whole.add("site-external-link", parent, **values)
    return await site_nodes.one(cx, organization_id, site_id, link.id)


async def update(
    cx: Context, organization_id: str, site_id: str, site_external_link_id: str, change: ExternalLinkUpdate
) -> Node:
    """Change an external link, or put it into another group."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    link = whole.find("site-external-link", site_external_link_id)
    values = _checked(whole, change.sent())
    if "parent" in values and (parent := values.pop("parent")) != link.parent_id:
        await whole.place(link, parent)
    if values:
        await whole.change(link, **values)
    return await site_nodes.one(cx, organization_id, site_id, link.id)


async def remove(cx: Context, organization_id: str, site_id: str, site_external_link_id: str) -> None:
    """Remove an external link."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    await whole.remove(whole.find("site-external-link", site_external_link_id))


def _checked(whole: Structure, values: dict[str, Any]) -> dict[str, Any]:
    if values.get("parent"):
        whole.named("site-section-group", values["parent"], "parent")
    conditions.check(whole.site, values.get("condition"))
    return values

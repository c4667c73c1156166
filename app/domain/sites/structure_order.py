"""The order of a site's structure: items are put beside others, into sections and into groups."""

from __future__ import annotations

from app.access.context import Context
from app.domain.sites import moved_paths, redirect_loops, site_nodes, structure
from app.domain.sites.site_navigation import regroup
from app.domain.sites.site_nodes import SiteNode
from app.domain.sites.site_spaces import enter_section
from app.domain.sites.structure import Structure
from app.domain.sites.structure_items import StructureItem
from app.kit.errors import Invalid
from app.models.site_structure import StructureParent, StructureSort


async def sort(cx: Context, organization_id: str, site_id: str, order: StructureSort) -> SiteNode:
    """Put an item of a site's structure before or after another one, also in another section or group.

    A space goes into a section, a section or link into a group or to the root. A space that gets another
    address leaves a redirect.
    """
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item = whole.named(order.item.type, order.item.id, "item.id")
    before = moved_paths.path_of(whole, item)
    if "parent" in order.model_fields_set:
        await _enter(whole, item, order.parent)
    await whole.move(item, order.position)
    if moved_paths.path_of(whole, item) != before:
        await moved_paths.redirect_from(whole, item, before)
        await redirect_loops.refuse_renamed(whole)
        await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, item.id)


async def _enter(whole: Structure, item: StructureItem, named: StructureParent | None) -> None:
    """Put an item into a section or group, or to the root; one that is there already stays where it is."""
    parent = whole.named(named.type, named.id, "parent.id") if named is not None else None
    if item.parent_id == (parent.id if parent else None):
        return
    if item.kind == "site-space":
        if parent is None or parent.kind != "site-section":
            raise Invalid("On a site with sections, every space is in a section.", path="parent")
        await enter_section(whole, item, parent, "parent")
    elif item.kind == "site-section-group":
        raise Invalid("A group of sections is at the root of the site.", path="parent")
    elif parent is not None and parent.kind != "site-section-group":
        raise Invalid("Only spaces can be in a section.", path="parent")
    else:
        await regroup(whole, item, parent)

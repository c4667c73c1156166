"""Groups of sections: a level of navigation, no part of an address."""

from __future__ import annotations

from app.access.context import Context
from app.domain.sites import site_nodes, structure
from app.domain.sites.site_nodes import Node
from app.domain.sites.structure import Item, Structure
from app.kit.errors import NotFound
from app.models.site_items import GroupCreate, GroupedSection, GroupUpdate
from app.models.site_positions import GroupMove


async def add(cx: Context, organization_id: str, site_id: str, new: GroupCreate) -> Node:
    """Add a group, last of all, with sections that leave where they were."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    wanted = [
        whole.named("site-section", known, f"sections.{n}")
        for n, known in enumerate(dict.fromkeys(new.sections))
    ]
    group = await whole.add("site-section-group", None, title=new.title, icon=new.icon)
    for section in wanted:
        await whole.place(section, group.id)
    return await _done(whole, group)


async def update(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, change: GroupUpdate
) -> Node:
    """Change a group's title or icon."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    if values := change.sent():
        await whole.change(group, **values)
    return await _done(whole, group)


async def put_section(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, new: GroupedSection
) -> Node:
    """Put a section into a group, last in it; it leaves the group that it was in."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    section = whole.named("site-section", new.section_id, "sectionId")
    if section.parent_id != group.id:
        await whole.place(section, group.id)
    return await _done(whole, group)


async def take_section(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, site_section_id: str
) -> None:
    """Take a section out of a group; it then stands right after the group."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    section = whole.find("site-section", site_section_id)
    if section.parent_id != group.id:
        raise NotFound("There is no such section in the group.")
    await whole.place(section, None, whole.children(None).index(group) + 1)


async def move(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, to: GroupMove
) -> Node:
    """Move a group before or after a section or group; use the sorting of the structure instead."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    await whole.move(group, to.position)
    return await _done(whole, group)


async def remove(cx: Context, organization_id: str, site_id: str, site_section_group_id: str) -> None:
    """Remove a group; what is in it takes its place."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    for item in reversed(whole.children(group.id)):
        await whole.place(item, None, whole.children(None).index(group) + 1)
    await whole.remove(group)


async def _done(whole: Structure, group: Item) -> Node:
    return await site_nodes.one(whole.cx, whole.site.organization_id, whole.site.id, group.id)

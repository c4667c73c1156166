"""The navigation of a site: sections with their spaces, groups of sections, external links, and their order.

Groups are a level of navigation and no part of an address.
"""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites import (
    customizations,
    moved_paths,
    redirect_loops,
    site_nodes,
    structure,
    visitor_access,
)
from app.domain.sites.site_nodes import SiteNode
from app.domain.sites.site_spaces import publishable, put_in
from app.domain.sites.structure import Structure
from app.domain.sites.structure_items import StructureItem
from app.kit.errors import Invalid, NotFound
from app.models.site_structure import (
    ExternalLinkCreate,
    ExternalLinkUpdate,
    GroupCreate,
    GroupedSection,
    GroupMove,
    GroupUpdate,
    SectionCreate,
    SectionMove,
    SectionUpdate,
)


async def add_section(cx: Context, organization_id: str, site_id: str, new: SectionCreate) -> SiteNode:
    """Add a section around a space, last of all.

    Where a site has spaces but no section yet, those are gathered in a first section of their own.
    """
    whole = await structure.of(cx, organization_id, site_id, can="create")
    space, _ = await publishable(whole, new.space_id, "spaceId")
    if not whole.all("site-section"):
        await _gather(whole)
    title = new.title or space.title
    path = whole.free_path("", title, "site-section")
    section = await whole.add("site-section", None, title=title, scope="", path=path, icon=new.icon)
    await put_in(whole, new.space_id, section)
    await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, section.id)


async def update_section(
    cx: Context, organization_id: str, site_id: str, site_section_id: str, change: SectionUpdate
) -> SiteNode:
    """Change a section's title, path, default space, group, condition, icon or description."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    section = whole.find("site-section", site_section_id)
    values = change.sent()
    if "path" in values:
        whole.refuse_taken(section, change.path)
    if values.get("condition"):
        visitor_access.check_condition(whole.site, change.condition)
    if section.condition is not None and values.get("condition", section.condition) != section.condition:
        whole.permit_showing(section)
    if "default_site_space" in values:
        item = whole.named("site-space", values.pop("default_site_space"), "defaultSiteSpace")
        if item.scope != section.id:
            raise Invalid("The space is not in this section.", path="defaultSiteSpace")
        await whole.make_default(item)
    if "section_group" in values:
        group_id = values.pop("section_group")
        group = whole.named("site-section-group", group_id, "sectionGroup") if group_id is not None else None
        await regroup(whole, section, group)
    before = moved_paths.path_of(whole, section)
    if values:
        await whole.change(section, **values)
    await moved_paths.redirect_from(whole, section, before)
    if moved_paths.path_of(whole, section) != before:
        await redirect_loops.refuse_renamed(whole)
    await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, section.id)


async def regroup(whole: Structure, item: StructureItem, group: StructureItem | None) -> None:
    """Put a section or link into a group, last in it, or out of its group, right after it."""
    if item.parent_id == (group.id if group else None):
        return
    if group is not None:
        await whole.place(item, group.id)
        return
    at = next(n for n, each in enumerate(whole.children(None), 1) if each.id == item.parent_id)
    await whole.place(item, None, at)


async def move_section(
    cx: Context, organization_id: str, site_id: str, site_section_id: str, to: SectionMove
) -> SiteNode:
    """Move a section before or after another one of its level."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    section = whole.find("site-section", site_section_id)
    await whole.move(section, to.position)
    return await site_nodes.one(cx, organization_id, site_id, section.id)


async def remove_section(cx: Context, organization_id: str, site_id: str, site_section_id: str) -> None:
    """Remove a section with the spaces in it from a site."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    section = whole.find("site-section", site_section_id)
    inside = whole.children(section.id)
    await whole.remove(section)
    await customizations.forget(cx, site_id, *(item.id for item in inside))
    await whole.done(*(item.space_id for item in inside))


async def _gather(whole: Structure) -> None:
    loose = [item for item in whole.children(None) if item.kind == "site-space"]
    if not loose:
        return
    title = next((item.title for item in loose if item.is_default), loose[0].title)
    path = whole.free_path("", title, "site-section")
    section = await whole.add("site-section", None, title=title, scope="", path=path)
    for item in loose:
        await whole.change(item, scope=section.id)
        await whole.place(item, section.id)
    # First of all, and with the path that its default space had.
    await whole.place(section, None, 0)
    await whole.change(section, path=whole.free_path("", title, "site-section", besides=section))


async def add_group(cx: Context, organization_id: str, site_id: str, new: GroupCreate) -> SiteNode:
    """Add a group, last of all, with sections that leave where they were."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    wanted = [
        whole.named("site-section", known, f"sections.{n}")
        for n, known in enumerate(dict.fromkeys(new.sections))
    ]
    group = await whole.add("site-section-group", None, title=new.title, icon=new.icon)
    for section in wanted:
        await whole.place(section, group.id)
    return await _group_node(whole, group)


async def update_group(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, change: GroupUpdate
) -> SiteNode:
    """Change a group's title or icon."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    if values := change.sent():
        await whole.change(group, **values)
    return await _group_node(whole, group)


async def put_section_in_group(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, new: GroupedSection
) -> SiteNode:
    """Put a section into a group, last in it; it leaves the group that it was in."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    section = whole.named("site-section", new.section_id, "sectionId")
    await regroup(whole, section, group)
    return await _group_node(whole, group)


async def take_section_from_group(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, site_section_id: str
) -> None:
    """Move a section out of its group, to the position right after the group."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    section = whole.find("site-section", site_section_id)
    if section.parent_id != group.id:
        raise NotFound("There is no such section in the group.")
    await regroup(whole, section, None)


async def move_group(
    cx: Context, organization_id: str, site_id: str, site_section_group_id: str, to: GroupMove
) -> SiteNode:
    """Move a group before or after a section or group; use the sorting of the structure instead."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    await whole.move(group, to.position)
    return await _group_node(whole, group)


async def remove_group(cx: Context, organization_id: str, site_id: str, site_section_group_id: str) -> None:
    """Remove a group. Its contents take its place."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    group = whole.find("site-section-group", site_section_group_id)
    for item in reversed(whole.children(group.id)):
        await whole.place(item, None, whole.children(None).index(group) + 1)
    await whole.remove(group)


async def _group_node(whole: Structure, group: StructureItem) -> SiteNode:
    return await site_nodes.one(whole.cx, whole.site.organization_id, whole.site.id, group.id)


async def add_link(cx: Context, organization_id: str, site_id: str, new: ExternalLinkCreate) -> SiteNode:
    """Add an external link to a site's navigation, last in its group or of all."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    values = _checked_link(whole, new.sent())
    parent = values.pop("parent", None)
    link = await whole.add("site-external-link", parent, **values)
    return await site_nodes.one(cx, organization_id, site_id, link.id)


async def update_link(
    cx: Context, organization_id: str, site_id: str, site_external_link_id: str, change: ExternalLinkUpdate
) -> SiteNode:
    """Change an external link, or put it into another group."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    link = whole.find("site-external-link", site_external_link_id)
    values = _checked_link(whole, change.sent())
    if "parent" in values and (parent := values.pop("parent")) != link.parent_id:
        await whole.place(link, parent)
    if values:
        await whole.change(link, **values)
    return await site_nodes.one(cx, organization_id, site_id, link.id)


async def remove_link(cx: Context, organization_id: str, site_id: str, site_external_link_id: str) -> None:
    """Remove an external link."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    await whole.remove(whole.find("site-external-link", site_external_link_id))


def _checked_link(whole: Structure, values: dict[str, Any]) -> dict[str, Any]:
    if values.get("parent"):
        whole.named("site-section-group", values["parent"], "parent")
    visitor_access.check_condition(whole.site, values.get("condition"))
    return values

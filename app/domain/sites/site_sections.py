"""Sections of a site: each with the spaces that are its variants."""

from __future__ import annotations

from app.access.context import Context
from app.domain.sites import conditions, customizations, renamed_paths, site_nodes, structure
from app.domain.sites.site_nodes import Node
from app.domain.sites.site_spaces import publishable, put_in
from app.domain.sites.structure import Structure
from app.kit.errors import Invalid
from app.models.site_items import SectionCreate, SectionUpdate
from app.models.site_positions import SectionMove


async def add(cx: Context, organization_id: str, site_id: str, new: SectionCreate) -> Node:
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


async def update(
    cx: Context, organization_id: str, site_id: str, site_section_id: str, change: SectionUpdate
) -> Node:
    """Change a section's title, path, default space, condition, icon or description."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    section = whole.find("site-section", site_section_id)
    values = change.sent()
    if "path" in values:
        whole.refuse_taken(section, change.path)
    if values.get("condition"):
        conditions.check(whole.site, change.condition)
    if section.condition is not None and values.get("condition", section.condition) != section.condition:
        whole.permit_showing(section)
    if "default_site_space" in values:
        item = whole.named("site-space", values.pop("default_site_space"), "defaultSiteSpace")
        if item.scope != section.id:
            raise Invalid("The space is not in this section.", path="defaultSiteSpace")
        await whole.make_default(item)
    before = renamed_paths.path_of(whole, section)
    if values:
        await whole.change(section, **values)
    await renamed_paths.redirect(whole, section, before)
    await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, section.id)


async def move(
    cx: Context, organization_id: str, site_id: str, site_section_id: str, to: SectionMove
) -> Node:
    """Move a section before or after another one of its level."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    section = whole.find("site-section", site_section_id)
    await whole.move(section, to.position)
    return await site_nodes.one(cx, organization_id, site_id, section.id)


async def remove(cx: Context, organization_id: str, site_id: str, site_section_id: str) -> None:
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

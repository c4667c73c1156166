"""Spaces of a site: several of one section, or of a site without sections, are variants of each other."""

from __future__ import annotations

from app.access.context import Context
from app.access.fetch import fetch_named
from app.access.rights import Level
from app.domain.sites import moved_paths, redirect_loops, site_nodes, structure, visitor_access
from app.domain.sites.site_nodes import SiteNode
from app.domain.sites.structure import Structure
from app.domain.sites.structure_items import StructureItem
from app.domain.spaces import spaces
from app.kit.errors import Conflict, Invalid
from app.models.site_items import SiteSpaceCopy, SiteSpaceCreate, SiteSpaceMove, SiteSpaceUpdate
from app.models.spaces import Space


async def add(cx: Context, organization_id: str, site_id: str, new: SiteSpaceCreate) -> SiteNode:
    """Add a space to a site: to the section that is named, else to the default one."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    section = whole.default_section
    if "section_id" in new.sent():
        section = whole.named("site-section", new.section_id, "sectionId")
    item = await put_in(whole, new.space_id, section)
    await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, item.id)


async def put_in(
    whole: Structure, space_id: str, section: StructureItem | None, *, path: str = "spaceId"
) -> StructureItem:
    """Put a space into a section, or at the root of a site that has none."""
    space, held = await publishable(whole, space_id, path)
    scope = section.id if section else ""
    _refuse_twice(whole, scope, space_id, path)
    address = whole.free_path(scope, space.title, "site-space")
    return await whole.add(
        "site-space",
        section.id if section else None,
        title=space.title,
        scope=scope,
        path=address,
        space_id=space.id,
        held=held,
    )


async def update(
    cx: Context, organization_id: str, site_id: str, site_space_id: str, change: SiteSpaceUpdate
) -> SiteNode:
    """Change a space's path, section, condition or draft state on a site, or show another space instead."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item = whole.find("site-space", site_space_id)
    values, was, before = change.sent(), item.space_id, moved_paths.path_of(whole, item)
    if "section_id" in values:
        section = whole.named("site-section", values.pop("section_id"), "sectionId")
        await enter_section(whole, item, section, "sectionId")
    if "path" in values:
        whole.refuse_taken(item, change.path)
    if values.get("condition"):
        visitor_access.check_condition(whole.site, change.condition)
    draft = values.get("draft", item.draft)
    opens = item.condition is not None and values.get("condition", item.condition) != item.condition
    if (opens and not draft) or (item.draft and not draft):
        whole.permit_showing(item)
    if "space_id" in values and change.space_id != item.space_id:
        await publishable(whole, change.space_id, "spaceId", draft=draft)
        _refuse_twice(whole, item.scope, change.space_id, "spaceId")
    if values:
        await whole.change(item, **values)
    await moved_paths.redirect_from(whole, item, before)
    if moved_paths.path_of(whole, item) != before:
        await redirect_loops.refuse_renamed(whole)
    await whole.done(was)
    return await site_nodes.one(cx, organization_id, site_id, item.id)


async def enter_section(whole: Structure, item: StructureItem, section: StructureItem, path: str) -> None:
    """Put a space into a section, last in it.

    Raises Conflict, naming `path`, where the section shows the space already, Forbidden where more visitors
    would see it and the caller may not show it to them.
    """
    if section.id == item.parent_id:
        return
    left = whole.there(item.parent_id) if item.parent_id else None
    if left and left.condition is not None and left.condition != section.condition and not item.draft:
        whole.permit_showing(item)
    _refuse_twice(whole, section.id, item.space_id or "", path)
    await whole.enter(item, section)


async def move(
    cx: Context, organization_id: str, site_id: str, site_space_id: str, to: SiteSpaceMove
) -> SiteNode:
    """Move a space before or after another one of its section; use the sorting of the structure instead."""
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item = whole.find("site-space", site_space_id)
    await whole.move(item, to.position)
    return await site_nodes.one(cx, organization_id, site_id, item.id)


async def remove(cx: Context, organization_id: str, site_id: str, site_space_id: str) -> None:
    """Remove a space from a site."""
    from app.domain.sites import customizations

    whole = await structure.of(cx, organization_id, site_id, can="edit")
    item = whole.find("site-space", site_space_id)
    await whole.remove(item)
    await customizations.forget(cx, site_id, item.id)
    await whole.done(item.space_id)


async def duplicate(
    cx: Context, organization_id: str, site_id: str, site_space_id: str, how: SiteSpaceCopy
) -> SiteNode:
    """Duplicate a space of a site. The copy becomes a new variant next to it."""
    whole = await structure.of(cx, organization_id, site_id, can="create")
    item = whole.find("site-space", site_space_id)
    assert item.space_id is not None
    if not how.draft:
        whole.permit_showing(item)
    copy = await spaces.duplicate(cx, item.space_id)
    address = whole.free_path(item.scope or "", copy.title, "site-space")
    made = await whole.add(
        "site-space", item.parent_id, title=copy.title, scope=item.scope, path=address, space_id=copy.id,
        draft=how.draft,
    )  # fmt: skip
    await whole.done()
    return await site_nodes.one(cx, organization_id, site_id, made.id)


async def publishable(
    whole: Structure, space_id: str, path: str, *, draft: bool = False
) -> tuple[Space, Level]:
    """Return a space of the organization that the caller may show on the site, and their level on it.

    Raises Invalid, naming `path`, for one that they do not see or that is of another organization, Forbidden
    for one that they may not show.
    """
    space = await fetch_named(whole.cx, Space, space_id, path=path, can="access")
    if space.organization_id != whole.site.organization_id:
        raise Invalid("The space belongs to another organization.", path=path)
    return space, whole.permit_space(space, draft=draft)


def _refuse_twice(whole: Structure, scope: str | None, space_id: str, path: str) -> None:
    if any(item.space_id == space_id for item in whole.all("site-space") if item.scope == scope):
        raise Conflict("The space is already there.", path=path)

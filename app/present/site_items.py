"""What a site shows, as callers see it (specification: SiteSection, SiteSectionGroup, SiteSpace)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites.site_nodes import Node, Tree
from app.models.site_items import (
    SiteExternalLinkOut,
    SiteSectionGroupOut,
    SiteSectionOut,
    SiteSpaceOut,
    SiteStructureOut,
    SortedItemOut,
)
from app.present import links
from app.present.shape import shows
from app.present.spaces import space


@shows(SiteSpaceOut)
def site_space(cx: Context, node: Node) -> dict[str, Any]:
    """A space of a site."""
    row = node.row
    out: dict[str, Any] = {
        "object": "site-space",
        "id": row.id,
        "path": row.path,
        "title": row.space_title,
        "default": row.is_default,
        "hasAdvancedCustomizationFeature": True,
        "space": space(cx, row.spaces[0]),
        "urls": links.site_space(cx, node),
        **_given(row, "condition"),
    }
    if row.parent_id:
        out["section"] = row.parent_id
    return {**out, "draft": True} if row.draft else out


@shows(SiteSectionOut)
def site_section(cx: Context, node: Node) -> dict[str, Any]:
    """A section of a site with its spaces; `sectionGroup` only where it is in one."""
    row = node.row
    out: dict[str, Any] = {
        "object": "site-section",
        "id": row.id,
        "title": row.title,
        "default": row.is_default,
        "path": row.path,
        "siteSpaces": [site_space(cx, child) for child in node.children],
        "urls": links.site_section(cx, node),
        **_given(row, "description", "condition", "icon"),
    }
    return {**out, "sectionGroup": row.parent_id} if row.parent_id else out


@shows(SiteSectionGroupOut)
def site_section_group(cx: Context, node: Node) -> dict[str, Any]:
    """A group of sections."""
    children = [_shown(cx, child) for child in node.children]
    return {
        "object": "site-section-group",
        "id": node.row.id,
        "title": node.row.title,
        "sections": [child for child in children if child["object"] == "site-section"],
        "children": children,
        **_given(node.row, "icon"),
    }


@shows(SiteExternalLinkOut)
def site_external_link(cx: Context, node: Node) -> dict[str, Any]:
    """A link in the navigation of a site."""
    row = node.row
    out = {"object": "site-external-link", "id": row.id, "title": row.title, "url": row.url}
    out |= _given(row, "description", "condition", "icon")
    return {**out, "parent": row.parent_id} if row.parent_id else out


@shows(SiteStructureOut)
def site_structure(cx: Context, tree: Tree) -> dict[str, Any]:
    """All that a site shows: `sections` as soon as there is one."""
    return {
        "type": "sections" if tree.has_sections else "siteSpaces",
        "structure": [_shown(cx, node) for node in tree.roots],
    }


@shows(SortedItemOut)
def sorted_item(cx: Context, node: Node) -> dict[str, Any]:
    """The item that was moved."""
    return _shown(cx, node)


def _shown(cx: Context, node: Node) -> dict[str, Any]:
    return _SHOW[node.kind](cx, node)


def _given(row: Any, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(row, name))}


_SHOW = {
    "site-space": site_space,
    "site-section": site_section,
    "site-section-group": site_section_group,
    "site-external-link": site_external_link,
}

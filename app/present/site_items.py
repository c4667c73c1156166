"""What a site shows, as callers see it (specification: SiteSection, SiteSectionGroup, SiteSpace)."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.sites.site_nodes import SiteNode, SiteTree
from app.models.site_sections import SiteExternalLinkOut, SiteSectionGroupOut, SiteSectionOut
from app.models.site_spaces import SiteSpaceOut
from app.models.site_structure import SiteStructureOut, SortedItemOut
from app.present import links
from app.present.shape import Presenter, presenter, shows
from app.present.spaces import space

site_space: Presenter[Context, SiteNode] = presenter(
    SiteSpaceOut,
    of="row",
    first=("object", "id", "path", "title", "default", "has_advanced_customization_feature"),
    optional=("condition", "section", "draft"),
    has_advanced_customization_feature=lambda _cx, _node: True,
    space=lambda cx, node: space(cx, node.row.spaces[0]),
    urls=links.site_space,
    draft=lambda _cx, node: True if node.row.draft else None,
)

site_section: Presenter[Context, SiteNode] = presenter(
    SiteSectionOut,
    of="row",
    optional=("description", "condition", "icon", "section_group"),
    site_spaces=lambda cx, node: [site_space(cx, child) for child in node.children],
    urls=links.site_section,
)


@shows(SiteSectionGroupOut)
def site_section_group(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return a group of sections."""
    children = [_shown(cx, child) for child in node.children]
    out = {
        "object": "site-section-group",
        "id": node.row.id,
        "title": node.row.title,
        "sections": [child for child in children if child["object"] == "site-section"],
        "children": children,
    }
    return {**out, "icon": node.row.icon} if node.row.icon else out


site_external_link: Presenter[Context, SiteNode] = presenter(
    SiteExternalLinkOut, of="row", optional=("description", "condition", "icon", "parent")
)


@shows(SiteStructureOut)
def site_structure(cx: Context, tree: SiteTree) -> dict[str, Any]:
    """Return all that a site shows: `sections` as soon as there is one."""
    return {
        "type": "sections" if tree.has_sections else "siteSpaces",
        "structure": [_shown(cx, node) for node in tree.roots],
    }


@shows(SortedItemOut)
def sorted_item(cx: Context, node: SiteNode) -> dict[str, Any]:
    """Return the item that was moved."""
    return _shown(cx, node)


def _shown(cx: Context, node: SiteNode) -> dict[str, Any]:
    return _SHOW[node.kind](cx, node)


_SHOW = {
    "site-space": site_space,
    "site-section": site_section,
    "site-section-group": site_section_group,
    "site-external-link": site_external_link,
}

"""Where a visitor is on a site: which space the address leads into, and what the site shows around it.

The tree comes without anything that the visitor may not see (`published_sites.shown_to`), so that all that is
made of it cannot show that either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from app.domain.publishing import visits
from app.domain.sites import customizations, site_nodes
from app.domain.sites.site_nodes import Node, Tree
from app.site_reader.rendering.view_models import Navigated, SiteView, Variant


@dataclass(slots=True, frozen=True)
class Place:
    """A space of a site, and what of the address is below it; `exact` where it was not just the first.

    `whole` is what is below the space's own address: with the name of what is the default, where that was
    given, which may also be the name of a page.
    """

    node: Node
    section: Node | None
    rest: list[str]
    exact: bool
    whole: list[str]


def located(tree: Tree, parts: Sequence[str]) -> Place | None:
    """The space that the parts of a path lead into; None on a site that shows none."""
    rest = list(parts)
    sections = [node for node in site_nodes.every(tree.roots) if node.kind == "site-section"]
    sections = [node for node in sections if node.children]
    section = None
    spaces = [node for node in tree.roots if node.kind == "site-space"]
    if sections:
        section = _named(sections, rest)
        if section is not None:
            rest = rest[1:]
        named_section = section is not None
        section = section or _first(sections)
        spaces = section.children
        named = _named(spaces, rest) if named_section else None
    else:
        named = _named(spaces, rest)
    if not spaces:
        return None
    node = named or _first(spaces)
    is_default = node.row.is_default and (section is None or section.row.is_default)
    below = [part for part in visits.below(tree.site, node.row).split("/") if part] if not is_default else []
    given = list(parts)[: len(parts) - len(rest) + (1 if named else 0)]
    whole = list(parts)[min(len(below), len(given)) :]
    return Place(node, section, rest[1:] if named else rest, below == _quoted(given), whole)


def _quoted(parts: Sequence[str]) -> list[str]:
    return [quote(part, safe="") for part in parts]


def _named(nodes: Sequence[Node], parts: Sequence[str]) -> Node | None:
    return next((node for node in nodes if parts and node.row.path == parts[0]), None)


def _first(nodes: Sequence[Node]) -> Node:
    return next((node for node in nodes if node.row.is_default), nodes[0])


def spaces_of(tree: Tree) -> list[Node]:
    """The spaces that a site shows, in its order."""
    return [node for node in site_nodes.every(tree.roots) if node.kind == "site-space"]


def space_by_id(tree: Tree, item: str) -> Node | None:
    """One of the spaces that a site shows."""
    return next((node for node in spaces_of(tree) if node.row.id == item), None)


def beside(tree: Tree, item: str) -> list[Node]:
    """The spaces that are variants of each other, of which one is this; none where it is not shown."""
    spaces = spaces_of(tree)
    section = next((node.row.parent_id for node in spaces if node.row.id == item), item)
    return [node for node in spaces if node.row.parent_id == section]


def view_of(tree: Tree, base: str, place: Place | None, *, private: bool, signed_in: bool) -> SiteView:
    """The site around a page."""
    site = tree.site
    item = place.node.row.id if place else ""
    differs = any(row.item_id == item for row in site.looks) and item != customizations.SITE_ITSELF
    return SiteView(
        title=site.title,
        base=base,
        looks=customizations.of_space(site, item) if differs else customizations.of_site(site),
        icon=site.icon,
        navigation=[made for node in tree.roots if (made := _navigated(node, base, place))],
        variants=_variants(tree, base, place),
        variant=item if len(beside(tree, item)) > 1 else "",
        looks_key=item if differs else "",
        signed_in=signed_in,
        private=private,
    )


def _navigated(node: Node, base: str, place: Place | None) -> Navigated | None:
    row = node.row
    icon, about = row.icon or "", row.description or ""
    if node.kind == "site-external-link":
        return Navigated("link", row.title, row.url, icon, about)
    if node.kind == "site-section":
        href = base + visits.below(node.site, _first(node.children).row) if node.children else ""
        here = place is not None and place.section is node
        return Navigated("section", row.title, href or "/", icon, about, here)
    if node.kind == "site-section-group":
        inside = [made for child in node.children if (made := _navigated(child, base, place))]
        here = any(child.current for child in inside)
        return Navigated("group", row.title, "", icon, about, here, inside)
    return None


def _variants(tree: Tree, base: str, place: Place | None) -> list[Variant]:
    if place is None:
        return []
    beside = place.section.children if place.section else tree.roots
    spaces = [node for node in beside if node.kind == "site-space"]
    if len(spaces) < 2:
        return []
    return [
        Variant(title_of(node), (base + visits.below(tree.site, node.row)) or "/", node is place.node)
        for node in spaces
    ]


def title_of(node: Node) -> str:
    """What a space of a site is called there."""
    return str(node.row.title or node.row.space_title)

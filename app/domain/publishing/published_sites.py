"""A site as visitors see it: what is online, without drafts and without what their claims do not open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.access.context import Context
from app.access.fetch import level_on
from app.access.rights import Level, allowed
from app.domain.site_addresses import share_keys
from app.domain.site_addresses.site_rows import find, reading, sight
from app.domain.sites import customizations, site_nodes, site_scripts
from app.domain.sites.customizations import looks_column
from app.domain.sites.site_nodes import Node, Tree, tree_columns
from app.formats.conditions import holds
from app.kit.database.statements import Statement, query
from app.kit.errors import NotFound
from app.models.queries import ShareKeyQuery
from app.models.sites import Site

NOTHING_KNOWN: Mapping[str, Any] = {}
_SITE: Statement[Any] = query(
    Site, lambda: reading(looks_column(), site_scripts.of_site(), share_keys.column(), *tree_columns())
)


@dataclass(slots=True, frozen=True)
class Published:
    """A published site's tree with its looks, those of the spaces that look different, and scripts."""

    tree: Tree
    looks: dict[str, Any]
    looks_of_spaces: dict[str, Any]
    scripts: Sequence[dict[str, Any]] = ()


async def get(cx: Context, organization_id: str, site_id: str, query: ShareKeyQuery) -> Published:
    """Get a published site with its structure and looks, as a visitor of whom nothing is known sees it.

    Whoever may edit the site gets it before it is published too.
    """
    asked = {"key_hash": share_keys.hashed(cx, query.share_key or "")}
    site = await find(cx, organization_id, site_id, using=_SITE, **asked, **sight(cx, organization_id))
    if not site.published and not allowed("site", "edit", level_on(cx, Site, site) or Level.NONE):
        raise NotFound("The site is not published.")
    key = query.share_key if site.opened_by else None
    tree = shown_to(site_nodes.planted(site, key), NOTHING_KNOWN)
    shown = {node.row.id for node in site_nodes.every(tree.roots)}
    differing = [row.item_id for row in site.looks if row.item_id in shown]
    looks = {item: customizations.of_space(site, item) for item in differing}
    scripts = site_scripts.shown(cx, site_id, site.scripts_)
    return Published(tree, customizations.of_site(site), looks, scripts)


def shown_to(
    tree: Tree, claims: Mapping[str, Any], *, drafts: bool = False, without: Collection[str] = ()
) -> Tree:
    """The tree without drafts, without what a condition hides, and without what is empty by that.

    A preview may show `drafts`, and never what it was made `without`.
    """

    def is_shown(row: Any) -> bool:
        hidden = (row.draft and not drafts) or row.id in without
        return not hidden and (not row.condition or holds(row.condition, dict(claims)))

    return Tree(tree.site, _shown(tree.roots, is_shown), tree.share_key)


def _shown(nodes: Sequence[Node], is_shown: Callable[[Any], bool]) -> list[Node]:
    kept = []
    for node in nodes:
        if not is_shown(node.row):
            continue
        inside = _shown(node.children, is_shown)
        if inside or node.kind in ("site-space", "site-external-link"):
            kept.append(Node(node.site, node.row, inside, node.share_key))
    return kept

"""Reads the structure of a site: the tree as the caller sees it, lists of its nodes, single nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, Select, func, or_, select, true

from app.access.context import Context
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import (
    SITE_ITEMS,
    SITES,
    find,
    listing,
    page_of,
    reading,
    section_,
    seen_spaces,
    sight,
)
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query
from app.kit.errors import NotFound
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.site_items import SiteItemsQuery, SiteSpacesQuery
from app.models.sites import Site

held_, inner_ = SITE_ITEMS.alias("held"), SITE_ITEMS.alias("inner")
ALL, DEFAULT, OTHERS = 0, 1, 2


@dataclass(slots=True)
class SiteNode:
    """An item of a site's tree with what is in it; a `share_key` becomes part of its addresses."""

    site: Any
    row: Any
    children: list[SiteNode] = field(default_factory=list)
    share_key: str | None = None

    @property
    def kind(self) -> str:
        """Return what it is."""
        return str(self.row.kind)


@dataclass(slots=True)
class SiteTree:
    """A site with all that it shows."""

    site: Any
    roots: list[SiteNode]
    share_key: str | None = None

    @property
    def has_sections(self) -> bool:
        """Return whether it is divided into sections, of which one is enough."""
        return any(node.kind in ("site-section", "site-section-group") for node in self.roots)


def spaces_in(holder: Any) -> Any:
    """Return the spaces of a section that the caller sees, as the column `inside`."""
    inside = seen_spaces(SITE_ITEMS.c.site_id == holder.c.site_id, SITE_ITEMS.c.parent_id == holder.c.id)
    return nested(inside.order_by(SITE_ITEMS.c.position).correlate(holder), "inside")


def tree_columns(*, inside: bool = False) -> list[Any]:
    """Return everything that a site shows, as two columns; they need the values of `site_rows.sight`.

    Where only the statement knows the organization (`inside`), they need those of `seeing_inside`.
    """
    holders = select(*held_.c).where(held_.c.site_id == SITES.c.id, held_.c.kind != "site-space")
    spaces = seen_spaces(SITE_ITEMS.c.site_id == SITES.c.id, inside=inside).order_by(SITE_ITEMS.c.position)
    return [
        nested(holders.order_by(held_.c.position).correlate(SITES), "holders"),
        nested(spaces.correlate(SITES), "spaces"),
    ]


def _sections() -> Select[Any]:
    of_site = held_.c.site_id == SITES.c.id, held_.c.kind == "site-section"
    return select(*held_.c, spaces_in(held_)).where(*of_site)


def _groups() -> Select[Any]:
    inside = select(*inner_.c, spaces_in(inner_)).where(inner_.c.site_id == held_.c.site_id)
    inside = inside.where(inner_.c.parent_id == held_.c.id).order_by(inner_.c.position).correlate(held_)
    of_site = held_.c.site_id == SITES.c.id, held_.c.kind == "site-section-group"
    return select(*held_.c, nested(inside, "inside")).where(*of_site)


def _spaces() -> Select[Any]:
    which = given("which", Integer())
    first = SITE_ITEMS.c.is_default & func.coalesce(section_.c.is_default, true())
    wanted = or_(which == ALL, (which == DEFAULT) & first, (which == OTHERS) & ~first)
    return seen_spaces(SITE_ITEMS.c.site_id == SITES.c.id, wanted)


TREE: Statement[Any] = query(Site, lambda: reading(*tree_columns()))
_HELD = [held_.c.position, held_.c.id]
SECTIONS: Listing[Any] = listing("sections", _sections, lambda: _HELD)
GROUPS: Listing[Any] = listing("section-groups", _groups, lambda: _HELD)
SPACES: Listing[Any] = listing("site-spaces", _spaces, lambda: [SITE_ITEMS.c.position, SITE_ITEMS.c.id])


async def read(
    cx: Context, organization_id: str, site_id: str, share_key: str | None = None, *, can: str = "view"
) -> SiteTree:
    """Return the tree of a site, as far as the caller sees it."""
    values = sight(cx, organization_id)
    site = await find(cx, organization_id, site_id, can=can, using=TREE, **values)
    return planted(site, await publication.share_key_of_site(cx, site, share_key))


async def get(cx: Context, organization_id: str, site_id: str, query: ShareKeyQuery) -> SiteTree:
    """Get the structure of a site: its sections and groups, or its spaces if it has no sections."""
    return await read(cx, organization_id, site_id, query.share_key)


async def one(cx: Context, organization_id: str, site_id: str, id: str) -> SiteNode:
    """Return one item as it is now, for the answer to a change."""
    for node in every((await read(cx, organization_id, site_id)).roots):
        if node.row.id == id:
            return node
    raise NotFound("There is no such item.")


def planted(site: Any, share_key: str | None = None) -> SiteTree:
    """Return the tree of a row with `tree_columns`."""
    nodes = [SiteNode(site, row, share_key=share_key) for row in (*site.holders, *site.spaces)]
    return SiteTree(site, _rooted(nodes), share_key)


def every(nodes: Iterable[SiteNode]) -> Iterable[SiteNode]:
    """Return all nodes with all below them."""
    for node in nodes:
        yield node
        yield from every(node.children)


def _rooted(nodes: Sequence[SiteNode]) -> list[SiteNode]:
    ordered = sorted(nodes, key=lambda node: node.row.position)
    known = {node.row.id: node for node in ordered}
    roots: list[SiteNode] = []
    for node in ordered:
        holder = known.get(node.row.parent_id)
        (holder.children if holder else roots).append(node)
    return roots


async def list_sections(
    cx: Context, organization_id: str, site_id: str, query: SiteItemsQuery
) -> Page[SiteNode]:
    """List the sections of a site in their order, each with its spaces."""
    return await _listed(cx, organization_id, site_id, SECTIONS, query)


async def list_groups(cx: Context, organization_id: str, site_id: str, query: PageQuery) -> Page[SiteNode]:
    """List the section groups of a site in their order, each with its sections."""
    return await _listed(cx, organization_id, site_id, GROUPS, query)


async def list_spaces(
    cx: Context, organization_id: str, site_id: str, query: SiteSpacesQuery
) -> Page[SiteNode]:
    """List the spaces of a site in the order of its sections."""
    which = ALL if query.default is None else DEFAULT if query.default else OTHERS
    return await _listed(cx, organization_id, site_id, SPACES, query, which=which)


async def _listed(
    cx: Context, organization_id: str, site_id: str, found: Listing[Any], query: PageQuery, **filters: Any
) -> Page[SiteNode]:
    seen = sight(cx, organization_id)
    site, page = await page_of(cx, organization_id, site_id, found, query.paging, sight=seen, **filters)
    key = await publication.share_key_of_site(cx, site, getattr(query, "share_key", None))

    def node(row: Any) -> SiteNode:
        inside = [node(each) for each in getattr(row, "inside", ())]
        return SiteNode(site, row, inside, key)

    return page.map(node)

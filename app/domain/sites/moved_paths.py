"""Automatic redirects of a site's paths: to a page that moved, or to a section or space with a new path.

Every revision of a space is kept, so that what was at a path is known without anybody noting it: whoever
moves or renames a page leaves a way behind. What is at a path now, and a redirect that somebody wrote, win.
A section or space whose path changes leaves a redirect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from sqlalchemy import and_, delete, func, select

from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import SITE_ITEMS, SITES
from app.domain.sites import site_nodes
from app.domain.sites.site_nodes import SiteNode, SiteTree
from app.domain.sites.structure import Structure
from app.domain.sites.structure_items import StructureItem
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, rows, table
from app.kit.ids import new_id
from app.models.pages import PageVersion
from app.models.redirects import Redirect

PAGE_VERSIONS = table(PageVersion)
REDIRECTS = table(Redirect)
_was, _item = PAGE_VERSIONS.alias("was"), SITE_ITEMS.alias("item")


@dataclass(slots=True, frozen=True)
class MovedPage:
    """A redirect that nobody wrote, in the form of those that somebody did."""

    id: str  # of the page
    source: str
    destination: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    permanent: bool = field(default=False, init=False)
    capture_wildcard: bool = field(default=False, init=False)
    automatic: bool = field(default=True, init=False)


def moved_column() -> Any:
    """Return the column `moved`: pages of the site that were at one of `paths` and are elsewhere now."""
    spaces = select(_item.c.space_id).where(_item.c.site_id == SITES.c.id).correlate(SITES)
    same = and_(
        PAGE_VERSIONS.c.line_id == _was.c.line_id,
        PAGE_VERSIONS.c.page_id == _was.c.page_id,
        PAGE_VERSIONS.c.valid_to.is_(None),
    )
    columns = (
        _was.c.line_id,
        _was.c.path,
        _was.c.page_id,
        PAGE_VERSIONS.c.path.label("now"),
        PAGE_VERSIONS.c.updated_at,
    )
    found = (
        select(*columns, func.max(_was.c.valid_to).label("until"))
        .select_from(_was.join(PAGE_VERSIONS, same))
        .where(
            _was.c.line_id.in_(spaces),
            among(_was.c.path, "paths"),
            _was.c.valid_to.is_not(None),
            PAGE_VERSIONS.c.path != _was.c.path,
            PAGE_VERSIONS.c.kind != "link",
        )
        .group_by(*columns)
        .correlate(SITES)
    )
    return nested(found, "moved")


def suffixes(parts: Sequence[str]) -> list[str]:
    """Return the `paths` that a path of a site may mean inside one of its spaces, the whole one first."""
    return ["/".join(parts[n:]) for n in range(len(parts))]


def moved_to(tree: SiteTree, parts: Sequence[str]) -> tuple[MovedPage, str] | None:
    """Return where the page is that was at this path of a site with `moved` last, and its address."""
    node, rests = space_at(tree, list(parts))
    if node is None:
        return None
    here = [
        [row for row in tree.site.moved if (row.line_id, row.path) == (node.row.space_id, "/".join(rest))]
        for rest in rests
    ]
    if not any(here):
        return None
    last = max(next(filter(None, here)), key=lambda row: row.until)
    to = {"kind": "site-page", "siteSpace": node.row.id, "page": last.page_id}
    moved = MovedPage(last.page_id, "/" + "/".join(parts), to, last.updated_at, last.updated_at)
    return moved, f"{addresses.of_space(tree.site, node.row)}/{quote(last.now)}"


def space_at(tree: SiteTree, parts: list[str]) -> tuple[SiteNode | None, list[list[str]]]:
    """Return the space that the parts of a path lead into, and what may be left of them, what wins first.

    What is the default is at the address of what it is in, so that its own name may be that of a page there.
    """
    given = parts
    sections = [node for node in site_nodes.every(tree.roots) if node.kind == "site-section"]
    spaces = [node for node in tree.roots if node.kind == "site-space"]
    section = _named(sections, parts)
    if sections:
        parts = parts[1:] if section else parts
        spaces = (section or _first(sections)).children
    if not spaces:
        return None, [parts]
    named = _named(spaces, parts) if section or not sections else None
    node, rest = (named, parts[1:]) if named else (_first(spaces), parts)
    section = section or (_first(sections) if sections else None)
    is_default = section is None or (section.row.is_default and node.row.is_default)
    whole = given[(not is_default) + (not node.row.is_default) :]
    return node, [whole, rest] if len(whole) > len(rest) else [rest]


def _named(nodes: Sequence[SiteNode], parts: Sequence[str]) -> SiteNode | None:
    return next((node for node in nodes if parts and node.row.path == parts[0]), None)


def _first(nodes: Sequence[SiteNode]) -> SiteNode:
    return next((node for node in nodes if node.row.is_default), nodes[0])


_AT = rows(
    lambda: select(REDIRECTS.c.id).where(
        REDIRECTS.c.site_id == given("site"), REDIRECTS.c.source == given("source")
    )
)
_FORGET = command(
    lambda: delete(REDIRECTS).where(
        REDIRECTS.c.site_id == given("site"),
        REDIRECTS.c.source == given("source"),
        REDIRECTS.c.item_id == given("item"),
    )
)


def path_of(whole: Structure, item: StructureItem) -> str:
    """Return the path of a section or space by its name, below the site's address."""
    above = _section_of(whole, item)
    return f"/{above.path}/{item.path}" if above else f"/{item.path}"


def shown_at(whole: Structure, item: StructureItem) -> str:
    """Return the path that a section or space is shown at: what is the default is where its parent is."""
    above = _section_of(whole, item)
    if item.is_default:
        return shown_at(whole, above) if above else "/"
    return path_of(whole, item)


def _section_of(whole: Structure, item: StructureItem) -> StructureItem | None:
    above = whole.there(item.parent_id) if item.space_id and item.parent_id else None
    return above if above and above.kind == "site-section" else None


async def redirect_from(whole: Structure, item: StructureItem, before: str) -> None:
    """Lead from the path that an item had, and from all below it, to where it is now.

    A redirect that is there already stays. While a site is not published nobody knows its addresses.
    """
    now, site_id = path_of(whole, item), whole.site.id
    if before == now or not whole.site.published:
        return
    await whole.cx.tx.run(_FORGET, site=site_id, source=now, item=item.id)
    if await whole.cx.db.all(_AT, site=site_id, source=before):
        return
    kind = item.kind
    named = "siteSpace" if kind == "site-space" else "siteSection"
    await whole.cx.tx.add(
        Redirect,
        id=new_id(),
        site_id=site_id,
        source=before,
        destination={"kind": kind, named: item.id},
        item_id=item.id,
        page_id=None,
        permanent=False,
        capture_wildcard=True,
        created_at=whole.cx.now,
        updated_at=whole.cx.now,
    )

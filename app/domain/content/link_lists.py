"""The blocks of a document by the links that stand in them.

Links and backlinks of a place's content, with whole objects at both ends (decisions, Location).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Label, Select, and_, exists, func, literal, not_, or_, select

from app.access.context import Context
from app.access.fetch import seeing_inside
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS, listing, page_of
from app.domain.content.link_columns import (
    LINKS,
    counted,
    is_elsewhere,
    is_there,
    leads_here,
    leads_here_from_elsewhere,
    of_holder,
    row_columns,
    texts,
)
from app.domain.content.views import NOW, REQUEST, SPACES, View, Where, at
from app.formats.markdown.hrefs import meant
from app.formats.markdown.nodes import Node, child_lists
from app.formats.markdown.parser import block_lines, to_document
from app.formats.markdown.scanner import scan
from app.kit import workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.kit.errors import NotFound, OverBudget
from app.models.links import Link, LinkQuery
from app.models.organizations import Organization
from app.models.queries import PageQuery
from app.models.spaces import Space


def keys_of_links(body: str) -> Sequence[str]:
    """Return the key of the innermost block in which each link of a body stands, in the order of `scan`.

    A link that the document does not show as one stands in the outermost block of its line.
    """
    links = scan(body).links
    if not links:
        return ()
    hrefs = [meant(link.href) for link in links]
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for href, key in _shown(to_document(body)):
        shown[meant(href)].append(key)
    numbers = Counter(hrefs)
    agreed = {href: iter(shown[href]) for href in numbers if len(shown[href]) == numbers[href]}
    starts = [] if len(agreed) == len(numbers) else [lines.start + 1 for lines in block_lines(body)]
    return [
        next(agreed[href]) if href in agreed else str(max(bisect_right(starts, link.line) - 1, 0))
        for href, link in zip(hrefs, links, strict=True)
    ]


def _shown(document: Node) -> Iterator[tuple[str, str]]:
    """Yield the addresses that the nodes of a document lead to, each with the key of the block around it."""
    waiting: list[tuple[Node, str]] = [(document, "")]
    while waiting:
        node, around = waiting.pop()
        here = node["key"] if node.get("object") == "block" else around
        yield from ((url, here) for url in _addresses(node.get("data") or {}))
        children = [(child, here) for _, inside in child_lists(node) for child in inside]
        waiting += reversed(children)


def _addresses(data: dict[str, Any]) -> Iterator[str]:
    for value in data.values():
        if isinstance(value, dict) and value.get("kind") == "url" and isinstance(value.get("url"), str):
            yield value["url"]


MOST_KEPT = 2_000  # documents
_kept: LRUCache[str, Sequence[str]] = LRUCache(MOST_KEPT)


async def blocks_of_links(document_id: str, body: str) -> Sequence[str]:
    """Return the keys of the blocks in which the links of a body stand, by position;
    none for too large a body.
    """
    found = _kept.get(document_id)
    if found is None:
        try:
            found = await workers.run(2 * len(body), _read, body)
        except OverBudget:
            found = ()
        _kept[document_id] = found
    return found


def _read(body: str) -> Sequence[str]:

    return keys_of_links(body)


ORGANIZATIONS = table(Organization)
Condition = Callable[[View], Any]
Listings = dict[View, Listing[Any]]


@dataclass(slots=True, frozen=True)
class LinkedSpace:
    """A space in which something is; `at` is the change request or revision of it, None as it is now."""

    space: Space
    at: Any
    organization: Organization


@dataclass(slots=True, frozen=True)
class ListedLink:
    """A link with what it stands in and what it leads to: a page, or else a reusable content or a file.

    `home` and `there` are the spaces of both; `block` is the key of the block of the document it stands in.
    """

    link: Any
    home: LinkedSpace
    page: Any
    reusable: Any
    block: str | None
    there: LinkedSpace
    to_page: Any
    to_reusable: Any
    to_file: Any


def _listing(
    name: str,
    *conditions: Condition,
    of: Callable[[View], Any] | None = None,
    stats: Sequence[Condition] | None = None,
    judged: Sequence[Condition] = (),
) -> Listings:
    """Return a list of links; with `stats` it tells how many of those that meet these conditions there are.

    The links of the list meet `conditions` and, by their status, `judged`.
    """

    def beside(view: View) -> list[Label[Any]]:
        columns = [
            nested(
                select(*ORGANIZATIONS.c).where(ORGANIZATIONS.c.id == SPACES.c.organization_id), "organization"
            )
        ]
        columns += [] if of is None else [of(view)]
        if stats is not None:
            met = [condition(view) for condition in stats]
            elsewhere = (is_elsewhere(), not_(is_there()))
            columns.append(counted(view, "total", *met))
            for told, more in (("broken", []), ("broken_here", [LINKS.c.line_id != SPACES.c.id])):
                if view is not NOW or told == "broken":
                    columns.append(counted(view, told, LINKS.c.status == "broken", *met, *more))
                    columns.append(counted(view, f"{told}_elsewhere", *elsewhere, *met, *more))
        return columns

    def rows(view: View) -> Select[Any]:
        met = [condition(view) for condition in (*conditions, *judged)]
        return select(*row_columns(view)).where(*met)

    order = (LINKS.c.holder_id, LINKS.c.position, LINKS.c.line_id)
    return listing(name, Link, rows, lambda: order, beside, around=texts)


def _here(view: View) -> Any:
    return view.valid(LINKS)


def _of_page(_view: View) -> Any:
    return of_holder()


def _leading_to(view: View) -> Any:
    """Return the links that lead to `target` in the place that is read;
    to a space as it is now from others too.
    """
    target = given("target")
    own = and_(view.valid(LINKS), leads_here(target))
    return or_(own, leads_here_from_elsewhere(target)) if view is NOW else own


def _known(t: Any, key: str) -> Callable[[View], Any]:
    """Tell whether there is the page or file whose links are asked for."""

    def column(view: View) -> Any:
        found = select(func.count()).select_from(t).where(view.valid(t), t.c[key] == given("target"))
        return found.scalar_subquery().label("known")

    return column


# A status is asked for by its constant, so that an index serves those of which there are few.
_JUDGED: dict[str | None, list[Condition]] = {
    None: [],
    "ok": [lambda _view: or_(literal("") + LINKS.c.status == "ok", and_(is_elsewhere(), is_there()))],
    "broken": [lambda _view: or_(LINKS.c.status == "broken", and_(is_elsewhere(), not_(is_there())))],
    "in-app": [lambda _view: LINKS.c.status == "in-app"],
}
_main = LINKS.alias("in_main")


def _is_new(view: View) -> Any:
    """Tell whether the main content has no link of the same text and holder with the same status."""
    if view is NOW:
        return LINKS.c.line_id != SPACES.c.id  # no row: these are the links of the main content
    alike = (_main.c.holder_id == LINKS.c.holder_id, _main.c.href == LINKS.c.href)
    is_open = (_main.c.line_id == SPACES.c.id, _main.c.valid_to.is_(None))
    there = exists().where(*is_open, *alike, _main.c.status == LINKS.c.status).correlate(SPACES, LINKS)
    return and_(LINKS.c.line_id != SPACES.c.id, ~there) if view is REQUEST else ~there


_known_page, _known_file = _known(PAGE_VERSIONS, "page_id"), _known(FILE_VERSIONS, "file_id")
_CHOSEN: dict[tuple[str | None, bool], list[Condition]] = {
    (status, new): [*judged, *([_is_new] if new else [])]
    for status, judged in _JUDGED.items()
    for new in (False, True)
}
_SPACE_LINKS = {
    chosen: _listing(f"links {chosen}", _here, stats=[], judged=judged) for chosen, judged in _CHOSEN.items()
}
_PAGE_LINKS = {
    chosen: _listing(f"page links {chosen}", _here, _of_page, of=_known_page, stats=[_of_page], judged=judged)
    for chosen, judged in _CHOSEN.items()
}
_PAGE_BACKLINKS = _listing("page backlinks", _leading_to, of=_known_page)
_FILE_BACKLINKS = _listing("file backlinks", _leading_to, of=_known_file)


async def list_in_space(cx: Context, where: Where, query: LinkQuery) -> Page[ListedLink]:
    """List the links of a space."""
    return await _links(cx, where, _SPACE_LINKS[query.status, query.new], query)


async def list_of_page(cx: Context, where: Where, page_id: str, query: LinkQuery) -> Page[ListedLink]:
    """List the links of a page."""
    return await _links(cx, where, _PAGE_LINKS[query.status, query.new], query, target=page_id)


async def list_to_page(cx: Context, where: Where, page_id: str, query: PageQuery) -> Page[ListedLink]:
    """List the links to a page, including those in other spaces."""
    return (await _page(cx, where, _PAGE_BACKLINKS, query, target=page_id))[1]


async def list_to_file(cx: Context, where: Where, file_id: str, query: PageQuery) -> Page[ListedLink]:
    """List the links to a file, including those in other spaces."""
    return (await _page(cx, where, _FILE_BACKLINKS, query, target=file_id))[1]


async def _links(
    cx: Context, where: Where, listings: Listings, query: LinkQuery, **values: Any
) -> Page[ListedLink]:
    space, page = await _page(cx, where, listings, query, **values)
    broken = {"total": space.broken + space.broken_elsewhere}
    if where.change_request is not None:
        broken["changeRequest"] = space.broken_here + space.broken_here_elsewhere
    page.extra = {"stats": {"total": space.total, "broken": broken}}
    return page


async def _page(
    cx: Context, where: Where, listings: Listings, query: PageQuery, **values: Any
) -> tuple[Any, Page[ListedLink]]:
    sight = seeing_inside(cx)
    space, page = await page_of(cx, where, listings, query.paging, sight=sight, **values)
    if not getattr(space, "known", True):
        what = "page" if listings is not _FILE_BACKLINKS else "file"
        raise NotFound(f"There is no such {what}.")
    here = LinkedSpace(space, at(space), space.organization[0])
    blocks = {
        (row.line_id, row.holder_id): await blocks_of_links(row.document_id, row.markdown)
        for row in (*space.page_texts, *space.block_texts)
    }
    return space, page.map(lambda row: _linked(here, row, blocks.get((row.line_id, row.holder_id), ())))


def _linked(here: LinkedSpace, row: Any, blocks: Sequence[str]) -> ListedLink:
    home = LinkedSpace(row.home[0], None, row.home_organization[0]) if row.home else here
    far = LinkedSpace(row.far_space[0], None, row.far_organization[0]) if row.far_space else None
    to = (row.far_page, row.far_block, row.far_file) if far else (row.to_page, row.to_block, row.to_file)
    return ListedLink(
        row,
        home,
        _first(row.from_page),
        _first(row.from_block),
        blocks[row.position] if row.position < len(blocks) else None,
        far or home,
        *map(_first, to),
    )


def _first(found: Sequence[Any]) -> Any:
    return found[0] if found else None

"""Searches: the pages of a space, or of all spaces of an organization that the caller sees.

Where nothing is found as it was written, words are looked for that may have been meant.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Select, func, select

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in, seeing, visible
from app.domain.content.views import SPACES
from app.domain.search import full_text_engines, matching, vocabulary
from app.domain.search.matching import SearchQueryParts, SectionRow
from app.domain.search.vocabulary import Vocabulary
from app.formats.text import search_queries, search_text
from app.formats.text.search_queries import Places
from app.kit import deadlines, workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import EachEngine, given
from app.kit.errors import Invalid
from app.models.searches import SearchQuery
from app.models.spaces import Space

PAGES = 10  # shown of one space in an organization's search
T = TypeVar("T")
Found = TypeVar("Found", bound=tuple[Any, Page[Any]])


@dataclass(slots=True, frozen=True)
class PageHit:
    """A page that matches, with its best sections, and what is shown of them by their ids."""

    space: Space
    page: Any
    sections: Sequence[SectionRow]
    excerpts: Mapping[int, str]
    at: None = None  # searches read what is there now


@dataclass(slots=True, frozen=True)
class SpaceHit:
    """A space with its best pages."""

    space: Space
    pages: Sequence[PageHit]


def _space_listing(engine: str) -> Listing[Any]:
    search = SearchQueryParts(engine, lambda space_id: space_id == given("inside"))
    order = [search.pages.c.score, search.pages.c.page_id]
    return Listing(
        "space-search",
        Space,
        search.ranked_pages,
        lambda: order,
        inside=Space,
        beside=lambda: [search.is_partial.label("is_partial")],
        counted=search.count,
        completed=search.completed,
        searches=True,
    )


def _organization_listing(engine: str) -> Listing[Any]:
    seen = (
        SPACES.c.organization_id == given("organization"),
        SPACES.c.deleted_at.is_(None),
        visible(Space),
    )
    search = SearchQueryParts(engine, lambda space_id: space_id.in_(select(SPACES.c.id).where(*seen)))
    place = func.row_number().over(
        partition_by=search.pages.c.space_id, order_by=(search.pages.c.score, search.pages.c.page_id)
    )
    placed = search.ranked_pages().add_columns(place.label("place")).cte("placed")
    found = select(placed).where(placed.c.place <= PAGES).cte("found")
    spaces = (
        select(search.pages.c.space_id, func.min(search.pages.c.score).label("best"))
        .group_by(search.pages.c.space_id)
        .cte("spaces")
    )

    def rows() -> Select[Any]:
        pages = (
            search.completed(found)
            .where(found.c.space_id == spaces.c.space_id)
            .order_by(found.c.score, found.c.page_id)
            .correlate(spaces)
        )
        return (
            select(*SPACES.c, nested(pages, "pages"), search.is_partial.label("is_partial"))
            .select_from(spaces)
            .join(SPACES, SPACES.c.id == spaces.c.space_id)
            .where(*seen)
        )

    return Listing("organization-search", Space, rows, lambda: [spaces.c.best, SPACES.c.id], searches=True)


_IN_SPACE = EachEngine(_space_listing)
_IN_ORGANIZATION = EachEngine(_organization_listing)


async def understood(
    cx: Context, within: Vocabulary, terms: list[list[str]], ask: Callable[[Places], Awaitable[Found]]
) -> tuple[Places, Found]:
    """Ask for what was written, and where nothing is found for what may have been meant.

    Returns what was found, and what it was asked for by. A page token belongs to one of the two.
    """
    places, refused = search_queries.plain(terms), None
    try:
        found = await ask(places)
    except Invalid as error:
        refused = error
    else:
        if found[1].count:
            return places, found
    meant = await vocabulary.corrected(cx, within, terms)
    if meant is not None:
        return meant, await ask(meant)
    if refused is not None:
        raise refused
    return places, found


async def in_space(cx: Context, space_id: str, query: SearchQuery) -> Page[PageHit]:
    """Search the pages of a space."""
    listing = _IN_SPACE(full_text_engines.name(cx))

    async def ask(places: Places) -> tuple[Any, Page[Any]]:
        asked = matching.matching(cx, f"s{space_id}", places)
        return await fetch_page(cx, Space, space_id, listing, query.paging, **asked)

    terms, within = search_text.terms(query.query), Vocabulary("", [space_id])
    places, (space, page) = await understood(cx, within, terms, ask)
    page.extra["isPartial"] = bool(space.is_partial)
    return page.of(await page_hits([(space, row) for row in page.items], places))


async def in_organization(cx: Context, organization_id: str, query: SearchQuery) -> Page[SpaceHit]:
    """Search the pages of all spaces of an organization that the caller sees."""
    permit_in(cx, organization_id)
    listing, sight = _IN_ORGANIZATION(full_text_engines.name(cx)), seeing(cx, organization_id)

    async def ask(places: Places) -> tuple[None, Page[Any]]:
        values = {**matching.matching(cx, f"o{organization_id}", places), "organization": organization_id}
        return None, await listing.page(cx.db, query.paging, cx.tokens, sight=sight, **values)

    terms, within = search_text.terms(query.query), Vocabulary(organization_id)
    places, (_, page) = await understood(cx, within, terms, ask)
    page.extra["isPartial"] = any(space.is_partial for space in page.items)
    hits = iter(await page_hits([(space, row) for space in page.items for row in space.pages], places))
    return page.map(lambda space: SpaceHit(space, [next(hits) for _ in space.pages]))


async def page_hits(rows: Sequence[tuple[Space, Any]], places: Places) -> list[PageHit]:
    """Return pages that match with what is shown of them."""
    shown = [(space, row, matching.best(row)) for space, row in rows]
    sections = [section for _, _, some in shown for section in some]
    texts = await excerpts(sections, search_queries.phrases(places))
    return [PageHit(space, row, some, texts) for space, row, some in shown]


async def excerpts(sections: Sequence[Any], terms: list[list[str]]) -> dict[int, str]:
    """Return what is shown of sections that match, by their ids: the text around the first match."""
    texts = {section.id: section.body for section in sections}
    return await workers.run(sum(map(len, texts.values())), _excerpts, texts, terms)


def _excerpts(texts: dict[int, str], terms: list[list[str]]) -> dict[int, str]:
    made = {}
    for section_id, body in texts.items():
        deadlines.check()
        made[section_id] = search_text.excerpt(body, terms)
    return made

"""Searching the spaces of a site as one visitor sees them, from the place where they are.

First all pages that match are ranked, without their sections: which of them the visitor sees is known only
beside the database. Then the sections of those are read that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, case, select

from app.access.context import Context
from app.domain.publishing import conditional_sections
from app.domain.publishing.conditional_sections import for_visitors
from app.domain.search import full_text_engines, vocabulary
from app.domain.search.matching import SearchQueryParts, matching, tier
from app.domain.search.vocabulary import Vocabulary
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.sql import among
from app.kit.database.statements import EachEngine, rows

MOST = 1000  # pages that are ranked


@dataclass(slots=True, frozen=True)
class SearchedSpaces:
    """The spaces that a visitor searches, those that they are in (`near`), and those in other languages or
    variants (`later`), which come after all others."""

    organization_id: str
    all: Sequence[str]
    near: Sequence[str]
    later: Sequence[str]
    claims: Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class VisitorSearch:
    """A search that was understood: what is looked for, and the pages that match, the best first.

    With `is_partial`, more may match than were ranked.
    """

    spaces: SearchedSpaces
    places: Places
    holding: Sequence[str]
    ranked: Sequence[Any]
    is_partial: bool = False


def _search(engine: str) -> SearchQueryParts:
    return SearchQueryParts(engine, lambda space_id: among(space_id, "spaces"), for_visitors())


def _ranking(engine: str) -> Any:
    search = _search(engine)

    def ranked() -> Select[Any]:
        page = search.pages.c
        order = (
            case((among(page.space_id, "later"), 1), else_=0),
            tier(page.score),
            case((among(page.space_id, "near"), 0), else_=1),
            page.score,
            page.page_id,
        )
        found = select(page.space_id, page.page_id, search.is_partial.label("is_partial"))
        return found.order_by(*order).limit(MOST)

    return rows(ranked)


def _showing(engine: str) -> Any:
    search = _search(engine)

    def shown() -> Select[Any]:
        found = search.ranked_pages().where(among(search.pages.c.page_id, "pages"))
        return search.completed(found.cte("found"))

    return rows(shown)


_RANKED, _SHOWN = EachEngine(_ranking), EachEngine(_showing)


async def rank(cx: Context, spaces: SearchedSpaces, terms: list[list[str]]) -> VisitorSearch:
    """Find the pages that match, and where there are none those that may have been meant."""
    found = await _ranked(cx, spaces, search_queries.plain(terms))
    if found.ranked or not terms or not spaces.all:
        return found
    meant = await vocabulary.corrected(cx, Vocabulary(spaces.organization_id, spaces.all), terms)
    return found if meant is None else await _ranked(cx, spaces, meant)


async def _ranked(cx: Context, spaces: SearchedSpaces, places: Places) -> VisitorSearch:
    if not places or not spaces.all:
        return VisitorSearch(spaces, places, (), ())
    organization_id, every = spaces.organization_id, list(spaces.all)
    holding = await conditional_sections.holding(cx, organization_id, every, places, spaces.claims)
    values = _values(cx, spaces, places, holding)
    statement = _RANKED(full_text_engines.name(cx))
    found = await cx.db.read_inline(statement, near=list(spaces.near), later=list(spaces.later), **values)
    is_partial = len(found) == MOST or any(row.is_partial for row in found[:1])
    return VisitorSearch(spaces, places, holding, found, is_partial)


async def sections_of(cx: Context, search: VisitorSearch, shown: Sequence[Any]) -> list[Any]:
    """Return these of the ranked pages with their best sections, in their order."""
    if not shown:
        return []
    values = _values(cx, search.spaces, search.places, search.holding)
    statement = _SHOWN(full_text_engines.name(cx))
    found = await cx.db.read_inline(statement, pages=[row.page_id for row in shown], **values)
    pages = {(row.space_id, row.page_id): row for row in found}
    keys = [(row.space_id, row.page_id) for row in shown]
    return [pages[key] for key in keys if key in pages]


def _values(cx: Context, spaces: SearchedSpaces, places: Places, holding: Sequence[str]) -> dict[str, Any]:
    organization_id = spaces.organization_id
    asked = matching(cx, f"o{organization_id}", places)
    return {**asked, "spaces": list(spaces.all), "holding": holding}

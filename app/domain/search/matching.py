"""The one ranking of all searches: which sections match, how well, and the pages that they are of.

A page with just the title that is asked for comes first, then pages with all of the words in their title,
the shortest title first, then all others; among these a title counts most, then a section's heading, its
description, its text.

What a search costs is bounded: titles are looked up in an index of their own, and of the sections that match,
and that may be seen, MOST are ranked and counted, in one space MOST_IN_SPACE. A search that has more says so
(`is_partial`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sqlalchemy import (
    CTE,
    ColumnElement,
    Double,
    Integer,
    Label,
    Select,
    String,
    and_,
    case,
    cast,
    func,
    literal,
    not_,
    or_,
    select,
    union_all,
)

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.search import full_text_engines
from app.domain.search.full_text import FullText
from app.domain.search.search_index import REUSABLE, SEARCH_INCLUSIONS, SEARCH_SECTIONS, TEXT
from app.domain.search.search_titles import TITLES, comparable
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.sql import among, nested
from app.kit.database.statements import given

MOST = 20_000  # sections that are ranked and counted, and titles
MOST_IN_SPACE = 4_000  # in one space, whose sections hide those of no other
SECTIONS = 5  # shown of one page
WHOLE, IN_TITLE = -2.0, -1.0  # what a page's title scores; sections score between -1 and 0
_BESIDE_TITLE = 1e-4  # what the sections of a page count for whose title has all of the words
_DIGITS = 12  # of a score, so that it survives being written down and read again: scores are keys of pages
_RANKED, _TITLES_RANKED = given("ranked", Integer()), given("titles_ranked", Integer())
SpaceCondition = Callable[[ColumnElement[str]], ColumnElement[bool]]


class SectionRow(Protocol):
    """A section that matches; `own` tells how well, apart from its page's title: the lower, the better."""

    id: int
    heading: str
    anchor: str
    body: str
    own: float


class MatchedPage(Protocol):
    """A page that matches, with its best sections; the first one of all is there in any case."""

    sections: Sequence[SectionRow]
    first_sections: Sequence[SectionRow]


def matching(cx: Context, scope: str, places: Places) -> dict[str, Any]:
    """Return what the engine looks for, in the space `s…` or the organization `o…`."""
    most = min(MOST, MOST_IN_SPACE) if scope.startswith("s") else MOST
    whole = [comparable(" ".join(words)) for words in search_queries.titles(places)]
    engine = full_text_engines.named(full_text_engines.name(cx))
    bounds = {"ranked": most, "titles_ranked": MOST}
    return {"whole_titles": whole, **bounds, **engine.asked(scope, places)}


def tier(score: ColumnElement[float]) -> ColumnElement[int]:
    """Return where a score stands: 0 for just the title, 1 for all of the words in it, 2 for the rest."""
    return case((score <= WHOLE, 0), (score <= IN_TITLE, 1), else_=2)


def key_of(section_id: Any, inclusion_id: Any) -> ColumnElement[str]:
    """Return a section on a page, as text: the same one of a reusable content is on several."""
    return cast(section_id, String) + "." + cast(func.coalesce(inclusion_id, 0), String)


def is_now(found: CTE) -> ColumnElement[bool]:
    """Return whether a page is that of a row that was found, as it is now."""
    return and_(
        PAGE_VERSIONS.c.line_id == found.c.space_id,
        PAGE_VERSIONS.c.page_id == found.c.page_id,
        PAGE_VERSIONS.c.valid_to.is_(None),
    )


class SearchQueryParts:
    """The parts of a search with one full text: matching sections, and the pages they are of.

    Only sections are looked at whose space meets `in_spaces`, and which meet `where`: others neither count
    nor take the place of any.
    """

    def __init__(
        self, name: str, in_spaces: SpaceCondition, where: ColumnElement[bool] | None = None
    ) -> None:
        self._engine = engine = full_text_engines.named(name)
        self.sections = _sections(engine, in_spaces, where).cte("sections").prefix_with("MATERIALIZED")
        whole = _whole_titles(in_spaces).cte("whole_titles").prefix_with("MATERIALIZED")
        titles = _titles(engine, in_spaces).cte("titles").prefix_with("MATERIALIZED")
        self.pages = _pages(engine, [whole, titles], self.sections).cte("pages")
        lacks_titles = (_is_full(found, _TITLES_RANKED) for found in (titles, whole))
        self.is_partial = or_(_is_full(self.sections, _RANKED), *lacks_titles)

    def ranked_pages(self) -> Select[Any]:
        """Select matching pages by their ids, with their scores: the index has only pages that exist."""
        return select(self.pages.c.page_id, self.pages.c.space_id, self.pages.c.score)

    def count(self) -> ColumnElement[int]:
        """Return how many pages match."""
        return select(func.count()).select_from(self.pages).scalar_subquery()

    def completed(self, found: CTE) -> Select[Any]:
        """Select some of the `ranked_pages` with what is shown of them. Their best sections are looked up
        among those of these pages: not among all that match."""
        its = and_(self.sections.c.page_id == found.c.page_id, self.sections.c.space_id == found.c.space_id)
        few = select(*self.sections.c).join(found, its).cte("sections_of_found").prefix_with("MATERIALIZED")
        columns = (
            PAGE_VERSIONS.c.page_id,
            PAGE_VERSIONS.c.title,
            PAGE_VERSIONS.c.path,
            PAGE_VERSIONS.c.description,
            found.c.score,
            found.c.space_id,
        )
        shown = _best_sections(self._engine, found, few), _first_section(found)
        return select(*columns, *shown).select_from(found).join(PAGE_VERSIONS, is_now(found))


def _sections(engine: FullText, in_spaces: SpaceCondition, where: ColumnElement[bool] | None) -> Select[Any]:
    """Select sections that match, each on every page that shows it."""
    is_reusable = SEARCH_SECTIONS.c.kind == REUSABLE
    shown = and_(
        is_reusable,
        SEARCH_INCLUSIONS.c.space_id == SEARCH_SECTIONS.c.space_id,
        SEARCH_INCLUSIONS.c.reusable_id == SEARCH_SECTIONS.c.page_id,
    )
    shown_on = case((is_reusable, SEARCH_INCLUSIONS.c.page_id), else_=SEARCH_SECTIONS.c.page_id)
    page_id = cast(shown_on, String)  # SQLite makes no index of a result of CASE
    found = engine.sections()
    select_ = (
        select(
            SEARCH_SECTIONS.c.id,
            SEARCH_SECTIONS.c.space_id,
            page_id.label("page_id"),
            SEARCH_INCLUSIONS.c.id.label("inclusion_id"),
            SEARCH_INCLUSIONS.c.condition.label("include_condition"),
            found.score.label("score"),
            *found.beside,
        )
        .select_from(found.source.outerjoin(SEARCH_INCLUSIONS, shown))
        .where(found.matches, or_(not_(is_reusable), SEARCH_INCLUSIONS.c.id.is_not(None)))
        .where(in_spaces(found.space_id))
    )
    return (select_ if where is None else select_.where(where)).limit(_RANKED + 1)


def _whole_titles(in_spaces: SpaceCondition) -> Select[Any]:
    """Select the pages whose title is just what is asked for."""
    found = select(TITLES.c.space_id, TITLES.c.page_id, literal(WHOLE, Double()).label("title_score"))
    whole = in_spaces(TITLES.c.space_id), among(TITLES.c.title, "whole_titles")
    return found.where(*whole).limit(_TITLES_RANKED + 1)


def _titles(engine: FullText, in_spaces: SpaceCondition) -> Select[Any]:
    """Select the pages with all of the words in their title."""
    found = engine.titles()
    score = IN_TITLE - 1.0 / (2.0 + cast(func.length(TITLES.c.title), Double()))
    return (
        select(TITLES.c.space_id, TITLES.c.page_id, score.label("title_score"))
        .select_from(found.source)
        .where(found.matches, in_spaces(found.space_id))
        .limit(_TITLES_RANKED + 1)
    )


def _pages(engine: FullText, titles: list[CTE], sections: CTE) -> Select[Any]:
    """Select pages with their scores: the lower, the better."""
    nothing: ColumnElement[float] = literal(0.0, Double())
    every = union_all(
        *(select(t.c.space_id, t.c.page_id, t.c.title_score, nothing.label("score")) for t in titles),
        select(sections.c.space_id, sections.c.page_id, nothing.label("title_score"), sections.c.score),
    ).subquery("every")
    by_title = func.min(every.c.title_score)
    by_sections = engine.between(func.min(every.c.score))
    score = by_title + by_sections * case((by_title < 0, _BESIDE_TITLE), else_=1.0)
    columns = every.c.space_id, every.c.page_id
    return select(*columns, engine.cut(score, _DIGITS).label("score")).group_by(*columns)


def _is_full(found: CTE, most: ColumnElement[int]) -> ColumnElement[bool]:
    return select(func.count() > most).select_from(found).scalar_subquery()


_SHOWN = SEARCH_SECTIONS.c.id, SEARCH_SECTIONS.c.heading, SEARCH_SECTIONS.c.anchor


def _best_sections(engine: FullText, pages: CTE, sections: CTE) -> Label[Any]:
    """Return the best sections of a page."""
    own = func.min(engine.own(sections))
    best = (
        select(*_SHOWN, _text_of_section().label("body"), own.label("own"))
        .join(sections, sections.c.id == SEARCH_SECTIONS.c.id)
        .where(sections.c.space_id == pages.c.space_id, sections.c.page_id == pages.c.page_id)
        .group_by(SEARCH_SECTIONS.c.id)  # what a page shows on several conditions is there several times
        .order_by(own, SEARCH_SECTIONS.c.kind == REUSABLE, SEARCH_SECTIONS.c.position, SEARCH_SECTIONS.c.id)
        .limit(SECTIONS)
        .correlate(pages)
    )
    return nested(best, "sections")


def _first_section(pages: CTE) -> Label[Any]:
    """Return the first section of a page, in case that none of those that match is known."""
    first = (
        select(*_SHOWN, _text_of_section().label("body"), literal(0.0, Double()).label("own"))
        .where(
            SEARCH_SECTIONS.c.space_id == pages.c.space_id,
            SEARCH_SECTIONS.c.page_id == pages.c.page_id,
            SEARCH_SECTIONS.c.kind == TEXT,
            SEARCH_SECTIONS.c.condition.is_(None),
        )
        .order_by(SEARCH_SECTIONS.c.position)
        .limit(1)
        .correlate(pages)
    )
    return nested(first, "first_sections")


_following = SEARCH_SECTIONS.alias("following_section")


def _text_of_section() -> ColumnElement[str]:
    """Return the text of a section; where it is a heading alone, the next text that everybody is shown."""
    following = (
        select(_following.c.body)
        .where(
            _following.c.space_id == SEARCH_SECTIONS.c.space_id,
            _following.c.page_id == SEARCH_SECTIONS.c.page_id,
            _following.c.position > SEARCH_SECTIONS.c.position,
            _following.c.kind == TEXT,
            _following.c.condition.is_(None),
            _following.c.body != "",
        )
        .order_by(_following.c.position)
        .limit(1)
        .correlate(SEARCH_SECTIONS)
        .scalar_subquery()
    )
    is_alone = and_(SEARCH_SECTIONS.c.body == "", SEARCH_SECTIONS.c.kind == TEXT)
    return case((is_alone, func.coalesce(following, "")), else_=SEARCH_SECTIONS.c.body)


def best(row: MatchedPage) -> Sequence[SectionRow]:
    """Return those of a page's best sections that match themselves; the first where only the title does."""
    return [section for section in row.sections if section.own < 0] or (row.sections or row.first_sections)[
        :1
    ]

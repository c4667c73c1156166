"""Searches: the pages of a space, or of all spaces of an organization that the caller sees.

A page is as good as its best section: a page's title counts most, then a section's heading, then its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    not_,
    or_,
    select,
    text,
)

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in, seeing, visible
from app.domain.content.content import PAGE_VERSIONS
from app.domain.content.views import SPACES
from app.domain.search.search_index import REUSABLE, SEARCH_INCLUSIONS, SEARCH_SECTIONS
from app.formats.text import search_text
from app.kit import deadlines, workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import engines, given
from app.models.searches import SearchQuery
from app.models.spaces import Space

SECTIONS = 5  # shown of one page
PAGES = 10  # shown of one space in an organization's search


class SectionRow(Protocol):
    """A section that matches."""

    id: int
    heading: str
    anchor: str


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


# Where a search looks on PostgreSQL, by the parameter that says so; SQLite's index has its own scope.
_WITHIN = {
    "inside": "space_id = :inside",
    "organization": "space_id IN (SELECT id FROM space WHERE organization_id = :organization)",
}


def _matches(dialect: str, scope: str) -> CTE:
    """Return the sections that match, each with its score: the lower the better.

    Scores are keys of pages, so they are cut to digits that survive being written down and read again.
    SQLite's weights are far apart, so that no number of mentions in a text outdoes a title. A description
    counts more than the text, and less than a heading.
    """
    if dialect == "sqlite":
        found = text(
            "SELECT rowid AS id, round(bm25(search_index, 0.0, 1e6, 1e3, 30.0, 1.0), 12) AS score"
            " FROM search_index WHERE search_index MATCH :match"
        ).bindparams(given("match"))
    else:
        found = text(
            "SELECT id, CAST(round(CAST(-ts_rank(terms, to_tsquery('simple', :match)) AS numeric), 9)"
            " AS double precision) AS score"
            f" FROM search_section WHERE terms @@ to_tsquery('simple', :match) AND {_WITHIN[scope]}"
        ).bindparams(given("match"), given(scope))
    return found.columns(id=Integer(), score=Double()).cte("matches").prefix_with("MATERIALIZED")


def key_of(section_id: Any, inclusion_id: Any) -> ColumnElement[str]:
    """Return a section on a page, as text: the same one of a reusable content is on several."""
    return cast(section_id, String) + "." + cast(func.coalesce(inclusion_id, 0), String)


class SearchQueryParts:
    """The parts of a search on one engine: matching sections, and the pages they are of."""

    def __init__(self, dialect: str, scope: str, where: ColumnElement[bool] | None = None) -> None:
        matches = _matches(dialect, scope)
        is_reusable = SEARCH_SECTIONS.c.kind == REUSABLE
        shown = and_(
            is_reusable,
            SEARCH_INCLUSIONS.c.space_id == SEARCH_SECTIONS.c.space_id,
            SEARCH_INCLUSIONS.c.reusable_id == SEARCH_SECTIONS.c.page_id,
        )
        sections = (
            select(
                SEARCH_SECTIONS.c.id,
                SEARCH_SECTIONS.c.space_id,
                case((is_reusable, SEARCH_INCLUSIONS.c.page_id), else_=SEARCH_SECTIONS.c.page_id).label(
                    "page_id"
                ),
                matches.c.score,
                SEARCH_INCLUSIONS.c.id.label("inclusion_id"),
                SEARCH_INCLUSIONS.c.condition.label("include_condition"),
            )
            .join(matches, matches.c.id == SEARCH_SECTIONS.c.id)
            .outerjoin(SEARCH_INCLUSIONS, shown)
            .where(or_(not_(is_reusable), SEARCH_INCLUSIONS.c.id.is_not(None)))
        )
        self.sections = (sections if where is None else sections.where(where)).cte("sections")
        self.sections = self.sections.prefix_with("MATERIALIZED")
        self.pages = (
            select(
                self.sections.c.space_id,
                self.sections.c.page_id,
                func.min(self.sections.c.score).label("score"),
            )
            .group_by(self.sections.c.space_id, self.sections.c.page_id)
            .cte("pages")
        )

    def page_rows(self) -> Select[Any]:
        """Select matching pages that exist now, with their best sections."""
        page = and_(
            PAGE_VERSIONS.c.line_id == self.pages.c.space_id,
            PAGE_VERSIONS.c.page_id == self.pages.c.page_id,
            PAGE_VERSIONS.c.valid_to.is_(None),
        )
        columns = (
            PAGE_VERSIONS.c.page_id,
            PAGE_VERSIONS.c.title,
            PAGE_VERSIONS.c.path,
            PAGE_VERSIONS.c.description,
            self.pages.c.score,
        )
        return select(*columns, self._best_sections()).select_from(self.pages).join(PAGE_VERSIONS, page)

    def _best_sections(self) -> Label[Any]:
        best = (
            select(
                SEARCH_SECTIONS.c.id,
                SEARCH_SECTIONS.c.heading,
                SEARCH_SECTIONS.c.anchor,
                SEARCH_SECTIONS.c.body,
            )
            .join(self.sections, self.sections.c.id == SEARCH_SECTIONS.c.id)
            .where(
                self.sections.c.space_id == self.pages.c.space_id,
                self.sections.c.page_id == self.pages.c.page_id,
            )
            .group_by(SEARCH_SECTIONS.c.id)  # what a page shows on several conditions is there several times
            .order_by(
                func.min(self.sections.c.score),
                SEARCH_SECTIONS.c.kind == REUSABLE,
                SEARCH_SECTIONS.c.position,
                SEARCH_SECTIONS.c.id,
            )
            .limit(SECTIONS)
            .correlate(self.pages)
        )
        return nested(best, "sections")


def _space_listing(dialect: str) -> Listing[Any]:
    search = SearchQueryParts(dialect, "inside", SEARCH_SECTIONS.c.space_id == given("inside"))
    order = [search.pages.c.score, search.pages.c.page_id]
    return Listing("space-search", Space, search.page_rows, lambda: order, inside=Space, searches=True)


def _organization_listing(dialect: str) -> Listing[Any]:
    search = SearchQueryParts(dialect, "organization")
    spaces = (
        select(search.pages.c.space_id, func.min(search.pages.c.score).label("best"))
        .group_by(search.pages.c.space_id)
        .cte("spaces")
    )

    def rows() -> Select[Any]:
        pages = (
            search.page_rows()
            .where(search.pages.c.space_id == spaces.c.space_id)
            .order_by(search.pages.c.score, search.pages.c.page_id)
            .limit(PAGES)
            .correlate(spaces)
        )
        return (
            select(*SPACES.c, nested(pages, "pages"))
            .select_from(spaces)
            .join(SPACES, SPACES.c.id == spaces.c.space_id)
            .where(
                SPACES.c.organization_id == given("organization"),
                SPACES.c.deleted_at.is_(None),
                visible(Space),
            )
        )

    return Listing("organization-search", Space, rows, lambda: [spaces.c.best, SPACES.c.id], searches=True)


_IN_SPACE = engines(_space_listing)
_IN_ORGANIZATION = engines(_organization_listing)


async def in_space(cx: Context, space_id: str, query: SearchQuery) -> Page[PageHit]:
    """Search the pages of a space."""
    terms = search_text.terms(query.query)
    match = match_of(cx, f"s{space_id}", terms)
    listing = _IN_SPACE(cx.db.dialect)
    space, page = await fetch_page(cx, Space, space_id, listing, query.paging, match=match)
    shown = await excerpts([section for row in page.items for section in row.sections], terms)
    return page.map(lambda row: PageHit(space, row, row.sections, shown))


async def in_organization(cx: Context, organization_id: str, query: SearchQuery) -> Page[SpaceHit]:
    """Search the pages of all spaces of an organization that the caller sees."""
    permit_in(cx, organization_id)
    terms = search_text.terms(query.query)
    values = {
        "match": match_of(cx, f"o{organization_id}", terms),
        "organization": organization_id,
    }
    listing, sight = _IN_ORGANIZATION(cx.db.dialect), seeing(cx, organization_id)
    page = await listing.page(cx.db, query.paging, cx.tokens, sight=sight, **values)
    pages = [row for space in page.items for row in space.pages]
    shown = await excerpts([section for row in pages for section in row.sections], terms)
    return page.map(
        lambda space: SpaceHit(space, [PageHit(space, row, row.sections, shown) for row in space.pages])
    )


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


def match_of(cx: Context, scope: str, terms: list[list[str]]) -> str:
    """Return what the engine looks for, in the space `s…` or the organization `o…`."""
    if cx.db.dialect == "postgresql":
        return search_text.tsquery(terms)
    name = "".join(c for c in scope if c.isalnum())
    return f'scope : "{name}" AND {{title heading description body}} : ({search_text.fts5(terms)})'

"""The one ranking of all searches: which sections match, how well, and the pages that they are of.

A page with just the title that is asked for comes first, then pages with all of the words in their title,
then all others; among these a title counts most, then a section's heading, its description, its text.
"""

from __future__ import annotations

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
from app.domain.content.content import PAGE_VERSIONS
from app.domain.search.search_index import REUSABLE, SEARCH_INCLUSIONS, SEARCH_SECTIONS, TEXT
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.sql import nested
from app.kit.database.statements import given

SECTIONS = 5  # shown of one page


class SectionRow(Protocol):
    """A section that matches; `own` tells how well, apart from its page's title: the lower, the better."""

    id: int
    heading: str
    anchor: str
    body: str
    own: float


# Where a search looks on PostgreSQL, by the parameter that says so; SQLite's index has its own scope.
_WITHIN = {
    "inside": "space_id = :inside",
    "organization": "space_id IN (SELECT id FROM space WHERE organization_id = :organization)",
}
# SQLite's weights are far apart, so that no number of mentions in a text outdoes a title. A description
# counts more than the text, and less than a heading. PostgreSQL's are of text, description, heading, title.
# Ranking a row costs more than finding it, so that each is ranked once: hence the inner MATERIALIZED.
_SQLITE = """
WITH ranked AS MATERIALIZED (
  SELECT rowid AS id, bm25(search_index, 0.0, 1e6, 1e3, 30.0, 1.0) AS rank,
    bm25(search_index, 0.0, 0.0, 1e3, 30.0, 1.0) AS own
  FROM search_index WHERE search_index MATCH :match)
SELECT id, rank - CASE
  WHEN id IN (SELECT rowid FROM search_index WHERE search_index MATCH :whole_titles) THEN 2e9
  WHEN id IN (SELECT rowid FROM search_index WHERE search_index MATCH :in_titles) THEN 1e9
  ELSE 0.0 END AS score, own
FROM ranked"""
_POSTGRESQL = """
SELECT id,
  CAST(round(CAST(-ts_rank(terms, asked.match) - CASE
    WHEN terms @@ asked.whole_titles THEN 2 WHEN terms @@ asked.in_titles THEN 1 ELSE 0 END
    AS numeric), 9) AS double precision) AS score,
  CASE WHEN terms @@ asked.apart THEN
    CAST(round(CAST(-1e-9 - ts_rank('{0.1, 0.2, 0.4, 0}', terms, asked.match) AS numeric), 9)
      AS double precision) ELSE 0.0 END AS own
FROM search_section, (SELECT to_tsquery('simple', :match) AS match,
  CAST(CAST(:whole_titles AS text) AS tsquery) AS whole_titles,
  to_tsquery('simple', :in_titles) AS in_titles, to_tsquery('simple', :apart) AS apart) AS asked
WHERE terms @@ to_tsquery('simple', :match) AND """


def matching(cx: Context, scope: str, places: Places) -> dict[str, Any]:
    """Return what the engine looks for, in the space `s…` or the organization `o…`."""
    whole = search_queries.titles(places)
    if cx.db.dialect == "postgresql":
        match = search_queries.tsquery(places)
        in_titles = search_queries.tsquery(places, only_titles=True)
        whole_titles = search_queries.tsquery_titles(whole)
        apart = search_queries.tsquery_anywhere(places)
        return {"match": match, "in_titles": in_titles, "whole_titles": whole_titles, "apart": apart}
    name = "".join(c for c in scope if c.isalnum())
    match, titles = search_queries.fts5(places), search_queries.fts5_titles(whole)
    within = f'scope : "{name}" AND '
    return {
        "match": f"{within}{{title heading description body}} : ({match})",
        "in_titles": f"{within}title : ({match})",
        "whole_titles": f"{within}title : ({titles})",
    }


def _matches(dialect: str, scope: str) -> CTE:
    """Return the sections that match, each with its score and what it has `own`: the lower the better.

    They are not cut yet on SQLite (see `_cut`), which would take as long as ranking them.
    """
    asked = [given(name) for name in ("match", "whole_titles", "in_titles")]
    if dialect == "sqlite":
        found = text(_SQLITE).bindparams(*asked)
    else:
        found = text(_POSTGRESQL + _WITHIN[scope]).bindparams(*asked, given("apart"), given(scope))
    columns = found.columns(id=Integer(), score=Double(), own=Double())
    matches = columns.cte("matches")
    return matches if dialect == "sqlite" else matches.prefix_with("MATERIALIZED")


def _cut(dialect: str, score: ColumnElement[float]) -> ColumnElement[float]:
    """Return a score cut to digits that survive being written down and read again, since scores are keys of
    pages: SQLite writes fifteen of a number in JSON."""
    if dialect != "sqlite":
        return score
    digits = case((score < -1e8, 4), (score < -1.0, 5), else_=12)
    return func.round(score, digits, type_=Double())


def tier(dialect: str, score: ColumnElement[float]) -> ColumnElement[int]:
    """Return where a score stands: 0 for just the title, 1 for all of the words in it, 2 for the rest."""
    step = 1e9 if dialect == "sqlite" else 1.0  # as the statements above say
    return case((score <= -2 * step, 0), (score <= -step, 1), else_=2)


def key_of(section_id: Any, inclusion_id: Any) -> ColumnElement[str]:
    """Return a section on a page, as text: the same one of a reusable content is on several."""
    return cast(section_id, String) + "." + cast(func.coalesce(inclusion_id, 0), String)


class SearchQueryParts:
    """The parts of a search on one engine: matching sections, and the pages they are of."""

    def __init__(self, dialect: str, scope: str, where: ColumnElement[bool] | None = None) -> None:
        self._dialect = dialect
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
                matches.c.own,
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
                _cut(dialect, func.min(self.sections.c.score)).label("score"),
            )
            .group_by(self.sections.c.space_id, self.sections.c.page_id)
            .cte("pages")
        )

    def page_rows(self) -> Select[Any]:
        """Select matching pages that exist now, with their best sections."""
        return self.bare_page_rows().add_columns(self._best_sections(self.pages, self.sections))

    def with_sections(self, found: CTE) -> Select[Any]:
        """Select some of the `bare_page_rows` with their best sections, which are looked up among those of
        these pages: not among all that match."""
        its = and_(self.sections.c.page_id == found.c.page_id, self.sections.c.space_id == found.c.space_id)
        few = select(*self.sections.c).join(found, its).cte("sections_of_found").prefix_with("MATERIALIZED")
        return select(*found.c, self._best_sections(found, few))

    def bare_page_rows(self) -> Select[Any]:
        """Select matching pages that exist now."""
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
        return select(*columns, self.pages.c.space_id).select_from(self.pages).join(PAGE_VERSIONS, page)

    def _best_sections(self, pages: CTE, sections: CTE) -> Label[Any]:
        best = (
            select(
                SEARCH_SECTIONS.c.id,
                SEARCH_SECTIONS.c.heading,
                SEARCH_SECTIONS.c.anchor,
                _text_of_section().label("body"),
                _cut(self._dialect, func.min(sections.c.own)).label("own"),
            )
            .join(sections, sections.c.id == SEARCH_SECTIONS.c.id)
            .where(sections.c.space_id == pages.c.space_id, sections.c.page_id == pages.c.page_id)
            .group_by(SEARCH_SECTIONS.c.id)  # what a page shows on several conditions is there several times
            .order_by(
                func.min(sections.c.own),
                SEARCH_SECTIONS.c.kind == REUSABLE,
                SEARCH_SECTIONS.c.position,
                SEARCH_SECTIONS.c.id,
            )
            .limit(SECTIONS)
            .correlate(pages)
        )
        return nested(best, "sections")


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


def best(found: list[Any]) -> list[Any]:
    """Return those of a page's best sections that match themselves; the first where only the title does."""
    return [section for section in found if section.own < 0] or found[:1]

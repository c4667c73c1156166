"""Full-text search on each engine: sources of rows, conditions and ranks, which `matching` puts together."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Double,
    FromClause,
    Numeric,
    TextClause,
    case,
    cast,
    column,
    func,
    literal_column,
    table,
    text,
)

from app.domain.search.search_index import SEARCH_SECTIONS
from app.domain.search.search_titles import TITLES, WORDS
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.statements import given

_INDEX = table("search_index", column("rowid"))
# In a SELECT, so that PostgreSQL reads what is asked for once, and not again for each row.
_MATCH = "(SELECT to_tsquery('simple', :match))"
_MIDDLE = 50.0  # the rank of SQLite that counts half


class FoundSections(NamedTuple):
    """Sections that match: the lower `score`, the better; `own` is apart from their page's title."""

    source: FromClause
    matches: ColumnElement[bool] | TextClause
    space_id: ColumnElement[str]
    score: ColumnElement[float]
    own: ColumnElement[float]


class FoundTitles(NamedTuple):
    """Titles that match."""

    source: FromClause
    matches: ColumnElement[bool] | TextClause
    space_id: ColumnElement[str]


def asked(dialect: str, scope: str, places: Places) -> dict[str, Any]:
    """Return the values of the parameters of `sections` and `titles`."""
    if dialect == "postgresql":
        return {
            "match": search_queries.tsquery(places),
            "apart": search_queries.tsquery_anywhere(places),
        }
    name = "".join(c for c in scope if c.isalnum())
    match, within = search_queries.fts5(places), f'scope : "{name}" AND '
    return {
        "match": f"{within}{{title heading description body}} : ({match})",
        "in_titles": f"{within}title : ({match})",
    }


def sections(dialect: str) -> FoundSections:
    """Return the sections that match, by the words of their page's title, their heading and their text."""
    return _sections_on_sqlite() if dialect == "sqlite" else _sections_on_postgresql()


def _sections_on_sqlite() -> FoundSections:
    # SQLite's weights are far apart, so that no number of mentions in a text outdoes a title. A description
    # counts more than the text, and less than a heading.
    ranked = "bm25(search_index, 0.0, {title}, 1e3, 30.0, 1.0)"
    return FoundSections(
        _INDEX.join(SEARCH_SECTIONS, SEARCH_SECTIONS.c.id == _INDEX.c.rowid),
        text("search_index MATCH :match").bindparams(given("match")),
        _unindexed(SEARCH_SECTIONS.c.space_id),
        literal_column(ranked.format(title="1e6"), Double()),
        literal_column(ranked.format(title="0.0"), Double()),
    )


def _sections_on_postgresql() -> FoundSections:
    terms = "search_section.terms"
    # The weights are of text, description, heading and title.
    own = _computed(f"ts_rank('{{0.1, 0.2, 0.4, 0}}', {terms}, {_MATCH})")
    is_own = text(f"{terms} @@ (SELECT to_tsquery('simple', :apart))").bindparams(given("apart"))
    return FoundSections(
        SEARCH_SECTIONS,
        _matches(f"{terms} @@ {_MATCH}"),
        _unindexed(SEARCH_SECTIONS.c.space_id),
        _computed(f"ts_rank({terms}, {_MATCH})") * -0.5,
        case((is_own, own * -1.0 - 1e-9), else_=0.0),
    )


def titles(dialect: str) -> FoundTitles:
    """Return the titles that have all of the words."""
    if dialect == "sqlite":
        return FoundTitles(
            WORDS.join(TITLES, TITLES.c.id == WORDS.c.rowid),
            text("search_index_titles MATCH :in_titles").bindparams(given("in_titles")),
            _unindexed(TITLES.c.space_id),
        )
    matches = _matches(f"to_tsvector('simple', search_title.title) @@ {_MATCH}")
    return FoundTitles(TITLES, matches, _unindexed(TITLES.c.space_id))


def _matches(condition: str) -> TextClause:
    return text(condition).bindparams(given("match"))


def _computed(rank: str) -> ColumnElement[float]:
    return cast(text(rank).bindparams(given("match")), Double())


def between(dialect: str, score: ColumnElement[float]) -> ColumnElement[float]:
    """Return the score of a section between -1 and 0."""
    return score / (_MIDDLE - score) if dialect == "sqlite" else score


def cut(dialect: str, score: ColumnElement[float], digits: int) -> ColumnElement[float]:
    """Return a score with so many digits behind the point."""
    if dialect == "sqlite":
        return func.round(score, digits, type_=Double())
    return cast(func.round(cast(score, Numeric), digits), Double())


def _unindexed(name: ColumnElement[str]) -> ColumnElement[str]:
    """Return a column that no engine looks rows up by: the words do, or all rows of a space would be read."""
    return name.concat("")

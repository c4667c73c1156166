"""Full text in SQLite: tables of words beside those of sections and titles."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Double, column, func, literal_column, table, text

from app.domain.search.full_text import FoundSections, FoundTitles
from app.domain.search.search_titles import TITLES, WORDS
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.statements import given
from app.kit.database.statements import table as table_of
from app.models.searches import SearchSection

_INDEX, SEARCH_SECTIONS = table("search_index", column("rowid")), table_of(SearchSection)
_MIDDLE = 50.0  # the rank that counts half
# Weights are far apart, so that no number of mentions in a text outdoes a title. A description counts more
# than the text, and less than a heading.
_RANKED = "bm25(search_index, 0.0, {title}, 1e3, 30.0, 1.0)"


class Fts5:
    """Looks words up in SQLite."""

    terms = ""

    def asked(self, scope: str, places: Places) -> dict[str, Any]:
        name = "".join(c for c in scope if c.isalnum())
        match, within = search_queries.fts5(places), f'scope : "{name}" AND '
        return {
            "match": f"{within}{{title heading description body}} : ({match})",
            "in_titles": f"{within}title : ({match})",
        }

    def sections(self) -> FoundSections:
        return FoundSections(
            _INDEX.join(SEARCH_SECTIONS, SEARCH_SECTIONS.c.id == _INDEX.c.rowid),
            text("search_index MATCH :match").bindparams(given("match")),
            # In a form that no index serves: the words look rows up, or all rows of a space would be read.
            SEARCH_SECTIONS.c.space_id.concat(""),
            literal_column(_RANKED.format(title="1e6"), Double()),
            # Ranks exist only while the words are looked up.
            [literal_column(_RANKED.format(title="0.0"), Double()).label("own")],
        )

    def own(self, found: CTE) -> ColumnElement[float]:
        own: ColumnElement[float] = found.c.own
        return own

    def titles(self) -> FoundTitles:
        return FoundTitles(
            WORDS.join(TITLES, TITLES.c.id == WORDS.c.rowid),
            text("search_index_titles MATCH :in_titles").bindparams(given("in_titles")),
            TITLES.c.space_id.concat(""),
        )

    def between(self, score: ColumnElement[float]) -> ColumnElement[float]:
        return score / (_MIDDLE - score)

    def cut(self, score: ColumnElement[float], digits: int) -> ColumnElement[float]:
        return func.round(score, digits, type_=Double())

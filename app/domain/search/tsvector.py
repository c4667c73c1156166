"""Full text in PostgreSQL: the words of a section in a column of it, with an index."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Double, TextClause, case, cast, text

from app.domain.search.full_text import FoundSections, FoundTitles
from app.domain.search.search_titles import TITLES
from app.formats.text import search_queries
from app.formats.text.search_queries import Places
from app.kit.database.statements import given, table
from app.models.searches import SearchSection

SEARCH_SECTIONS, _TERMS = table(SearchSection), "search_section.terms"
# In a SELECT, so that PostgreSQL reads what is asked for once, and not again for each row.
_MATCH = "(SELECT to_tsquery('simple', :match))"
# A word that nobody can ask for, so that no phrase leads from one text to the next.
_BETWEEN = "CAST('|\\:4' AS tsvector)"


class Tsvector:
    """Looks words up in PostgreSQL."""

    terms = (
        f"setweight(to_tsvector('simple', :folded_title), 'A') || {_BETWEEN}"
        f" || setweight(to_tsvector('simple', :folded_heading), 'B') || {_BETWEEN}"
        f" || setweight(to_tsvector('simple', :folded_description), 'C') || {_BETWEEN}"
        " || to_tsvector('simple', :folded_body)"
    )

    def asked(self, scope: str, places: Places) -> dict[str, Any]:
        return {
            "match": search_queries.tsquery(places),
            "apart": search_queries.tsquery_anywhere(places),
        }

    def sections(self) -> FoundSections:
        return FoundSections(
            SEARCH_SECTIONS,
            _matches(f"{_TERMS} @@ {_MATCH}"),
            # In a form that no index serves: the words look rows up, or all rows of a space would be read.
            SEARCH_SECTIONS.c.space_id.concat(""),
            _computed(f"ts_rank({_TERMS}, {_MATCH})") * -0.5,
        )

    def own(self, found: CTE) -> ColumnElement[float]:
        # The weights are of text, description, heading and title.
        own = _computed(f"ts_rank('{{0.1, 0.2, 0.4, 0}}', {_TERMS}, {_MATCH})")
        is_own = text(f"{_TERMS} @@ (SELECT to_tsquery('simple', :apart))").bindparams(given("apart"))
        return case((is_own, own * -1.0 - 1e-9), else_=0.0)

    def titles(self) -> FoundTitles:
        matches = _matches(f"to_tsvector('simple', search_title.title) @@ {_MATCH}")
        return FoundTitles(TITLES, matches, TITLES.c.space_id.concat(""))

    def between(self, score: ColumnElement[float]) -> ColumnElement[float]:
        return score

    def cut(self, score: ColumnElement[float], digits: int) -> ColumnElement[float]:
        return score  # written down in as many digits as it has


def _matches(condition: str) -> TextClause:
    return text(condition).bindparams(given("match"))


def _computed(rank: str) -> ColumnElement[float]:
    return cast(text(rank).bindparams(given("match")), Double())

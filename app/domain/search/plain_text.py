"""Search without full text, for engines with the protocol of PostgreSQL: the words of a section as one text.

The text has four lines (title, heading, description, body), its words with a space before and after each.
A search reads all sections of the spaces that it is about: what it costs grows with their size.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Double, Numeric, TextClause, case, cast, func, text

from app.domain.search.full_text import FoundSections, FoundTitles
from app.domain.search.search_titles import TITLES
from app.domain.search.vocabulary import FOLDED
from app.formats.text import search_queries
from app.formats.text.search_queries import Apart, Places
from app.kit.database.columns import Strings
from app.kit.database.statements import given, table
from app.models.searches import SearchSection

SEARCH_SECTIONS, _TERMS = table(SearchSection), "search_section.terms"
_TITLE, _HEADING, _DESCRIPTION, _BODY = (f"split_part({_TERMS}, chr(10), {n})" for n in range(1, 5))
_OWN = f"substr({_TERMS}, strpos({_TERMS}, chr(10)))"
# A phrase counts by the best place that it is in, and in the body by how often it is there.
_TIMES = f"CAST(length({_BODY}) - length(replace({_BODY}, part, '')) AS float)"
_IN_TITLE = f"WHEN strpos({_TITLE}, part) > 0 THEN 1.0"
_BELOW = (
    f"WHEN strpos({_HEADING}, part) > 0 THEN 0.4 WHEN strpos({_DESCRIPTION}, part) > 0 THEN 0.2"
    f" ELSE 0.1 * {_TIMES} / ({_TIMES} + length(part))"
)


class PlainText:
    """Looks words up by reading."""

    # Of a word with an underscore both engines with full text make two, so this one does too.
    terms = " || chr(10) || ".join(
        f"' ' || regexp_replace(CAST(:{name} AS text), '[ _]+', ' ', 'g') || ' '" for name in FOLDED
    )

    def asked(self, scope: str, places: Places) -> dict[str, Any]:
        single = [place[0] for place in places if len(place) == 1]
        plain = [words for words in single if isinstance(words, list)]
        several = [place for place in places if len(place) > 1 or isinstance(place[0], Apart)]
        return {
            "all_of": [f"%{search_queries.spaced(words)}%" for words in plain] if places else [""],
            "each_of": [search_queries.pattern(place) for place in several],
            "any_of": search_queries.pattern([each for place in places for each in place]),
            "parts": [search_queries.spaced(words) for words in search_queries.phrases(places)],
        }

    def sections(self) -> FoundSections:
        score = _ranked(f"{_IN_TITLE} {_BELOW}") * -0.5
        return FoundSections(SEARCH_SECTIONS, _matches(_TERMS), SEARCH_SECTIONS.c.space_id, score)

    def own(self, found: CTE) -> ColumnElement[float]:
        is_own = text(f"{_OWN} ~ :any_of").bindparams(given("any_of"))
        return case((is_own, _ranked(_BELOW) * -1.0 - 1e-9), else_=0.0)

    def titles(self) -> FoundTitles:
        return FoundTitles(TITLES, _matches("(' ' || search_title.title || ' ')"), TITLES.c.space_id)

    def between(self, score: ColumnElement[float]) -> ColumnElement[float]:
        return score

    def cut(self, score: ColumnElement[float], digits: int) -> ColumnElement[float]:
        return cast(func.round(cast(score, Numeric), digits), Double())


def _matches(words: str) -> TextClause:
    condition = f"{words} LIKE ALL (:all_of) AND {words} ~ ALL (:each_of)"
    return text(condition).bindparams(given("all_of", Strings), given("each_of", Strings))


def _ranked(weights: str) -> ColumnElement[float]:
    rank = f"(SELECT sum(CASE {weights} END) / count(*) FROM unnest(:parts) AS part)"
    return cast(text(rank).bindparams(given("parts", Strings)), Double())

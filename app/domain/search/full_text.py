"""The interface to the full text of an engine, which `matching` puts together to searches.

An engine indexes the words of sections and of titles, finds those with all of the words that are asked for,
and tells how well a section matches. There are three: SQLite's FTS5, PostgreSQL's tsvector, and plain text
for engines with the protocol of PostgreSQL that have no full text (see `full_text_engines`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from sqlalchemy import CTE, ColumnElement, FromClause, Label, TextClause

from app.formats.text.search_queries import Places


class FoundSections(NamedTuple):
    """Sections that match: the lower `score`, the better; `beside` is what `own` needs of them."""

    source: FromClause
    matches: ColumnElement[bool] | TextClause
    space_id: ColumnElement[str]
    score: ColumnElement[float]
    beside: Sequence[Label[Any]] = ()


class FoundTitles(NamedTuple):
    """Titles that match."""

    source: FromClause
    matches: ColumnElement[bool] | TextClause
    space_id: ColumnElement[str]


class FullText(Protocol):
    """Looks words up in one engine.

    `terms` is SQL for what the column `search_section.terms` has of the values `FOLDED`, empty where words
    are in a table of their own.
    """

    terms: str

    def asked(self, scope: str, places: Places) -> dict[str, Any]:
        """Return the values of the parameters of `sections` and `titles`, for the space `s…` or the
        organization `o…`; asking for nothing finds nothing.
        """

    def sections(self) -> FoundSections:
        """Return the sections that match, by the words of their page's title, their heading and their
        text."""

    def own(self, found: CTE) -> ColumnElement[float]:
        """Return how well a section that was found matches apart from its page's title, of the row beside it
        in `search_section`: below zero where any of the words is in it.
        """

    def titles(self) -> FoundTitles:
        """Return the titles that have all of the words."""

    def between(self, score: ColumnElement[float]) -> ColumnElement[float]:
        """Return the score of a section between -1 and 0."""

    def cut(self, score: ColumnElement[float], digits: int) -> ColumnElement[float]:
        """Return a score that is the same when it was written down and read again: with so many digits behind
        the point, where the engine writes no more.
        """

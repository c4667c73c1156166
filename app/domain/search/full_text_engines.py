"""The full texts that there are, by their names, and which of them searches here."""

from __future__ import annotations

from app.access.context import Context
from app.domain.search.fts5 import Fts5
from app.domain.search.full_text import FullText
from app.domain.search.plain_text import PlainText
from app.domain.search.tsvector import Tsvector

PLAIN = "plain"
_NAMED: dict[str, FullText] = {"sqlite": Fts5(), "postgresql": Tsvector(), PLAIN: PlainText()}


def name(cx: Context) -> str:
    """Return the name of the full text that searches here: that of the engine, or `plain`."""
    dialect = cx.db.dialect
    return PLAIN if dialect == "postgresql" and cx.settings.full_text == PLAIN else dialect


def named(name: str) -> FullText:
    """Return the full text of this name."""
    return _NAMED[name]

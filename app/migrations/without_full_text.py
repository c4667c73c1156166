"""Revisions on an engine without full text (see the setting `full_text`), which never change once released.

Three of their statements make what such an engine lacks. Those that index sections anew find none there: a
database without full text begins with all of these revisions.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, event

NOTHING = "SELECT 1"
_ADD = "ALTER TABLE search_section ADD COLUMN terms"
INSTEAD = {
    f"{_ADD} tsvector": f"{_ADD} text",
    "CREATE INDEX ix_search_section_terms ON search_section USING gin (terms)": NOTHING,
    "CREATE INDEX ix_search_title_words ON search_title USING gin (to_tsvector('simple', title))": NOTHING,
}


def follow(connection: Connection) -> None:
    """Run other statements instead of those that need full text."""
    event.listen(connection, "before_cursor_execute", _instead, retval=True)


def _instead(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    return INSTEAD.get(statement, statement), parameters

"""Rows of sections as one parameter of a statement of PostgreSQL, and the words by which it finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

_NUMBERS = ("id", "position")
# Words that nobody can ask for: between texts, so that no phrase leads across, and around a title.
_BETWEEN, _BEGIN, _END = (f"CAST('{word}' AS tsvector)" for word in ("|\\:4", "<\\:1", ">\\:1"))


def terms(row: str) -> str:
    """Return the words of a section as they are looked up; `row` precedes the names of its values."""
    return (
        f"setweight({_BEGIN} || to_tsvector('simple', {row}folded_title) || {_END}, 'A') || {_BETWEEN}"
        f" || setweight(to_tsvector('simple', {row}folded_heading), 'B') || {_BETWEEN}"
        f" || setweight(to_tsvector('simple', {row}folded_description), 'C') || {_BETWEEN}"
        f" || to_tsvector('simple', {row}folded_body)"
    )


def given_rows(*names: str) -> str:
    """Return the rows of the parameter `rows`, which is JSON, with these columns, as a table `given`."""
    columns = ", ".join(f"{name} {'integer' if name in _NUMBERS else 'text'}" for name in names)
    return f"json_to_recordset(CAST(CAST(:rows AS text) AS json)) AS given ({columns})"


def as_rows(found: Sequence[Mapping[str, Any]], *names: str) -> str:
    """Return rows with these columns as `given_rows` reads them."""
    return orjson.dumps([{name: row[name] for name in names} for row in found]).decode()

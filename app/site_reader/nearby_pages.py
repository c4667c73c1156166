"""Pages that somebody may have meant who came to an address where none is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.kit.deadlines import check

MOST = 5
LEAST = 0.3  # of what both have of all that either has
_BETWEEN = re.compile(r"[\W_]+")
_ENDING = re.compile(r"\.(?:html?|md|php|aspx?)\Z", re.IGNORECASE)


def words_of(parts: Sequence[str]) -> str:
    """Return what the last part of a path says, as words to search for."""
    last = _ENDING.sub("", parts[-1]) if parts else ""
    return " ".join(_BETWEEN.split(last)).strip()[:100]


def find(rows: Sequence[Any], parts: Sequence[str]) -> list[Any]:
    """Return the pages whose path or title is nearest to a path, the nearest first.

    Near is what has the same runs of three characters; the last part of a path says the most.
    """
    wanted = _runs(words_of(parts))
    if not wanted:
        return []
    above = _runs(" ".join(parts[:-1]))
    found = []
    for place, row in enumerate(rows):
        check()
        *folders, last = row.path.split("/")
        near = max(_alike(wanted, _runs(last)), _alike(wanted, _runs(row.title)))
        if near >= LEAST:
            found.append((-near - 0.2 * _alike(above, _runs(" ".join(folders))), place))
    return [rows[place] for _, place in sorted(found)[:MOST]]


def _runs(text: str) -> set[str]:
    words = _BETWEEN.split(text.lower())
    padded = (f" {word} " for word in words if word)
    return {word[at : at + 3] for word in padded for at in range(max(len(word) - 2, 1))}


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0

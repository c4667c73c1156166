"""Works out which reusable contents a page shows, also those inside others, and on which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.formats.passages import DEEPEST_CONDITION, NOBODY
from app.kit.deadlines import check

DEEPEST_INCLUDED = 5  # reusable contents inside each other that are shown, found and entered by links
MOST = 50  # that one page is found by


class Include(NamedTuple):
    """A text that includes a reusable content; `condition` as of `passages.shown_if`."""

    target_id: str
    condition: str


def included(page_id: str, includes: Mapping[str, Sequence[Include]]) -> list[Include]:
    """Return the reusable contents that a page shows, the nearest first, given what each text includes.

    One that is shown on several conditions is there several times, unless it is also shown always.
    """
    found: dict[str, set[str]] = {}
    room, level = MOST, [Include(page_id, "")]
    for _ in range(DEEPEST_INCLUDED):
        following = []
        for holder_id, above in level:
            for target_id, own in includes.get(holder_id, ()):
                check()
                condition, known = _both(above, own), found.setdefault(target_id, set())
                if condition is None or "" in known or condition in known:
                    continue
                if not room:
                    return _listed(found)
                if not condition:
                    room += len(known)
                    known.clear()
                known.add(condition)
                room -= 1
                following.append(Include(target_id, condition))
        level = following
    return _listed(found)


def _both(above: str, own: str) -> str | None:
    """Both conditions in one; None where nobody meets them, or they are too many."""
    lines = [*filter(None, (above, own))]
    if own == NOBODY or sum(line.count("\n") + 1 for line in lines) > DEEPEST_CONDITION:
        return None
    return "\n".join(lines)


def _listed(found: Mapping[str, set[str]]) -> list[Include]:
    return [Include(key, condition) for key, conditions in found.items() for condition in sorted(conditions)]

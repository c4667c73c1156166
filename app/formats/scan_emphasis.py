"""Which `*`, `_` and `~~` are emphasis and which are plain characters: CommonMark's pairing of runs."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(slots=True)
class Run:
    """A run of one emphasis mark that may open or close."""

    mark: str
    length: int
    opens: bool
    closes: bool
    piece: int
    """Which of the pieces of text it is."""
    left: int
    """How many of its marks are not paired yet."""
    order: int = 0


def run_at(source: str, start: int, end: int, piece: int) -> Run | None:
    """The run from `start` to `end`; None when its surroundings or its length keep it plain."""
    mark = source[start]
    if mark == "~" and end - start != 2:
        return None
    before = source[start - 1] if start else " "
    after = source[end] if end < len(source) else " "
    if before.isalnum() and after.isalnum():
        return None if mark == "_" else Run(mark, end - start, True, True, piece, end - start)
    before_space, after_space = before.isspace(), after.isspace()
    before_sign, after_sign = _is_sign(before), _is_sign(after)
    opens = not after_space and (not after_sign or before_space or before_sign)
    closes = not before_space and (not before_sign or after_space or after_sign)
    if mark == "_":
        opens, closes = opens and (not closes or before_sign), closes and (not opens or after_sign)
    return Run(mark, end - start, opens, closes, piece, end - start) if opens or closes else None


def _is_sign(mark: str) -> bool:
    if mark.isalnum() or mark.isspace():
        return False
    return mark.isascii() or unicodedata.category(mark)[0] in "PS"


def pair(runs: list[Run], pieces: list[str]) -> None:
    """Pair the runs; the pieces of text that they are keep only the marks left over."""
    openers: list[Run] = []
    # Below this order no opener suits this kind of closer: what was searched in vain is not searched again.
    floors: dict[tuple[str, bool, int], int] = {}
    for order, run in enumerate(runs, 1):
        run.order = order
        while run.closes and run.left:
            found = _opener(openers, run, floors)
            if found < 0:
                break
            opener = openers[found]
            used = 2 if opener.left > 1 and run.left > 1 else 1
            opener.left -= used
            run.left -= used
            del openers[found + (opener.left > 0) :]
        if run.opens and run.left:
            openers.append(run)
    for run in runs:
        pieces[run.piece] = run.mark * run.left


def _opener(openers: list[Run], run: Run, floors: dict[tuple[str, bool, int], int]) -> int:
    kind = (run.mark, run.opens, run.length % 3)
    floor = floors.get(kind, 0)
    for found in range(len(openers) - 1, -1, -1):
        opener = openers[found]
        if opener.order < floor:
            break
        if opener.mark == run.mark and _suits(opener, run):
            return found
    floors[kind] = run.order
    return -1


def _suits(opener: Run, closer: Run) -> bool:
    if not opener.closes and not closer.opens:
        return True
    return (opener.length + closer.length) % 3 > 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)

"""Differences between two texts: as hunks to show, and as a unified diff for `patch` and `git apply`.

`changes` is the one line matcher under merges and diffs. For the usual text the answer is the shortest script
of changes, and where several are as short, git's: lines the other text lacks are set aside before the search,
and a block of changes that could stand in several places stands beside a change of the other text, else as
low as it can.

Cost: linear in the lines for numbering, trimming, setting aside and writing down. The search between is
quadratic in the lines that differ, but never takes more than `STEPS` (counted, not timed) and one walk over
the lines; cut short, it gives larger changes, still right ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import accumulate
from typing import Literal, NamedTuple

from app.formats.text.myers import STEPS, Box, Steps, matches

LineKind = Literal["context", "added", "removed"]

_SIGNS = {"context": " ", "added": "+", "removed": "-"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class HunkLine(NamedTuple):
    """A line with its ending; without one it is the last of its text."""

    kind: LineKind
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changes with the lines around them.

    `old_start` and `new_start` are the number of the first line, from 1; where the count is 0, of the line
    before (0 at the beginning of the text), as unified diffs have it.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[HunkLine, ...]


def hunks(before: str, after: str, context: int = 3) -> list[Hunk]:
    """Return what turns `before` into `after`, with `context` (0 or more) unchanged lines around;
    [] if equal.

    Changes with at most twice `context` lines between them share a hunk. Cost: linear in the lines, plus
    `matching.STEPS`; the result is at most as long as both texts together.
    """
    if before == after:
        return []
    old, new = lines(before), lines(after)
    return [_hunk(old, new, group, context) for group in _groups(changes(old, new), context)]


def unified(before: str, after: str, old_name: str, new_name: str, context: int = 3) -> str:
    """Return a unified diff under the names of both files (`/dev/null` for none);
    "" when the texts are equal.

    Names with quotes, backslashes or control characters are quoted as git quotes them.
    """
    return unified_of(hunks(before, after, context), old_name, new_name)


def unified_of(found: Sequence[Hunk], old_name: str, new_name: str) -> str:
    """Return a unified diff of hunks; see `unified`."""
    parts = [part for hunk in found for part in _written(hunk)]
    return "".join([f"--- {_name(old_name)}\n", f"+++ {_name(new_name)}\n", *parts]) if parts else ""


def _groups(found: list[LineChange], context: int) -> Iterator[list[LineChange]]:
    """Yield the changes by hunk."""
    group: list[LineChange] = []
    for change in found:
        if group and change.before - group[-1].before_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: list[str], new: list[str], group: list[LineChange], context: int) -> Hunk:
    lead = min(context, group[0].before)
    old_start, new_start = group[0].before - lead, group[0].after - lead
    shown: list[HunkLine] = []
    at = old_start
    for change in group:
        shown += [HunkLine("context", line) for line in old[at : change.before]]
        shown += [HunkLine("removed", line) for line in old[change.before : change.before_end]]
        shown += [HunkLine("added", line) for line in new[change.after : change.after_end]]
        at = change.before_end
    trail = old[at : at + context]
    shown += [HunkLine("context", line) for line in trail]
    old_count, new_count = at + len(trail) - old_start, group[-1].after_end + len(trail) - new_start
    return Hunk(old_start + (old_count > 0), old_count, new_start + (new_count > 0), new_count, tuple(shown))


def _written(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{_range(hunk.old_start, hunk.old_count)} +{_range(hunk.new_start, hunk.new_count)} @@\n"
    for kind, text in hunk.lines:
        yield _SIGNS[kind] + text
        if not text.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _range(start: int, count: int) -> str:
    return f"{start}" if count == 1 else f"{start},{count}"


def _name(name: str) -> str:
    quoted = "".join(map(_escaped, name))
    if quoted != name:
        return f'"{quoted}"'
    # Without a tab behind it, a name with a space ends at the space.
    return f"{name}\t" if " " in name else name


def _escaped(mark: str) -> str:
    return _ESCAPES.get(mark) or (f"\\{ord(mark):03o}" if mark < " " or mark == "\x7f" else mark)


__all__ = ["STEPS", "LineChange", "Steps", "changes", "lines"]

_REACH = 100
_MOST_COMMON = 1024

_Blocks = list[tuple[int, int]]
"""The changed lines of one text in order: the unchanged ones before a block, and its own, both counted."""


class LineChange(NamedTuple):
    """Lines [before, before_end) of one text stand as [after, after_end) in the other; from 0."""

    before: int
    before_end: int
    after: int
    after_end: int


def lines(text: str) -> list[str]:
    """Return the lines of a text with their endings. Only a line feed ends a line;
    the last one may lack it.
    """
    return StringIO(text, newline="\n").readlines()


def changes(before: Sequence[str], after: Sequence[str], steps: Steps | None = None) -> list[LineChange]:
    """Return what turns the lines `before` into `after`, in order;
    between two changes at least one line stays.
    """
    old, new = _numbered(before, after)
    box = Box(0, len(old), 0, len(new)).trimmed(old, new)
    if box.empty():
        return [LineChange(*box)] if box.top < box.bottom or box.left < box.right else []
    steps = steps or Steps()
    removed, added = _compared(old, new, box, steps)
    removed = _settled(old, removed, {place for place, _ in added}, steps)
    added = _settled(new, added, {place for place, _ in removed}, steps)
    return list(_joined(removed, added))


def _numbered(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    # Equal lines get equal numbers, so that long lines with a long common beginning are compared just once.
    numbers: dict[str, int] = {}
    number = numbers.setdefault
    return [number(line, len(numbers)) for line in before], [number(line, len(numbers)) for line in after]


def _compared(old: list[int], new: list[int], box: Box, steps: Steps) -> tuple[_Blocks, _Blocks]:
    """Return the changed lines of both texts; outside the box nothing is changed."""
    rows = _telling(old, box.top, box.bottom, Counter(new))
    columns = _telling(new, box.left, box.right, Counter(old))
    gone, come = bytearray(len(old)), bytearray(len(new))
    gone[box.top : box.bottom] = b"\1" * (box.bottom - box.top)
    come[box.left : box.right] = b"\1" * (box.right - box.left)
    for row, column, count in matches([old[row] for row in rows], [new[column] for column in columns], steps):
        for step in range(count):
            gone[rows[row + step]] = come[columns[column + step]] = 0
    return _blocks(gone), _blocks(come)


def _telling(text: list[int], start: int, end: int, there: Counter[int]) -> list[int]:
    """Return the places of the lines worth a search: they occur in the other text, and not as mere noise.

    Noise is a common line (an empty one, say) between lines that the other text lacks, more than three times
    as many of these as of common ones: matching it would tie together what has nothing in common.
    """
    counts = [there[line] for line in text[start:end]]
    common = min(_MOST_COMMON, 1 << (len(text).bit_length() + 1) // 2)
    if max(counts) < common:
        return [place for place, count in enumerate(counts, start) if count]
    lacking = list(accumulate((not count for count in counts), initial=0))
    first = _nearby(counts, common)
    last = [len(counts) - place for place in reversed(_nearby(counts[::-1], common))]
    telling: list[int] = []
    for place, count in enumerate(counts):
        if count >= common:
            above = lacking[place] - lacking[first[place]]
            below = lacking[last[place]] - lacking[place]
            noise = last[place] - first[place] - above - below + 1
            count = not (above and below and above + below > 3 * noise)
        if count:
            telling.append(start + place)
    return telling


def _nearby(counts: list[int], common: int) -> list[int]:
    """Return for each line where its run of lines begins that the other text lacks or has too often."""
    starts: list[int] = []
    begun = 0
    for place, count in enumerate(counts):
        starts.append(max(begun, place - _REACH))
        if 0 < count < common:
            begun = place + 1
    return starts


def _blocks(marked: bytearray) -> _Blocks:
    """Return the blocks of the lines marked 1."""
    blocks: _Blocks = []
    size, start = 0, marked.find(1)
    while start >= 0:
        end = marked.find(0, start)
        end = len(marked) if end < 0 else end
        blocks.append((start - size, end - start))
        size += end - start
        start = marked.find(1, end)
    return blocks


def _settled(text: list[int], blocks: _Blocks, facing: set[int], steps: Steps) -> _Blocks:
    """Return the blocks where they stand best among equal lines; those that meet on the way become one.

    A block can move down over a line that equals its first one, up over one that equals its last one.
    `facing` has the places of the other text's blocks.
    """
    settled: _Blocks = []
    waiting = blocks[::-1]
    above = 0  # lines in the blocks settled
    while waiting:
        place, size = waiting.pop()
        grown = 0
        while grown != size:
            grown = size
            while steps.left > 0 and (start := place + above) and text[start - 1] == text[start + size - 1]:
                steps.take(1)
                place -= 1
                if settled and settled[-1][0] == place:
                    met = settled.pop()[1]
                    above, size = above - met, size + met
            best = place if place in facing else None
            while (
                steps.left > 0 and (end := place + above + size) < len(text) and text[end - size] == text[end]
            ):
                steps.take(1)
                place += 1
                if waiting and waiting[-1][0] == place:
                    size += waiting.pop()[1]
                best = place if place in facing else best
        place = place if best is None else best
        settled.append((place, size))
        above += size
    return settled


def _joined(removed: _Blocks, added: _Blocks) -> Iterator[LineChange]:
    """Yield the blocks of both texts as changes; two in the same place are one."""
    gone, come = dict(removed), dict(added)
    row = column = 0
    for place in sorted(gone.keys() | come.keys()):
        row_end, column_end = row + gone.get(place, 0), column + come.get(place, 0)
        yield LineChange(place + row, place + row_end, place + column, place + column_end)
        row, column = row_end, column_end

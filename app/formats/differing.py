"""How one text differs from another: as hunks to show, and as a unified diff for `patch` and `git apply`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from app.formats.matching import Change, changes, lines

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
    """What turns `before` into `after`, with `context` (0 or more) unchanged lines around; [] if equal.

    Changes with at most twice `context` lines between them share a hunk. Cost: linear in the lines, plus
    `matching.STEPS`; the result is at most as long as both texts together.
    """
    if before == after:
        return []
    old, new = lines(before), lines(after)
    return [_hunk(old, new, group, context) for group in _groups(changes(old, new), context)]


def unified(before: str, after: str, old_name: str, new_name: str, context: int = 3) -> str:
    """A unified diff under the names of both files (`/dev/null` for none); "" when the texts are equal.

    Names with quotes, backslashes or control characters are quoted as git quotes them.
    """
    return unified_of(hunks(before, after, context), old_name, new_name)


def unified_of(found: Sequence[Hunk], old_name: str, new_name: str) -> str:
    """The same for hunks that are known."""
    parts = [part for hunk in found for part in _written(hunk)]
    return "".join([f"--- {_name(old_name)}\n", f"+++ {_name(new_name)}\n", *parts]) if parts else ""


def _groups(found: list[Change], context: int) -> Iterator[list[Change]]:
    """The changes by hunk."""
    group: list[Change] = []
    for change in found:
        if group and change.before - group[-1].before_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: list[str], new: list[str], group: list[Change], context: int) -> Hunk:
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

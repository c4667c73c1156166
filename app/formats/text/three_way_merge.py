"""Three-way merging: what two sides made of one base, put together.

Changes that do not touch go in from both sides, equal ones once; the rest are conflicts, told as data. A
text is merged line by line as `git merge-file` does it, a value is one piece, a map is merged key by key. A
`favour` settles each conflict by that side, and only that: the other changes of both sides go in all the
same. Without one the base stands where the sides disagree; the caller sees by the conflicts that this is not
settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b
from heapq import merge
from typing import Generic, Literal, NamedTuple, TypeVar

from app.formats.text.diffs import LineChange, changes, lines

Side = Literal["ours", "theirs"]
"""The side whose change wins where both changed the same."""

Choice = Literal["ours", "theirs", "both"]
"""Names the side of a conflict in a text that is taken; of both sides theirs comes first."""


@dataclass(frozen=True, slots=True)
class Instead:
    """A text that somebody wrote in the place of what both sides have in a conflict."""

    text: str


MOST_LINES = 300_000
"""A text of more lines is merged as one piece, to bound memory: only one side may have changed it."""

Value = TypeVar("Value")


class Absent(Enum):
    """The value of a map under a key that it does not have (None is a value)."""

    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring lines of a text with their endings; `start` is the first one's number, from 1.

    A part without lines is the place before line `start`.
    """

    start: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """Return the number of the last line; `start - 1` when there is none."""
        return self.start + len(self.lines) - 1

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "".join(self.lines)


@dataclass(frozen=True, slots=True)
class TextConflict:
    """Lines of the base that both sides changed, differently, and what each side has in their place.

    `passage` names the conflict among those of its text. It depends on the lines alone: while these are the
    same the name is, and a conflict that has changed since has another.
    """

    base: Part
    ours: Part
    theirs: Part
    passage: str = field(default="", compare=False)


Origin = Literal["all", "ours", "theirs"]
"""Which texts some lines are of: all three, or that of one side."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged text, byte for byte made of lines of the three texts, and its conflicts in reading order.

    `origins` are the numbers of lines, from 1, from which on lines are of these texts.
    """

    text: str
    conflicts: tuple[TextConflict, ...] = ()
    origins: tuple[tuple[int, Origin], ...] = field(default=((1, "all"),), compare=False)


@dataclass(frozen=True, slots=True)
class ValueConflict(Generic[Value]):
    """A value that both sides changed, differently."""

    base: Value
    ours: Value
    theirs: Value


@dataclass(frozen=True, slots=True)
class MergedValue(Generic[Value]):
    """A merged value, and the conflict if there was one."""

    value: Value
    conflict: ValueConflict[Value] | None = None


@dataclass(frozen=True, slots=True)
class MergedMap(Generic[Value]):
    """A merged map in our order, their new keys last, and its conflicts by key."""

    values: dict[str, Value]
    conflicts: dict[str, ValueConflict[Value | Absent]]


def merge_text(
    base: str,
    ours: str,
    theirs: str,
    favour: Choice | None = None,
    meant: tuple[str, str, str] | None = None,
    won: Mapping[str, Choice | Instead] | None = None,
) -> Merged:
    """Return what both sides made of the base, line by line.

    Changes that touch (no unchanged line between them) are a conflict unless they come to the same. `meant`
    are the same three texts with what their lines mean: lines that mean the same are no change then. `won`
    says by passage what is taken of single conflicts; `favour` says it of the others.
    Cost: linear in the lines, plus `matching.STEPS` for each side.
    """
    whole = merge_value(base, ours, theirs)
    if whole.conflict is None:
        origin: Origin = "all" if _same(ours, theirs) else "ours" if _same(base, theirs) else "theirs"
        return Merged(whole.value, (), ((1, origin),))
    texts = [_pieces(text) for text in (base, ours, theirs)]
    meanings = [_pieces(text) for text in meant] if meant else texts
    if [len(each) for each in meanings] != [len(each) for each in texts]:
        meanings = texts
    merged: list[str] = []
    conflicts: list[TextConflict] = []
    alike: Counter[str] = Counter()
    origins: list[tuple[int, Origin]] = [(1, "all")]
    at = 0
    for region in _regions(changes(texts[0], texts[1]), changes(texts[0], texts[2])):
        parts = [_part(text, place) for text, place in zip(texts, region, strict=True)]
        base_lines, our_lines, their_lines = (part.lines for part in parts)
        settled = merge_value(base_lines, our_lines, their_lines)
        choice: Choice | Instead | None = None
        lines_there = settled.value
        if settled.conflict:
            said = [text[slice(*place)] for text, place in zip(meanings, region, strict=True)]
            undisputed = _undisputed(our_lines, their_lines, said)
            lines_there = base_lines if undisputed is None else undisputed
            if undisputed is None:
                met = TextConflict(parts[0], parts[1], parts[2], _passage(parts, alike))
                conflicts.append(met)
                choice = (won or {}).get(met.passage, favour)
                if isinstance(choice, Instead):
                    lines_there = tuple(_ended(lines(choice.text), texts[0][region.base[1] :]))
                elif choice:
                    lines_there = their_lines if choice == "theirs" else our_lines
        merged += texts[0][at : region.base[0]]
        if choice == "both":
            origins.append((len(merged) + 1, "theirs"))
            merged += _ended(their_lines, our_lines)
        origins.append((len(merged) + 1, _origin(lines_there, our_lines, their_lines)))
        merged += lines_there
        origins.append((len(merged) + 1, "all"))
        at = region.base[1]
    merged += texts[0][at:]
    return Merged("".join(merged), tuple(conflicts), tuple(origins))


def _undisputed(
    ours: tuple[str, ...], theirs: tuple[str, ...], said: list[list[str]]
) -> tuple[str, ...] | None:
    """Return the lines to take where a side says the same as the base or the other, None where none does."""
    if said[2] in said[:2]:
        return theirs if said[1] == said[2] else ours
    return theirs if said[0] == said[1] else None


def _ended(lines_there: Sequence[str], after: Sequence[str]) -> Sequence[str]:
    """Return lines of which the last one ends before those that come after it."""
    if not lines_there or not after or lines_there[-1].endswith("\n"):
        return lines_there
    return [*lines_there[:-1], lines_there[-1] + "\n"]


def _passage(parts: Sequence[Part], alike: Counter[str]) -> str:
    """Return the name of a conflict of these lines; equal ones in a text are numbered by `alike`."""
    digest = blake2b(digest_size=8)
    for part in parts:
        text = part.text.encode("utf-8", "surrogatepass")
        digest.update(b"%d " % len(text) + text)
    name = digest.hexdigest()
    alike[name] += 1
    return f"{name}-{alike[name]}" if alike[name] > 1 else name


def _origin(lines_there: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Origin:
    if lines_there == ours:
        return "all" if lines_there == theirs else "ours"
    return "theirs" if lines_there == theirs else "all"


def merge_value(base: Value, ours: Value, theirs: Value, favour: Side | None = None) -> MergedValue[Value]:
    """Return a value as one piece: what the sides agree on, else what one side alone changed,
    else a conflict.
    """
    if _same(ours, theirs) or _same(base, theirs):
        return MergedValue(ours)
    if _same(base, ours):
        return MergedValue(theirs)
    settled = base if favour is None else ours if favour == "ours" else theirs
    return MergedValue(settled, ValueConflict(base, ours, theirs))


def merge_map(
    base: Mapping[str, Value],
    ours: Mapping[str, Value],
    theirs: Mapping[str, Value],
    favour: Callable[[str], Side | None] = lambda _key: None,
) -> MergedMap[Value]:
    """Return a map key by key; a key removed by one side and changed by the other is a conflict too
    (`Absent`). `favour` says which side wins the conflict of a key.
    """
    values: dict[str, Value] = {}
    conflicts: dict[str, ValueConflict[Value | Absent]] = {}
    for key in {**ours, **theirs, **base}:
        held: list[Value | Absent] = [side.get(key, Absent.ABSENT) for side in (base, ours, theirs)]
        merged = merge_value(held[0], held[1], held[2], favour(key))
        if not isinstance(merged.value, Absent):
            values[key] = merged.value
        if merged.conflict:
            conflicts[key] = merged.conflict
    return MergedMap(values, conflicts)


def _same(one: object, other: object) -> bool:
    # To Python True equals 1; to a reader of a variable it does not.
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _part(text: list[str], place: tuple[int, int]) -> Part:
    start, end = place
    return Part(start + 1, tuple(text[start:end]))


def _pieces(text: str) -> list[str]:
    return lines(text) if text.count("\n") <= MOST_LINES else [text]


class _Region(NamedTuple):
    """Lines [start, end) of each text that correspond, and before and after which all three agree."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


def _regions(ours: Sequence[LineChange], theirs: Sequence[LineChange]) -> Iterator[_Region]:
    """Yield the changes of both sides by place in the base, those that touch put together."""
    start = end = -1
    shifts, ahead = [0, 0], [0, 0]
    for change, side in merge(((change, 0) for change in ours), ((change, 1) for change in theirs)):
        if change.before > end:
            if start >= 0:
                yield _region(start, end, shifts, ahead)
            start, shifts = change.before, ahead.copy()
        end = max(end, change.before_end)
        ahead[side] = change.after_end - change.before_end
    if start >= 0:
        yield _region(start, end, shifts, ahead)


def _region(start: int, end: int, shifts: list[int], ahead: list[int]) -> _Region:
    """Return lines of the base and where both sides have them: `shifts` at the start, `ahead` at the end."""
    ours, theirs = ((start + shift, end + past) for shift, past in zip(shifts, ahead, strict=True))
    return _Region((start, end), ours, theirs)

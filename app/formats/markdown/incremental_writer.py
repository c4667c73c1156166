"""A document back to the Markdown that it was read from: what did not change stays as it was written there.

Blocks are compared by their canonical Markdown (`writer`), which says all that counts of a block and nothing
of how it was written. A block that is the same keeps its lines to the byte; of one that changed, so do the
lines that did not; what stands between blocks (blank lines, comments, definitions of links) stays. What comes
out is read again: where it does not say what the document says, less is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import to_document, to_document_with_lines
from app.formats.markdown.writer import MARKERS, BlockWriter, to_markdown
from app.formats.text.diffs import changes
from app.kit.deadlines import check

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BULLET = re.compile(r"[ \t>]*(?:([-*+])|\d{1,9}([.)]))(?:[ \t]|$)")
_NOTE = re.compile(r"^[ \t>]*\[\^([^\]\n]+)\]:", re.MULTILINE)


# What is kept beside blocks that are the same: lines of changed blocks and how far these are apart; neither;
# nor blocks behind changed ones, which might be read with them (a list behind a list).
LINES, BLOCKS, APART = range(3)


def rewritten(document: Node, source: str) -> str:
    """Return the Markdown of a document that was read from a source and edited."""
    if not source.strip():
        return to_markdown(document)
    was, spans = to_document_with_lines(source)
    old = _Blocks.of(was)
    if _Blocks.of(document).says(old):
        return source
    plain = to_markdown(document)
    wanted = _Blocks.of(to_document(plain))
    if wanted.says(old):
        return source
    text = _SourceParts.of(source, spans)
    for care in (LINES, BLOCKS, APART):
        made = _composed(text, old, wanted, care)
        if _Blocks.of(to_document(made)).says(wanted):
            return made
    return plain


@dataclass(slots=True)
class _Blocks:
    """The outermost blocks of a document that say anything, with their canonical Markdown."""

    document: Node
    nodes: list[Node]
    texts: list[str]
    places: list[int]  # of these blocks among all of the document

    @classmethod
    def of(cls, document: Node) -> _Blocks:
        writer = BlockWriter(document)
        made = cls(document, [], [], [])
        for place, node in enumerate(document["nodes"]):
            writer.inlines.notes.clear()
            lines = writer.blocks([node])
            lines += writer.footnotes()
            if lines:
                made.nodes.append(node)
                made.texts.append("\n".join(lines))
                made.places.append(place)
        return made

    def says(self, other: _Blocks) -> bool:
        """Tell whether both say the same."""
        return (self.front, self.texts) == (other.front, other.texts)

    @property
    def front(self) -> str:
        """Return the front matter in the body."""
        return str(self.document.get("data", {}).get("frontMatter") or "")


@dataclass(slots=True)
class _Unit:
    """Lines of a source that are one or more blocks (`first` to `last`), and those up to the next unit."""

    place: int
    first: int
    last: int
    lines: list[str]
    gap: list[str]


@dataclass(slots=True)
class _SourceParts:
    """A source in its parts; `head` are the lines before the first unit."""

    head: list[str]
    units: list[_Unit]
    newline: str

    @classmethod
    def of(cls, source: str, spans: Sequence[range]) -> _SourceParts:
        lines = _LINE.findall(source)
        ranges: list[tuple[int, int, int, int]] = []
        for place, span in enumerate(spans):
            end = span.stop
            while end > span.start + 1 and not "".join(lines[end - 1 : end]).strip():
                end -= 1
            if ranges and span.start < ranges[-1][3]:
                first, _, start, before = ranges.pop()
                ranges.append((first, place, start, max(end, before)))
            else:
                ranges.append((place, place, span.start, end))
        starts = [*(start for _, _, start, _ in ranges[1:]), len(lines)][: len(ranges)]
        units = [
            _Unit(place, first, last, lines[start:end], lines[end:following])
            for place, ((first, last, start, end), following) in enumerate(zip(ranges, starts, strict=True))
        ]
        newline = "\r\n" if "\r\n" in source else "\n"
        return cls(lines[: ranges[0][2]] if ranges else [*lines, newline], units, newline)


@dataclass(slots=True)
class _NewBlocks:
    """New blocks, as the lines of a unit where that `is_kept`, else instead of those of a unit or of none.

    `gap` are the lines behind it; None: an empty one.
    """

    nodes: list[Node]
    unit: _Unit | None
    gap: list[str] | None
    is_kept: bool = False
    lines: list[str] = field(default_factory=list)

    def follows(self, before: _NewBlocks | None) -> bool:
        """Tell whether it comes directly after the same unit as in the source."""
        if self.unit is None or before is None:
            return self.unit is not None and self.unit.place == 0
        return before.is_kept and before.unit is not None and before.unit.place == self.unit.place - 1


def _composed(text: _SourceParts, old: _Blocks, new: _Blocks, care: int) -> str:
    """Return the new blocks in the source."""
    head, pieces = _laid_out(text, old, new)
    if care == APART:
        follows = [piece.follows(before) for before, piece in zip([None, *pieces], pieces, strict=False)]
        for piece, is_as_it_was in zip(pieces, follows, strict=True):
            piece.is_kept = piece.is_kept and is_as_it_was
    writer, before = BlockWriter(new.document), BlockWriter(old.document)
    for place, piece in enumerate(pieces):
        check()
        if piece.is_kept and piece.unit:
            piece.lines = piece.unit.lines
            continue
        unit = piece.unit if care == LINES else None
        around = [
            each.unit.lines for each in pieces[max(place - 1, 0) : place + 2] if each.is_kept and each.unit
        ]
        own = _bullet(unit.lines) if unit else ""
        writer.markers = before.markers = _markers(own, "".join(map(_bullet, around)))
        lines = writer.blocks(piece.nodes)
        if unit:
            was = before.blocks(old.document["nodes"][unit.first : unit.last + 1])
            lines = _in_the_style_of([line.rstrip("\r\n") for line in unit.lines], was, lines)
        piece.lines = [line + text.newline for line in lines]
    known = _NOTE.findall("".join(line for piece in pieces for line in [*piece.lines, *(piece.gap or ())]))
    notes = [line + text.newline for line in writer.footnotes(known)]
    if old.front != new.front:
        head = [f"---\n{new.front}---\n\n"] if new.front else []
    return "".join(_joined(head, pieces, notes, text, care))


def _laid_out(text: _SourceParts, old: _Blocks, new: _Blocks) -> tuple[list[str], list[_NewBlocks]]:
    """Return the lines before the first piece, and the pieces in their order."""
    numbers, said = dict(_same(old, new)), set(old.places)
    head, pieces = list(text.head), list[_NewBlocks]()
    pending: list[_Unit] = []
    at = 0

    def put(until: int) -> None:
        """Put new blocks in the places of the units that go."""
        for unit, node in zip_longest(pending, new.nodes[at:until]):
            if node is None:
                _leave_gap(head, pieces, unit)
            else:
                gap = unit.gap if unit else _divided(pieces, text.newline)
                pieces.append(_NewBlocks([node], unit, None if gap is None else [*gap]))
        pending.clear()

    for unit in text.units:
        check()
        found = [numbers.get(place) for place in range(unit.first, unit.last + 1) if place in said]
        start = found[0] if found else None
        if start is None or start < at or found != list(range(start, start + len(found))):
            pending.append(unit)
            continue
        put(start)
        at = start + len(found)
        pieces.append(_NewBlocks(new.nodes[start:at], unit, [*unit.gap], is_kept=True))
    put(len(new.nodes))
    return head, pieces


def _same(old: _Blocks, new: _Blocks) -> Iterator[tuple[int, int]]:
    """Yield the places in the old document of blocks that stay, with their numbers among the new ones."""
    at = put = 0
    for change in [*changes(old.texts, new.texts), None]:
        until = change.before if change else len(old.texts)
        yield from ((old.places[at + n], put + n) for n in range(until - at))
        if change:
            at, put = change.before_end, change.after_end


def _leave_gap(head: list[str], pieces: list[_NewBlocks], unit: _Unit) -> None:
    """Leave what stands behind a block that goes and says something."""
    if any(line.strip() for line in unit.gap):
        above = head
        if pieces:
            above = pieces[-1].gap = pieces[-1].gap or []
        while above and not above[-1].strip() and not unit.gap[0].strip():
            above.pop()
        above += unit.gap


def _divided(pieces: list[_NewBlocks], newline: str) -> list[str] | None:
    """Leave what stands behind the last piece and says something there; the rest is for the next one."""
    if not pieces or pieces[-1].gap is None:
        return None
    gap = pieces[-1].gap
    said = max((n for n, line in enumerate(gap, 1) if line.strip()), default=0)
    pieces[-1].gap = [*gap[:said], newline] if said else None
    return gap[said:]


def _in_the_style_of(source: list[str], before: list[str], after: list[str]) -> list[str]:
    """Return the lines after a change; unchanged lines stay as the source has them."""
    if len(source) != len(before):
        return after
    made: list[str] = []
    at = 0
    for change in changes(before, after):
        made += source[at : change.before] + after[change.after : change.after_end]
        at = change.before_end
    return made + source[at:]


def _bullet(lines: Sequence[str]) -> str:
    """Return the sign of the list that these lines are, if they are one."""
    found = _BULLET.match(lines[0]) if lines else None
    return (found[1] or found[2]) if found else ""


def _markers(own: str, around: str) -> dict[str, str]:
    """Return the signs for lists: first its own, last those of lists beside it."""
    return {
        kind: "".join(sorted(signs, key=lambda sign: (sign != own, sign in around)))
        for kind, signs in MARKERS.items()
    }


def _joined(
    head: list[str], pieces: Sequence[_NewBlocks], notes: list[str], text: _SourceParts, care: int
) -> Iterator[str]:
    """Yield the lines of all parts, with an end to every line that something follows."""
    parts: list[list[str]] = [head]
    for piece, following in zip_longest(pieces, pieces[1:]):
        gap = piece.gap or []
        if following is None and not notes:
            is_end = piece.unit is not None and piece.unit is text.units[-1]
            gap = gap if is_end or any(line.strip() for line in gap) else []
        elif piece.gap is None or not (care == LINES or _is_apart(piece, following)):
            gap = [text.newline, *gap]
        parts += [piece.lines, gap]
    parts.append(notes)
    lines = [line for part in parts for line in part]
    for line, following in zip_longest(lines, lines[1:]):
        yield line if following is None or line.endswith(("\r", "\n")) else line + text.newline


def _is_apart(piece: _NewBlocks, following: _NewBlocks | None) -> bool:
    """Return whether two pieces stand as in the source, or with an empty line between them."""
    is_as_it_was = piece.is_kept and following is not None and following.is_kept and following.follows(piece)
    return is_as_it_was or bool(piece.gap and not piece.gap[0].strip())

"""How CommonMark writes where a link goes: destinations, titles, labels and definitions."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_PARENTHESES = 32
LONGEST_LABEL = 999

_BRACED = re.compile(r"<((?:[^<>\\\n]++|\\[^\n]|\\(?=\n))*+)>")
_BARE = re.compile(r"[^\s()\\\x00-\x1f\x7f]++|\\[^\s\x00-\x1f\x7f]|\\|\(|\)")
_TITLE = re.compile(
    r'"(?:[^"\\]++|\\.)*+"' r"|'(?:[^'\\]++|\\.)*+'" r"|\((?:[^()\\]++|\\.)*+\)",
    re.DOTALL,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]++|\\.)*+)\]", re.DOTALL)
_GAP = re.compile(r"[ \t\n]*+")
_COLON = re.compile(r":[ \t]*+\n?+[ \t]*+")
_LINE_GAP = re.compile(r"[ \t]*+\n?+[ \t]*+")
_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")


class Definition(NamedTuple):
    """`[label]: href "title"`, with the offsets of the href in the page and of what follows."""

    label: str
    start: int
    end: int
    after: int


def definition(source: str, at: int, base: int) -> Definition | None:
    """The link definition at `at` of a paragraph that stands at `base` of the page; None when it is none."""
    label = label_at(source, at)
    if label is None or label[0].startswith("^"):
        return None
    colon = _COLON.match(source, label[1])
    if colon is None or (found := destination(source, colon.end())) is None:
        return None
    start, end, after = found
    if after == colon.end():
        return None
    line_end = _LINE_END.match(source, after)
    gap = _LINE_GAP.match(source, after)
    if gap and gap.end() > after and (title := _TITLE.match(source, gap.end())):
        line_end = _LINE_END.match(source, title.end()) or line_end
    if line_end is None:
        return None
    return Definition(label[0], base + start, base + end, base + line_end.end())


def label_at(source: str, at: int) -> tuple[str, int] | None:
    """The label in brackets at `at`, made comparable, and the offset after it; None when it is none."""
    found = _LABEL.match(source, at)
    if found is None or len(found[1]) > LONGEST_LABEL:
        return None
    label = comparable(found[1])
    return (label, found.end()) if label else None


def comparable(label: str) -> str:
    """A label as labels are compared: without regard to case and to how much space there is."""
    return " ".join(label.split()).casefold()


def link_tail(source: str, at: int) -> tuple[int, int, int] | None:
    """`(href "title")` at `at`: start and end of the href, and the offset after all; None when not so."""
    if not source.startswith("(", at):
        return None
    found = destination(source, _skip(source, at + 1))
    if found is None:
        return None
    start, end, after = found
    gap = _skip(source, after)
    if gap > after and (title := _TITLE.match(source, gap)):
        gap = _skip(source, title.end())
    return (start, end, gap + 1) if source.startswith(")", gap) else None


def destination(source: str, at: int) -> tuple[int, int, int] | None:
    """A destination at `at`, maybe empty: start, end and the offset after it; None when it is malformed."""
    if source.startswith("<", at):
        braced = _BRACED.match(source, at)
        return (*braced.span(1), braced.end()) if braced else None
    end, depth = at, 0
    while piece := _BARE.match(source, end):
        if piece[0] == "(":
            depth += 1
            if depth > MOST_PARENTHESES:
                return None
        elif piece[0] == ")":
            if depth == 0:
                break
            depth -= 1
        end = piece.end()
    return (at, end, end) if depth == 0 else None


def _skip(source: str, at: int) -> int:
    gap = _GAP.match(source, at)
    return gap.end() if gap else at

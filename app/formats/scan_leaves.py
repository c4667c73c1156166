"""The leaves of a page while they grow line by line: what is open, and what is handed on when it closes.

Every source handed on is as long as the span of the page it came from: marks of quotes are blanked, not cut.
So an offset in a source is an offset in the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.formats.scan_destinations import Definition, definition
from app.formats.scan_lines import indent

LeafKind = Literal["text", "heading", "row", "code", "html"]
Open = Literal["paragraph", "table", "fence", "html"]

QUOTE = 0
"""The width of a quote among the open containers; a list item's width is at least 2."""


@dataclass(slots=True)
class Leaf:
    """A run of lines that belong together: `source` stands at offset `start` of the page."""

    kind: LeafKind
    start: int
    source: str
    level: int = 0
    """1 to 6, for headings."""
    nested: bool = False
    """Whether it lies in a list or a quote."""


@dataclass(slots=True)
class Outline:
    """A page taken apart: its leaves in order, and the link definitions found between them."""

    leaves: list[Leaf]
    definitions: list[Definition]


class Growing:
    """The leaf that further lines may join, among the containers it lies in."""

    __slots__ = ("definitions", "first", "gaps", "last", "leaves", "open", "stack", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.leaves: list[Leaf] = []
        self.definitions: list[Definition] = []
        self.stack: list[int] = []
        """The open containers, outermost first: the columns an item indents its content by, or QUOTE."""
        self.open: Open | None = None
        self.first = self.last = 0
        self.gaps: list[tuple[int, int]] = []

    def begin(self, kind: Open, start: int) -> None:
        """Begin a leaf that lines are to join."""
        self.open = kind
        self.first = self.last = start
        self.gaps = []

    def extend(self, start: int, word: int, end: int) -> None:
        """Let the line from `start` to `end` join the open leaf; its containers' marks end at `word`."""
        if QUOTE in self.stack:
            self.gaps.append((start, word))
        self.last = end

    def leave(self, matched: int) -> None:
        """Close the open leaf and the containers that the line does not continue."""
        if self.open:
            self.close()
        del self.stack[matched:]

    def close(self) -> None:
        """Hand on the leaf that was open."""
        kind, self.open = self.open, None
        if kind == "paragraph" and not self.gaps and self.text[self.first] != "[":
            if self.last > self.first:
                self.add("text", self.first, self.text[self.first : self.last])
        elif kind == "paragraph":
            start, source = self.undefined()
            if source:
                self.add("text", start, source)
        elif kind == "fence" or kind == "html":
            self.add("code" if kind == "fence" else "html", self.first, self._source())

    def undefined(self) -> tuple[int, str]:
        """The open paragraph without the link definitions it begins with, which are kept."""
        source, start, at = self._source(), self.first, 0
        if not source.startswith("[") or "]:" not in source:
            return start, source
        while source.startswith("[", at) and (found := definition(source, at, start)):
            self.definitions.append(found)
            at = indent(source, found.after - start, 0)[0]
        if at:
            self.first = start + at
            self.gaps = [gap for gap in self.gaps if gap[0] >= self.first]
        return start + at, source[at:]

    def _source(self) -> str:
        if not self.gaps:
            return self.text[self.first : self.last]
        pieces, at = [], self.first
        for start, end in self.gaps:
            pieces += [self.text[at:start], " " * (end - start)]
            at = end
        return "".join([*pieces, self.text[at : self.last]])

    def add(self, kind: LeafKind, start: int, source: str, level: int = 0) -> None:
        """Hand on a leaf that is complete."""
        self.leaves.append(Leaf(kind, start, source, level, bool(self.stack)))

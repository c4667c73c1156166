"""The kinds of lines of Markdown: the patterns of the block rules, and measures of a line.

Leaves grow line by line, inside quotes and list items (`Containers`). Every source handed on is as long as
the span of the page it came from: marks of quotes are blanked, not cut. So an offset in a source is an offset
in the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from app.formats.markdown.scanner_syntax import Definition, definition

_FRONT_MATTER = re.compile(r"---[ \t]*+\n")
_FRONT_MATTER_END = re.compile(r"\n---[ \t]*+(?:\n|\Z)")
PROSE = re.compile(r"(?:[^\W\d_][^\n]*+\n?+)++")
BLANK = re.compile(r"^[ \t]*+(?=\n|\Z)", re.MULTILINE)
INDENTED = re.compile(r"(?:(?: {4}| {0,3}\t)[^\n]*+(?:\n|\Z))++")
SPACES = re.compile(r"[ \t]*+")
ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t\n]|\Z)")
RULE = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)(?=\n|\Z)")
ATX = re.compile(r"(#{1,6}+)(?=[ \t\n]|\Z)")
UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+(?=\n|\Z)")
FENCE = re.compile(r"(`{3,}+)[^`\n]*+(?=\n|\Z)|(~{3,}+)")
FENCE_END = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+(?=\n|\Z)")
FENCE_CLOSERS = {mark: re.compile(rf"\n {{0,3}}({mark}{{3,}}+)[ \t]*+(?=\n|\Z)") for mark in "`~"}
COLUMNS = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+(?=\n|\Z)")
_PIPE = re.compile(r"(?<!\\)\|")

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|"
    "dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|"
    "menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    "title|tr|track|ul"
)
HTML = re.compile(
    rf"(?P<verbatim><(?:script|pre|style|textarea)(?=[\s>]|\Z))|(?P<comment><!--)|(?P<instruction><\?)"
    rf"|(?P<declaration><![a-z])|(?P<cdata><!\[CDATA\[)|(?P<block></?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z))",
    re.IGNORECASE,
)
_ATTRIBUTE = r"""[ \t]++[A-Za-z_:][\w:.-]*+(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^'\n]*+'|"[^"\n]*+"))?+"""
LONE_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*+[ \t]*+|[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+[ \t]*+/?)>[ \t]*+(?=\n|\Z)"
)
HTML_ENDS = {
    "verbatim": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    "comment": re.compile(r"-->"),
    "instruction": re.compile(r"\?>"),
    "declaration": re.compile(r">"),
    "cdata": re.compile(r"\]\]>"),
}


def after_front_matter(text: str) -> int:
    """Return where a page begins: behind its front matter if it has any."""
    if _FRONT_MATTER.match(text) and (end := _FRONT_MATTER_END.search(text, 3)):
        return end.end()
    return 0


def indent(text: str, at: int, column: int) -> tuple[int, int]:
    """Return offset and column of the first character from `at` on that is neither space nor tab."""
    gap = SPACES.match(text, at)
    word = gap.end() if gap else at
    blank = text[at:word]
    if "\t" not in blank:
        return word, column + word - at
    for mark in blank:
        column = column + 1 if mark == " " else column // 4 * 4 + 4
    return word, column


def heading_content(line: str) -> str:
    """Return what follows the marks of a heading, without the marks that may close it."""
    content = line.rstrip(" \t")
    bare = content.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else content


def cells(row: str) -> list[tuple[int, int]]:
    """Return where the cells of a table row lie, as (start, end) in the row;
    what is outside of its pipes too.
    """
    marks = [pipe.start() for pipe in _PIPE.finditer(row)]
    return list(zip([0, *(at + 1 for at in marks)], [*marks, len(row)], strict=True))


def is_header(row: str, underline: str) -> bool:
    """Return whether two lines begin a table: as many cells above as dashes below."""
    return "|" in row and _width(row) == _width(underline)


def _width(row: str) -> int:
    row = row.strip()
    return len(_PIPE.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))


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
    """True if it lies in a list or a quote."""


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
        """Return the open paragraph without the link definitions it begins with, which are kept."""
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


class Containers(Growing):
    """The open containers, among which a leaf grows."""

    __slots__ = ("hollow",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.hollow = False
        """True if the innermost container is a list item without content so far."""

    def enter(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Return how many of the open containers a line continues, the first column inside of the innermost,
        then offset and column of what stands there.
        """
        column = 0
        word, here = indent(self.text, start, 0)
        for matched, width in enumerate(self.stack):
            if width == QUOTE:
                if here - column > 3 or word == end or self.text[word] != ">":
                    return matched, column, word, here
                column, word, here = self.quoted(word, here)
            elif here - column >= width:
                column += width
            elif word != end:
                return matched, column, word, here
        return len(self.stack), column, word, here

    def quoted(self, word: int, here: int) -> tuple[int, int, int]:
        """Return the first column inside the `>` at `word`, then offset and column of its content."""
        content, margin = indent(self.text, word + 1, here + 1)
        return (here + 2 if margin > here + 1 else here + 1), content, margin

    def container(
        self, word: int, here: int, column: int, end: int, matched: int
    ) -> tuple[int, int, int] | None:
        """Open the quote or list item that begins at `word`; returns its first column, then what is there."""
        if self.text[word] == ">":
            self.leave(matched)
            self.stack.append(QUOTE)
            return self.quoted(word, here)
        item = ITEM.match(self.text, word)
        if item is None or not self._may_begin(item, end, matched):
            return None
        self.leave(matched)
        after = here + item.end() - word
        content, margin = indent(self.text, item.end(), after)
        self.hollow = content == end
        inside = after + 1 if self.hollow or margin - after > 4 else margin
        self.stack.append(inside - column)
        return inside, content, margin

    def _may_begin(self, item: re.Match[str], end: int, matched: int) -> bool:
        """Tell whether a list item may begin: within a paragraph it needs content and counts from one."""
        if self.open != "paragraph" or matched < len(self.stack):
            return True
        number = item[1]
        return (number is None or int(number) == 1) and indent(self.text, item.end(), 0)[0] < end

    def blank(self, matched: int, hollow: bool) -> None:
        """Take a blank line: it ends quotes, and items that have no content yet."""
        self.close()
        del self.stack[matched:]
        if hollow and self.stack:
            self.stack.pop()

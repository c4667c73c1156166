"""Which lines of a Markdown page are headings, text, table rows, code or HTML.

The block rules of CommonMark plus front matter, tables and `{% tags %}`, line by line and without a tree:
lists and quotes only matter here because they decide what the lines inside them are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from app.formats.markdown.scanner_lines import (
    ATX,
    BLANK,
    COLUMNS,
    FENCE,
    FENCE_CLOSERS,
    FENCE_END,
    HTML,
    HTML_ENDS,
    INDENTED,
    LONE_TAG,
    PROSE,
    QUOTE,
    RULE,
    UNDERLINE,
    Containers,
    Outline,
    after_front_matter,
    heading_content,
    indent,
    is_header,
)

DEEPEST = 32
"""Containers nested deeper are read as text: nobody writes them, and the work per line stays bounded."""

# A line that begins with anything else continues no container.
_CONTINUING = " \t\n>"
_CONTAINERS = ">-*+0123456789"
_AT_ONCE = "#`{|*-"


def outline(text: str) -> Outline:
    """Take a page apart into leaves; `text` has `\\n` as its only line end."""
    reader = _BlockReader(text)
    reader.read()
    return Outline(reader.leaves, reader.definitions)


class _BlockReader(Containers):
    """The state of reading a page line by line."""

    __slots__ = ("end_mark", "fence", "size")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.size = len(text)
        self.fence = ""
        """The mark that opened the open fence."""
        self.end_mark: re.Pattern[str] | None = None
        """The pattern that ends the open HTML; a blank line if this is None."""

    def read(self) -> None:
        text, size = self.text, self.size
        at = after_front_matter(text)
        while at < size:
            first = text[at]
            if self.open == "html" and not self.stack:
                at = self._rest_of_html(at)
            elif self.open == "fence" or self.open == "html":
                at = self._line(at)
            elif first == "\n" and not self.hollow and QUOTE not in self.stack:
                self.close()
                at += 1
            elif first.isalpha() and self.open != "table":
                at = self._prose(at)
            elif first in _AT_ONCE:
                at = self._at_once(at, first)
            else:
                at = self._line(at)
        self.close()

    def _at_once(self, start: int, first: str) -> int:
        """Read a line that continues no container by what it begins with: most are of these kinds."""
        self.hollow = False
        end = self.text.find("\n", start)
        if end < 0:
            end = self.size
        if first == "|" and self.open == "table" and not self.stack:
            self.add("row", start, self.text[start:end])
            return end + 1
        if first in "*-":
            if self.text[start + 1 : start + 2] != " " or not self.text[start + 2 : start + 3].isalpha():
                return self._line(start)
            self.leave(0)
            self.stack.append(2)
            self.begin("paragraph", start + 2)
            self.last = end
            return end + 1
        after = _BEGINNINGS[first](self, start, end, 0)
        return after if after >= 0 else self._line(start)

    def _prose(self, start: int) -> int:
        """Skip lines that begin with a letter: they continue or begin a paragraph whatever surrounds them."""
        if self.open is None:
            self.stack.clear()
            self.begin("paragraph", start)
        elif QUOTE in self.stack:
            self.gaps.append((start, start))
        prose = PROSE.match(self.text, start)
        end = prose.end() if prose else start + 1
        self.last = end - 1 if self.text[end - 1] == "\n" else end
        return end

    def _line(self, start: int) -> int:
        """Read one line; returns where the next one to read starts."""
        end = self.text.find("\n", start)
        if end < 0:
            end = self.size
        matched, column, word, here = 0, 0, start, 0
        if self.text[start] in _CONTINUING:
            if self.stack:
                matched, column, word, here = self.enter(start, end)
            else:
                word, here = indent(self.text, start, 0)
        hollow, self.hollow = self.hollow, False
        if self.open == "fence" or self.open == "html":
            if matched == len(self.stack):
                self._verbatim(start, word, here - column, end)
                return end + 1
            self.close()
        if word == end:
            self.blank(matched, hollow)
            return end + 1
        return self._inside(start, end, matched, column, word, here)

    def _inside(self, start: int, end: int, matched: int, column: int, word: int, here: int) -> int:
        """Read what a line says inside of the containers it continues; returns where the next line starts."""
        while here - column < 4:
            mark = self.text[word]
            begin = _BEGINNINGS.get(mark)
            if begin is not None and (after := begin(self, word, end, matched)) >= 0:
                return after
            if mark not in _CONTAINERS or matched >= DEEPEST:
                break
            inside = self.container(word, here, column, end, matched)
            if inside is None:
                break
            column, word, here = inside
            matched = len(self.stack)
            if word == end:
                return end + 1
        return self._plain(start, word, here - column, end, matched)

    def _rest_of_html(self, start: int) -> int:
        """Take in all lines up to the one that ends the open HTML, which lies in no container."""
        ending = (self.end_mark or BLANK).search(self.text, start)
        if self.end_mark is None:
            self.last = max(self.last, ending.start() - 1) if ending else self.size
            end = ending.end() if ending else self.size
        else:
            end = self.text.find("\n", ending.end()) if ending else -1
            end = self.last = end if end >= 0 else self.size
        self.close()
        return end + 1

    def _verbatim(self, start: int, word: int, indent: int, end: int) -> None:
        """Take a line into the open fence or HTML, or close that at its end mark."""
        if self.open == "fence":
            mark = FENCE_END.match(self.text, word) if indent < 4 else None
            if mark and mark[1].startswith(self.fence):
                self.close()
            else:
                self.extend(start, word, end)
        elif self.end_mark is None and word == end:
            self.close()
        else:
            self.extend(start, word, end)
            if self.end_mark and self.end_mark.search(self.text, word, end):
                self.close()

    def _plain(self, start: int, word: int, indent: int, end: int, matched: int) -> int:
        """Take in a line that begins nothing: more of the open leaf, indented code or a new paragraph."""
        if self.open == "paragraph":
            self.extend(start, word, end)
        elif indent > 3:
            self.leave(matched)
            if not self.stack and (more := INDENTED.match(self.text, end + 1)):
                end = more.end() - 1
            self.add("code", word, self.text[word : end + 1])
        elif self.open == "table" and matched == len(self.stack):
            self.add("row", word, self.text[word:end])
        else:
            self.leave(matched)
            self.begin("paragraph", word)
            self.last = end
        return end + 1

    def _heading(self, word: int, end: int, matched: int) -> int:
        mark = ATX.match(self.text, word)
        if mark is None:
            return -1
        self.leave(matched)
        self.add("heading", mark.end(), heading_content(self.text[mark.end() : end]), len(mark[1]))
        return end + 1

    def _code(self, word: int, end: int, matched: int) -> int:
        mark = FENCE.match(self.text, word)
        if mark is None:
            return -1
        self.leave(matched)
        self.fence = mark[1] or mark[2]
        if self.stack:
            self.begin("fence", end)
            return end + 1
        for closer in FENCE_CLOSERS[self.fence[0]].finditer(self.text, end):
            if len(closer[1]) >= len(self.fence):
                self.add("code", end, self.text[end : closer.start()])
                return closer.end() + 1
        self.add("code", end, self.text[end:])
        return self.size

    def _html(self, word: int, end: int, matched: int) -> int:
        mark = HTML.match(self.text, word)
        if mark is None and (self.open == "paragraph" or not LONE_TAG.match(self.text, word)):
            return -1
        self.leave(matched)
        self.begin("html", word)
        self.last = end
        self.end_mark = HTML_ENDS.get(mark.lastgroup or "") if mark else None
        if self.end_mark and self.end_mark.search(self.text, word, end):
            self.close()
        return end + 1

    def _tag(self, word: int, end: int, matched: int) -> int:
        """Read a line that begins and ends with a `{% tag %}`; return the next line's offset, or -1."""
        line = self.text[word:end].rstrip(" \t")
        if not (line.startswith("{%") and line.endswith("%}")):
            return -1
        self.leave(matched)
        self.add("text", word, line)
        return end + 1

    def _rule(self, word: int, end: int, matched: int) -> int:
        if not RULE.match(self.text, word):
            return -1
        self.leave(matched)
        return end + 1

    def _underline(self, word: int, end: int, matched: int) -> int:
        """Return the line under a heading or under a table's header; else maybe a rule."""
        if self.open == "paragraph" and matched == len(self.stack):
            if self._header(word, end):
                return end + 1
            if mark := UNDERLINE.match(self.text, word):
                level = 1 if mark[0][0] == "=" else 2
                start, source = self.undefined()
                if source.strip():
                    self.open = None
                    self.add("heading", start, source, level)
                    return end + 1
        return self._rule(word, end, matched)

    def _header(self, word: int, end: int) -> bool:
        """Make the last line of the open paragraph a table's header if the line at `word` underlines it."""
        columns = COLUMNS.match(self.text, word)
        if columns is None or self.text.startswith("- ", word):
            return False
        start = max(self.text.rfind("\n", self.first, self.last) + 1, self.first)
        if self.gaps:
            start = max(start, self.gaps[-1][1])
        header = self.text[start : self.last]
        if not is_header(header, columns[0]):
            return False
        self.last = max(start - 1, self.first)
        self.close()
        self.open = "table"
        self.add("row", start, header)
        return True


# What may begin at a mark: each takes what it begins and returns where the next line starts, or -1.
_BEGINNINGS: dict[str, Callable[[_BlockReader, int, int, int], int]] = {
    "#": _BlockReader._heading,
    "`": _BlockReader._code,
    "~": _BlockReader._code,
    "<": _BlockReader._html,
    "{": _BlockReader._tag,
    "=": _BlockReader._underline,
    "-": _BlockReader._underline,
    "|": _BlockReader._underline,
    ":": _BlockReader._underline,
    "*": _BlockReader._rule,
    "_": _BlockReader._rule,
}

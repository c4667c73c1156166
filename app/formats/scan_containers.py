"""The quotes and list items that a line of Markdown lies in: which go on, which end, which begin."""

from __future__ import annotations

import re

from app.formats.scan_leaves import QUOTE, Growing
from app.formats.scan_lines import ITEM, indent


class Containers(Growing):
    """The open containers, among which a leaf grows."""

    __slots__ = ("hollow",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.hollow = False
        """Whether the innermost container is a list item without content so far."""

    def enter(self, start: int, end: int) -> tuple[int, int, int, int]:
        """How many of the open containers a line continues, the first column inside of the innermost, then
        offset and column of what stands there."""
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
        """Inside of the `>` at `word`: its first column, then offset and column of what stands there."""
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
        """In the middle of a paragraph a list item needs content and has to count from one."""
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

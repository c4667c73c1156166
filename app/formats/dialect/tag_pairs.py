"""HTML tags inside a line matched with their partners: which are read, which stay raw, which are text."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

from markdown_it.token import Token

from app.formats.dialect import html
from app.formats.dialect.markup import markdown

TAG_MARKS = {
    "strong": "bold", "b": "bold", "em": "italic", "i": "italic", "del": "strikethrough",
    "s": "strikethrough", "strike": "strikethrough", "code": "code", "kbd": "keyboard",
    "sup": "superscript", "sub": "subscript", "mark": "color",
}  # fmt: skip

PAIRED = {*TAG_MARKS, "a"}


@dataclass(slots=True)
class _Level:
    """The tags waiting for their partner inside one link, or outside all links."""

    waiting: list[tuple[str, int]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def open(self, name: str, index: int) -> None:
        self.waiting.append((name, index))
        self.counts[name] = self.counts.get(name, 0) + 1

    def close(self, name: str) -> int | None:
        """The index of the nearest open tag of this name; those open inside it find no partner."""
        while self.counts.get(name):
            last, index = self.waiting.pop()
            self.counts[last] -= 1
            if last == name:
                return index
        return None


def pair(tokens: list[Token]) -> list[Token]:
    """Note on every tag of the dialect (`meta["pair"]`) whether it is `read` or, having no meaning, `raw`.

    A tag without a partner inside the same link gets no note.
    """
    levels = [_Level()]
    partners: list[tuple[int, int, html.Piece]] = []
    tags: dict[int, html.Piece] = {}
    for index, token in enumerate(tokens):
        if token.type == "link_open":
            levels.append(_Level())
        elif token.type == "link_close":
            levels.pop()
        tag = html.read_tag(token.content) if token.type == "html_inline" else None
        if tag is None or tag.name not in PAIRED:
            continue
        if not tag.closing:
            tags[index] = tag
            levels[-1].open(tag.name, index)
        elif (begin := levels[-1].close(tag.name)) is not None:
            partners.append((begin, index, tags[begin]))
    _judge(tokens, sorted(partners, key=lambda found: found[0]))
    return tokens


def _judge(tokens: list[Token], partners: list[tuple[int, int, html.Piece]]) -> None:
    links = list(accumulate(token.type == "link_open" for token in tokens))
    closed = list(accumulate(token.type == "link_close" for token in tokens))
    anchor_until = -1
    for begin, end, tag in partners:
        read = tag.name != "mark" or bool({"color", "background-color"} & html.styles(tag.attributes).keys())
        if tag.name == "a":
            # Links do not nest: neither in one another nor around a Markdown link.
            free = begin > anchor_until and links[begin] == closed[begin] and links[end] == links[begin]
            read = free and usable(tag.attributes.get("href"))
            anchor_until = end if read else anchor_until
        for index in (begin, end):
            tokens[index].meta["pair"] = "read" if read else "raw"


def usable(url: str | None) -> bool:
    """Whether a link may go there: scripts, files and data that is no picture may not."""
    return url is not None and markdown().validateLink("".join(url.split()))

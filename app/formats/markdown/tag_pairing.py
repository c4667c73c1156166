"""HTML tags inside a line matched with their partners: which are read, which stay raw, which are text.

An end closes the nearest opening of its name inside the same Markdown container. What is left open closes
where its container does; tags whose end is optional stand alone without it. Ends and middles that belong to
nothing become text again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from markdown_it.token import Token

from app.formats.markdown import html_syntax
from app.formats.markdown.grammar import markdown
from app.formats.markdown.tags import END_TAG, ENDED_OR_NOT, Tag

TAG_MARKS = {
    "strong": "bold", "b": "bold", "em": "italic", "i": "italic", "del": "strikethrough",
    "s": "strikethrough", "strike": "strikethrough", "code": "code", "kbd": "keyboard",
    "sup": "superscript", "sub": "subscript", "mark": "color",
}  # fmt: skip

PAIRED = {*TAG_MARKS, "a"}


@dataclass(slots=True)
class _TagScope:
    """The tags waiting for their partner inside one link, or outside all links."""

    waiting: list[tuple[str, int]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def open(self, name: str, index: int) -> None:
        self.waiting.append((name, index))
        self.counts[name] = self.counts.get(name, 0) + 1

    def close(self, name: str) -> int | None:
        """Return the index of the nearest open tag of this name; those open inside it find no partner."""
        while self.counts.get(name):
            last, index = self.waiting.pop()
            self.counts[last] -= 1
            if last == name:
                return index
        return None


def pair_html_tags(tokens: list[Token]) -> list[Token]:
    """Note on every tag of the dialect (`meta["pair"]`) whether it is `read` or, having no meaning, `raw`.

    A tag without a partner inside the same link gets no note.
    """
    levels = [_TagScope()]
    partners: list[tuple[int, int, html_syntax.Piece]] = []
    tags: dict[int, html_syntax.Piece] = {}
    for index, token in enumerate(tokens):
        if token.type == "link_open":
            levels.append(_TagScope())
        elif token.type == "link_close":
            levels.pop()
        tag = html_syntax.read_tag(token.content) if token.type == "html_inline" else None
        if tag is None or tag.name not in PAIRED:
            continue
        if not tag.closing:
            tags[index] = tag
            levels[-1].open(tag.name, index)
        elif (begin := levels[-1].close(tag.name)) is not None:
            partners.append((begin, index, tags[begin]))
    _judge(tokens, sorted(partners, key=lambda found: found[0]))
    return tokens


def _judge(tokens: list[Token], partners: list[tuple[int, int, html_syntax.Piece]]) -> None:
    links = list(accumulate(token.type == "link_open" for token in tokens))
    closed = list(accumulate(token.type == "link_close" for token in tokens))
    anchor_until = -1
    for begin, end, tag in partners:
        read = tag.name != "mark" or bool(
            {"color", "background-color"} & html_syntax.styles(tag.attributes).keys()
        )
        if tag.name == "a":
            # Links do not nest: neither in one another nor around a Markdown link.
            free = begin > anchor_until and links[begin] == closed[begin] and links[end] == links[begin]
            read = free and usable(tag.attributes.get("href"))
            anchor_until = end if read else anchor_until
        for index in (begin, end):
            tokens[index].meta["pair"] = "read" if read else "raw"


def usable(url: str | None) -> bool:
    """Return whether a link may go there: scripts, files and data that is no picture may not."""
    return url is not None and markdown().validateLink("".join(url.split()))


MAX_CUTS = 100
CONTAINERS = {"blockquote", "bullet_list", "ordered_list", "list_item", "footnote_reference"}
_ANY_TAG = re.compile(
    r"(?<!\\)\{%-?\s*(?:end(?P<end>[A-Za-z][\w-]*)\s*-?%\}|(?P<begin>[A-Za-z][\w-]*))"
    r"|</(?P<details_end>details)\s*>|<(?P<details>details)\b",
    re.IGNORECASE,
)
WRITTEN_END = re.compile(rf"{END_TAG.pattern}|</details\s*>", re.IGNORECASE)
_NOTHING_MORE = re.compile(r"[ \t]*(?:\n|$|\{%-?\s*end|</details)", re.IGNORECASE)


@dataclass(slots=True)
class _OpenContainer:
    """A Markdown container being read, and the tags open directly in it."""

    opening: Token | None
    tags: list[tuple[str, Token]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    needing_end: list[str] = field(default_factory=list)

    def open(self, name: str, token: Token) -> None:
        self.tags.append((name, token))
        self.counts[name] = self.counts.get(name, 0) + 1
        if name not in ENDED_OR_NOT:
            self.needing_end.append(name)

    def close_last(self) -> tuple[str, Token]:
        name, token = self.tags.pop()
        self.counts[name] -= 1
        if name not in ENDED_OR_NOT:
            self.needing_end.pop()
        return name, token

    def innermost(self, name: str) -> bool:
        """Return whether the nearest tag that needs an end has this name."""
        return self.needing_end[-1:] == [name]


def pair_block_tags(tokens: list[Token], raw_of: Callable[[Tag], str]) -> list[Token]:
    """Return the same tokens with every `tag_open` closed; `raw_of` gives a tag as it was written."""
    return _Pairing(raw_of).run(tokens)


class _Pairing:
    def __init__(self, raw_of: Callable[[Tag], str]) -> None:
        self.raw_of = raw_of
        self.out: list[Token] = []
        self.containers = [_OpenContainer(None)]

    def run(self, tokens: list[Token]) -> list[Token]:
        for token in tokens:
            self._take(token)
        self._leave(self.containers[0], 0, {"line": None})
        return self.out

    def _take(self, token: Token) -> None:
        here = self.containers[-1]
        name, _, side = token.type.rpartition("_")
        if token.type == "tag_open":
            self.out.append(token)
            here.open(token.meta["tag"].name, token)
        elif token.type == "tag_close":
            self._close(token)
        elif token.type == "tag_middle":
            self._middle(token)
        elif token.type == "summary" and not here.innermost("details"):
            self._as_text(token)
        elif name in CONTAINERS and side == "open":
            self.out.append(token)
            self.containers.append(_OpenContainer(token))
        elif name in CONTAINERS and side == "close":
            self._leave(here, 0, {"line": here.opening.map[1] if here.opening and here.opening.map else None})
            self.containers.pop()
            self.out.append(token)
        else:
            self._paragraph(token)

    def _leave(self, here: _OpenContainer, begin: int, place: dict[str, Any]) -> None:
        """Close what stays open from `begin` on, the innermost first."""
        while len(here.tags) > begin:
            name, opening = here.close_last()
            if name in ENDED_OR_NOT:
                opening.type = "tag_void"
            else:
                token = Token("tag_close", "", 0)
                token.meta = {"tag": None, **place}
                self.out.append(token)

    def _close(self, token: Token) -> None:
        here, name = self.containers[-1], token.meta["tag"].name
        if not here.counts.get(name):
            self._as_text(token)
            return
        begin = len(here.tags) - 1
        while here.tags[begin][0] != name:
            begin -= 1
        self._leave(here, begin + 1, {"before": token})
        here.close_last()
        self.out.append(token)

    def _middle(self, token: Token) -> None:
        here = self.containers[-1]
        if not here.innermost("if"):
            self._as_text(token)
            return
        while here.tags[-1][0] != "if":
            self._leave(here, len(here.tags) - 1, {})
        self.out.append(token)

    def _as_text(self, token: Token) -> None:
        for kind in ("paragraph_open", "inline", "paragraph_close"):
            made = Token(kind, "", 0)
            made.content = self.raw_of(token.meta["tag"]) if kind == "inline" else ""
            made.map = token.map
            made.meta = {"literal": True}
            self.out.append(made)

    def _paragraph(self, token: Token) -> None:
        """Cut a paragraph where one of its lines finishes with ends of tags, `text {% endhint %}`."""
        in_paragraph = bool(self.out) and self.out[-1].type == "paragraph_open"
        if token.type == "inline" and in_paragraph and ("{%" in token.content or "</" in token.content):
            cuts = list(_ends_of_lines(token.content, self.containers[-1].counts))
        else:
            cuts = []
        begin = 0
        for match in cuts:
            self._piece(token, begin, match.start())
            close = Token("tag_close", "", 0, map=token.map)
            close.meta = {"tag": Tag(_name(match), "", -1, -1)}
            close.meta["ends_from_here"] = sum(1 for _ in WRITTEN_END.finditer(token.content, match.start()))
            self.out.append(Token("paragraph_close", "p", -1))
            self._close(close)
            self.out.append(Token("paragraph_open", "p", 1))
            begin = match.end()
        self._piece(token, begin, len(token.content)) if cuts else self.out.append(token)

    def _piece(self, token: Token, begin: int, end: int) -> None:
        piece = Token("inline", "", 0, map=token.map, content=token.content[begin:end].strip(" \t\n"))
        self.out.append(piece)


def _ends_of_lines(content: str, counts: dict[str, int]) -> Iterator[re.Match[str]]:
    """Yield the ends in a paragraph that close what was opened before it, and finish their line."""
    opened: dict[str, int] = {}
    left = dict(counts)
    found = 0
    for match in _ANY_TAG.finditer(content):
        name = _name(match)
        if match.group("begin") or match.group("details"):
            opened[name] = opened.get(name, 0) + 1
        elif opened.get(name):
            opened[name] -= 1
        elif left.get(name) and found < MAX_CUTS and _NOTHING_MORE.match(content, match.end()):
            left[name] -= 1
            found += 1
            yield match


def _name(match: re.Match[str]) -> str:
    return str(next(filter(None, match.groups()))).rstrip("-").lower()

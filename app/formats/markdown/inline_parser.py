"""Inline tokens to text and inline nodes: marks, links, HTML tags that mean something, footnotes.

A tag that means nothing to the dialect stays as text in a leaf marked `html`; one of the dialect's own that
has no partner is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.formats.markdown import escapes, nodes, tag_pairing
from app.formats.markdown import html_syntax as html
from app.formats.markdown.anchors import take_anchor, trim
from app.formats.markdown.grammar import html_text, markdown
from app.formats.markdown.nodes import Node
from app.formats.markdown.tag_pairing import TAG_MARKS
from app.kit.deadlines import check
from app.kit.errors import OverBudget

MOST_TOKENS = 200_000
"""Tokens of blocks, and of inlines, in one document: some hundred times what people write on a page."""
TOO_MUCH = "This body has too many parts to be structured."
_TOKEN_MARKS = {"strong": "bold", "em": "italic", "s": "strikethrough"}

_GIVEN_ANCHOR = re.compile(r"\{#([^\s{}#]{1,200})\}[ \t]*$")

Note = Callable[[str], "list[Node] | None"]


def no_notes(label: str) -> list[Node] | None:
    """Return no footnotes."""
    raise LookupError(label)


@dataclass(slots=True)
class InlineReading:
    """The state of reading the inlines of one document: its environment and its footnotes.

    `note` gives the blocks of a footnote the first time it is asked for and None afterwards; LookupError says
    that there is no such footnote in reach.
    """

    env: dict[str, object]
    note: Note = no_notes
    room: int = MOST_TOKENS

    def markdown(self, content: str) -> list[Node]:
        """Return the nodes of a piece of Markdown without blocks."""
        return _InlineBuilder(self, tag_pairing.pair_html_tags(self._tokens(markdown(), content))).build()

    def html(self, content: str) -> list[Node]:
        """Return the nodes of a piece of HTML text."""
        tokens = self._tokens(html_text(), html.strip(html.collapse(content)))
        return _InlineBuilder(self, tag_pairing.pair_html_tags(tokens)).build()

    def heading(self, content: str) -> tuple[list[Node], str | None]:
        """Return the nodes of a heading, and the anchor its author gave it."""
        given = _GIVEN_ANCHOR.search(content, max(0, len(content) - 300))
        tokens = self._tokens(markdown(), content[: given.start()].rstrip(" \t") if given else content)
        anchor = take_anchor(tokens)
        read = _InlineBuilder(self, tag_pairing.pair_html_tags(tokens)).build()
        trim(read)
        return read, anchor or (given.group(1) if given else None)

    def _tokens(self, reader: MarkdownIt, content: str) -> list[Token]:
        tokens: list[Token] = []
        reader.inline.parse(content, reader, self.env, tokens)
        self.room -= len(tokens)
        if self.room < 0:
            raise OverBudget(TOO_MUCH)
        return tokens


@dataclass(slots=True)
class _InlineFrame:
    """An inline being read: its kind, its data, what has been read, and the marks it inherited."""

    kind: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)


class _InlineBuilder:
    def __init__(self, reading: InlineReading, tokens: list[Token]) -> None:
        self.reading = reading
        self.tokens = tokens
        self.frames = [_InlineFrame()]
        self.marks: list[Node] = []
        self.position = 0

    def build(self) -> list[Node]:
        """Return the nodes of all tokens."""
        while self.position < len(self.tokens):
            check()
            token = self.tokens[self.position]
            self.position += 1
            self._take(token)
        while len(self.frames) > 1:
            self._close()
        return self.frames[0].nodes

    def _take(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special":
                self._text(token.content)
            case "softbreak":
                self._text(" ")
            case "hardbreak":
                self._text("\n")
            case "code_inline":
                self._text(token.content, nodes.mark("code"))
            case "html_inline":
                self._html(token)
            case "link_open":
                self._link(token)
            case "link_close":
                self._close()
            case "footnote_ref":
                self._footnote(token.meta["label"])
            case "math_inline":
                self._inline("inline-math", formula=" ".join(token.content.split()))
            case "emoji":
                self._inline("emoji", code=escapes.emoji_codes()[token.content])
            case "expression":
                self._inline("expression", expression=" ".join(token.content.split()))
            case "image":
                self._image(token)
            case _:
                self._emphasis(token)

    def _text(self, content: str, *marks: Node, raw: bool = False) -> None:
        add_text(self.frames[-1].nodes, content, [*self.marks, *marks], raw=raw)

    def _inline(self, kind: str, **data: Any) -> None:
        self.frames[-1].nodes.append(nodes.inline(kind, void=True, **data))

    def _open(self, kind: str, **data: Any) -> None:
        self.frames.append(_InlineFrame(kind, data))

    def _close(self) -> None:
        frame = self.frames.pop()
        self.frames[-1].nodes.append(nodes.inline(frame.kind, frame.nodes, **frame.data))

    def _emphasis(self, token: Token) -> None:
        kind = _TOKEN_MARKS.get(token.type.rpartition("_")[0])
        if kind and token.nesting > 0:
            self.marks.append(nodes.mark(kind))
        elif kind:
            self._unmark(kind)

    def _unmark(self, kind: str) -> None:
        for index in range(len(self.marks) - 1, -1, -1):
            if self.marks[index]["type"] == kind:
                del self.marks[index]
                return

    def _link(self, token: Token) -> None:
        url, title = str(token.attrs.get("href", "")), token.attrs.get("title")
        self._open_link(url, str(title) if title else None)

    def _open_link(self, url: str, title: str | None) -> None:
        if url.startswith("mention:"):
            self._open("mention", ref={"kind": "user", "user": url.removeprefix("mention:").lstrip("/")})
        else:
            self._open("link", ref=nodes.url_reference(url), title=title)

    def _footnote(self, label: str) -> None:
        try:
            self._inline("annotation", label=label, body=self.reading.note(label))
        except LookupError:
            self._text(f"[^{label}]")

    def _image(self, token: Token) -> None:
        title = token.attrs.get("title")
        self._inline(
            "inline-image",
            ref=nodes.url_reference(str(token.attrs.get("src", ""))),
            alt=_alternative(token.children or []),
            title=str(title) if title else None,
        )

    def _html(self, token: Token) -> None:
        if not token.content or token.content.startswith("<!--"):
            return
        tag = html.read_tag(token.content)
        pair = token.meta.get("pair", "")
        if tag is None or not self._known(tag, pair):
            alone = tag is not None and not pair and tag.name in tag_pairing.PAIRED
            self._text(html.collapse(token.content), raw=not alone)

    def _known(self, tag: html.Piece, pair: str) -> bool:
        """Read a tag the dialect knows; False if it is not one, or has no partner where it needs one."""
        if tag.name == "br" and not tag.closing:
            self._text("\n")
        elif tag.name == "img" and tag.attributes.get("src"):
            self.frames[-1].nodes.append(inline_image(tag.attributes))
        elif pair != "read":
            return False
        elif tag.name == "a":
            self._anchor(tag)
        elif tag.name == "i" and not tag.closing and self._icon(tag.attributes):
            self.position += 2 if self.tokens[self.position].type != "html_inline" else 1
        elif tag.closing:
            self._unmark(TAG_MARKS[tag.name])
        else:
            self.marks.append(_tag_mark(tag))
        return True

    def _anchor(self, tag: html.Piece) -> None:
        if tag.closing:
            self._close()
        elif "button" in tag.attributes.get("class", "").split():
            style = " ".join(word for word in tag.attributes["class"].split() if word != "button")
            icon = tag.attributes.get("data-icon")
            ref = nodes.url_reference(tag.attributes["href"])
            self._open("button", ref=ref, style=style or None, icon=icon)
        else:
            self._open_link(tag.attributes["href"], tag.attributes.get("title"))

    def _icon(self, attributes: dict[str, str]) -> bool:
        """Read `<i class="fa-name">:name:</i>`, with one plain word or nothing inside."""
        classes = attributes.get("class", "").split()
        inside = self.tokens[self.position : self.position + 2]
        if not classes or not classes[-1].startswith("fa-") or not inside:
            return False
        if inside[0].type != "html_inline" and (len(inside) < 2 or inside[1].content != "</i>"):
            return False
        if inside[0].type == "html_inline" and inside[0].content != "</i>":
            return False
        style = " ".join(word.removeprefix("fa-") for word in classes[:-1])
        self._inline("icon", icon=classes[-1].removeprefix("fa-"), style=style or None)
        return True


def add_text(siblings: list[Node], content: str, marks: list[Node], *, raw: bool = False) -> None:
    """Append text to a list of nodes, joining it with what already has the same marks."""
    if not content:
        return
    unique = {mark["type"]: mark for mark in marks}
    made = nodes.leaf(content, list(unique.values()), html=raw)
    if not siblings or siblings[-1]["object"] != "text":
        siblings.append(nodes.text([]))
    leaves = siblings[-1]["leaves"]
    if leaves and leaves[-1]["marks"] == made["marks"] and leaves[-1].get("html", False) == raw:
        leaves[-1]["text"] += content
    else:
        leaves.append(made)


def inline_image(attributes: dict[str, str]) -> Node:
    """Return the inline image an `<img>` stands for."""
    return nodes.inline(
        "inline-image",
        void=True,
        ref=nodes.url_reference(attributes["src"]),
        alt=attributes.get("alt", ""),
        title=attributes.get("title"),
        width=attributes.get("width"),
        height=attributes.get("height"),
        size=attributes.get("data-size"),
    )


def _tag_mark(tag: html.Piece) -> Node:
    if tag.name != "mark":
        return nodes.mark(TAG_MARKS[tag.name])
    style = html.styles(tag.attributes)
    colors = {"text": style.get("color"), "background": style.get("background-color")}
    return nodes.mark("color", **{name: value for name, value in colors.items() if value})


def _alternative(tokens: list[Token]) -> str:
    parts: list[str] = []
    waiting = list(reversed(tokens))
    while waiting:
        token = waiting.pop()
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "emoji":
            parts.append(f":{token.content}:")
        elif token.type == "image" and token.children:
            waiting.extend(reversed(token.children))
        elif token.type != "footnote_ref":
            parts.append(token.content)
    return "".join(parts).replace("\n", " ")

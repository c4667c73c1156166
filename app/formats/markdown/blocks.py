"""Blocks made of tags, lists, quotes, code and HTML once their inside has been read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from app.formats.markdown import html_syntax, nodes, tables
from app.formats.markdown.inline_parser import InlineReading
from app.formats.markdown.nodes import Node
from app.formats.markdown.tag_pairing import usable
from app.formats.markdown.tags import Tag

_IMAGE_ATTRIBUTES = {"src", "alt", "title", "width", "height", "data-size"}
_WRAPPERS = {"figure", "div", "p", "picture"}


def images(pictures: list[Node], align: str | None = None) -> Node:
    """Return the block that holds one picture or a row of them."""
    return nodes.block("images", pictures, align=align)


def lone_image(inline: Node) -> Node:
    """Return the block for an image that is all its paragraph has."""
    return images([nodes.block("image", **inline["data"])])


@dataclass(slots=True)
class _Figures:
    """A run of figures as far as it has been read."""

    pictures: list[Node] = field(default_factory=list)
    align: str | None = None
    dark: str | None = None


def read_figures(source: str, reading: InlineReading) -> Node | None:
    """Return the images block an HTML block stands for, or None if it holds anything else."""
    read = _Figures()
    pieces = html_syntax.pieces(source)
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if piece.name == "figcaption" and not piece.closing and read.pictures:
            index = _caption(pieces, index, source, read.pictures[-1], reading)
        elif not _take(piece, read):
            return None
        index += 1
    return images(read.pictures, read.align) if read.pictures else None


def _take(piece: html_syntax.Piece, read: _Figures) -> bool:
    given = piece.attributes
    if piece.name == "img" and usable(given.get("src")) and given.keys() <= _IMAGE_ATTRIBUTES:
        read.pictures.append(_image(given, read.dark))
        read.dark = None
    elif piece.name == "source" and "dark" in given.get("media", "") and usable(given.get("srcset")):
        read.dark = given["srcset"]
    elif piece.name in _WRAPPERS and given.keys() <= {"align"}:
        read.align = given.get("align", read.align)
    else:
        return False
    return True


def _image(given: dict[str, str], dark: str | None) -> Node:
    return nodes.block(
        "image",
        ref=nodes.url_reference(given["src"]),
        refDark=nodes.url_reference(dark) if dark else None,
        alt=given.get("alt", ""),
        title=given.get("title"),
        width=given.get("width"),
        height=given.get("height"),
        size=given.get("data-size"),
    )


def _caption(
    pieces: list[html_syntax.Piece], index: int, source: str, image: Node, reading: InlineReading
) -> int:
    """Read a caption into the image and give the index of its end."""
    source = html_syntax.without_comments(source)
    begin = pieces[index].end
    for last in range(index, len(pieces)):
        if pieces[last].name == "figcaption" and pieces[last].closing:
            break
    inside = html_syntax.strip(source[begin : pieces[last].start])
    if inside.startswith("<p>") and inside.endswith("</p>") and inside.count("<p>") == 1:
        inside = inside[3:-4]
    image["nodes"] = reading.html(inside)
    return last


Maker = Callable[[dict[str, str], list[Node]], "Node | list[Node]"]

MAX_EXPRESSION = 1024
_TRUE = {"true": True, "false": False}
_TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)")


def code(content: str, info: str = "") -> list[Node]:
    """Return a code block of one node per line; the first word of a fence's info string is the syntax."""
    lines = content.removesuffix("\n").split("\n") if content else []
    syntax, _, rest = info.strip().partition(" ")
    made = [nodes.block("code-line", [nodes.plain(line)] if line else []) for line in lines]
    return [nodes.block("code", made, syntax=syntax or None, meta=rest.strip() or None)]


def verbatim(name: str, source: str) -> Node:
    """Return a block for something the dialect does not know, exactly as it was written."""
    return nodes.block("integration", void=True, integration="", block=name, props={"source": source})


def html_block(source: str, reading: InlineReading) -> list[Node]:
    """Return figures, tables, or the HTML as it is; comments are dropped."""
    if not html_syntax.without_comments(source).strip():
        return []
    lowered = source.lstrip().lower()
    if lowered.startswith("<table"):
        made = tables.html_table(source, reading)
    elif "<img" in lowered:
        made = read_figures(source, reading)
    else:
        made = None
    match = _TAG_NAME.match(source.lstrip())
    return [made or verbatim(match.group(1).lower() if match else "html", source)]


def void_tag(tag: Tag) -> Node:
    """Return a tag that stands alone."""
    if tag.name.startswith("@"):
        return nodes.read_integration_block(tag)
    if tag.name == "include":
        values = tag.values()
        path = nodes.url_reference(values.pop("0", ""))
        return nodes.block("reusable-content", void=True, ref=path, **_rest(values))
    return tag_blocks(tag, [])[0]


def tag_blocks(tag: Tag, inside: list[Node]) -> list[Node]:
    """Return the block or blocks for a tag and what stood between it and its end."""
    maker = _MAKERS.get(tag.name)
    if maker is None:
        return inside
    made = maker(tag.values(), inside)
    return made if isinstance(made, list) else [made]


def condition(expression: str, inside: list[Node]) -> Node:
    """Return blocks that are shown only when an expression is true."""
    return nodes.block("if", inside, expression=expression)


class Branching:
    """The branches of an `if`: each means its own condition, and none of those before it."""

    def __init__(self, opening: Tag) -> None:
        self.expression = one_line(opening.arguments)
        """The condition of the last branch by itself; `false` where that would be too long."""
        self._own = self.expression
        self._before = ""

    def follow(self, middle: Tag) -> str:
        """Go on to the branch of an `else` or `elif`; what it means by itself."""
        if len(self._before) <= MAX_EXPRESSION:
            self._before += f"{' && ' if self._before else ''}!({self._own})"
        self._own = one_line(middle.arguments) if middle.name != "else" else "true"
        expression = self._before if middle.name == "else" else f"{self._before} && ({self._own})"
        self.expression = expression if len(expression) <= MAX_EXPRESSION else "false"
        return self.expression


def one_line(content: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(content.split())


def _rest(values: dict[str, str]) -> dict[str, Any]:
    return {"attributes": values} if values else {}


def _simple(kind: str, *known: str) -> Maker:
    """Return a block with some arguments as its data;
    arguments it does not know are kept under `attributes`.
    """

    def make(values: dict[str, str], inside: list[Node]) -> Node:
        data: dict[str, Any] = {name: values.pop(name) for name in known if name in values}
        return nodes.block(kind, inside, **data, **_rest(values))

    return make


def _reference(kind: str, argument: str) -> Maker:
    """Return a block about an address; its inside is a caption if it is one paragraph."""

    def make(values: dict[str, str], inside: list[Node]) -> Node:
        url = values.pop(argument, "")
        caption = lone_paragraph(inside)
        if caption is not None:
            inside = [] if kind == "content-ref" and default_link(caption, url) else caption
        return nodes.block(kind, inside, ref=nodes.url_reference(url), **_rest(values))

    return make


def lone_paragraph(inside: list[Node]) -> list[Node] | None:
    """Return the inlines of the only paragraph there is."""
    return inside[0]["nodes"] if len(inside) == 1 and inside[0]["type"] == "paragraph" else None


def default_link(caption: list[Node], url: str) -> bool:
    """Return whether this is the link that stands in a `content-ref` when nobody wrote anything else."""
    return (
        len(caption) == 1
        and caption[0].get("type") == "link"
        and caption[0]["data"] == {"ref": nodes.url_reference(url)}
        and caption[0]["nodes"] == [nodes.plain(url)]
    )


def _embed(values: dict[str, str], inside: list[Node]) -> Node:
    caption = lone_paragraph(inside)
    url = values.pop("url", "")
    return nodes.block("embed", inside if caption is None else caption, url=url, **_rest(values))


def _code(values: dict[str, str], inside: list[Node]) -> list[Node]:
    """Return the blocks inside a `code` tag, the first code block with the tag's title and settings."""
    data: dict[str, Any] = {name: values.pop(name) for name in ("title", "overflow") if name in values}
    if "lineNumbers" in values:
        written = values.pop("lineNumbers")
        data["lineNumbers"] = _TRUE.get(written, written)
    target = next((node for node in inside if node["type"] == "code"), None)
    if target is not None:
        target["data"] = {**target["data"], **data, **_rest(values)}
    return inside


def _openapi(kind: str) -> Maker:
    """Return a block whose data are all arguments of its tag."""

    def make(values: dict[str, str], inside: list[Node]) -> Node:
        odd = {name: value for name, value in values.items() if name in ("ref", "attributes")}
        made = nodes.block(kind, inside, **_rest(odd))
        made["data"] |= {name: value for name, value in values.items() if name not in odd}
        return made

    return make


_MAKERS: dict[str, Maker] = {
    "hint": _simple("hint", "style", "icon"),
    "tabs": _simple("tabs"),
    "tab": _simple("tabs-item", "title", "icon"),
    "stepper": _simple("stepper"),
    "step": _simple("stepper-step"),
    "columns": _simple("columns"),
    "column": _simple("column", "width"),
    "updates": _simple("updates", "format"),
    "update": _simple("update", "date"),
    "code": _code,
    "content-ref": _reference("content-ref", "url"),
    "file": _reference("file", "src"),
    "embed": _embed,
    "openapi": _openapi("openapi-operation"),
    "openapi-operation": _openapi("openapi-operation"),
    "openapi-schemas": _openapi("openapi-schemas"),
    "openapi-webhook": _openapi("openapi-webhook"),
    "swagger": _openapi("swagger"),
}


def fence(token: Token) -> list[Node]:
    """Return the code block of a fence or of indented code."""
    return code(token.content, token.info if token.type == "fence" else "")

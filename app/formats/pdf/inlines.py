"""Inlines of a document to the template's data: runs of text with marks, links, pictures, formulas, notes.

A piece is a string or a dict with its kind in `k`. Marks become letters (`m`): b i s ^ _ k c.
"""

from __future__ import annotations

from typing import Any

from app.formats.markdown import emoji, nodes
from app.formats.markdown.html_syntax import length
from app.formats.markdown.nodes import Node
from app.formats.pdf import text
from app.formats.pdf.layout_context import PIECE_ROOM, Setting
from app.formats.pdf.text import color

Data = dict[str, Any]
Pieces = list[Any]
_MARKS = {
    "bold": "b",
    "italic": "i",
    "strikethrough": "s",
    "superscript": "^",
    "subscript": "_",
    "keyboard": "k",
    "code": "c",
}


def pieces(inside: list[Node], here: Setting) -> Pieces:
    """The data of inline nodes; a block among them gives its text."""
    made: Pieces = []
    for node in inside:
        if node["object"] == "text":
            for leaf in node["leaves"]:
                if not leaf.get("html"):
                    made += _leaf(leaf, here)
        else:
            made += _inline(node, here)
    here.shared.room.take(PIECE_ROOM * len(made))
    return made


def _leaf(leaf: Node, here: Setting) -> Pieces:
    style: Data = {}
    letters = "".join(_MARKS.get(mark["type"], "") for mark in leaf["marks"])
    if letters:
        style["m"] = letters
    for mark in leaf["marks"]:
        if mark["type"] == "color":
            style |= _colors(mark["data"])
    made: Pieces = []
    for number, line in enumerate(here.words(leaf["text"]).split("\n")):
        if number:
            made.append({"k": "br"})
        if line:
            made.append({"k": "t", "t": line, **style} if style else line)
    return made


def _colors(data: Node) -> Data:
    found = {"fg": color(data.get("text")), "bg": color(data.get("background"), tint=True)}
    return {name: value for name, value in found.items() if value}


def _inline(node: Node, here: Setting) -> Pieces:
    data = node["data"]
    match node["type"]:
        case "link" | "button":
            return [_link(node, here)]
        case "mention":
            name = nodes.plain_text(node["nodes"]) or str(data["ref"].get("user", ""))
            return [{"k": "tag", "t": "@" + line(name.lstrip("@"), here)}]
        case "inline-image":
            return [picture(data, here)]
        case "inline-math":
            return [math(data["formula"], here)]
        case "emoji":
            return [here.words(emoji.characters(data["code"]))]
        case "icon":
            return []
        case "annotation":
            return _annotation(node, here)
        case "expression":
            return [{"k": "t", "t": here.words("{{ " + data["expression"] + " }}"), "m": "c"}]
    inside = pieces(node["nodes"], here)
    return inside or [{"k": "tag", "t": here.words(f"[{node['type']}]")}]


def _link(node: Node, here: Setting) -> Data:
    href = address(node["data"])
    inside = pieces(node["nodes"], here) or [here.words(href)]
    kind = "button" if node["type"] == "button" else "link"
    return {"k": kind, "a": here.link(href), "c": inside}


def address(data: Node, name: str = "ref") -> str:
    """The href of a reference as it was written, or nothing."""
    reference = data.get(name)
    return str(reference.get("url", "")) if isinstance(reference, dict) else ""


def picture(data: Node, here: Setting) -> Data:
    """A picture, or the reason why it is not printed; `alt` says what it shows."""
    href = address(data)
    source, reason = here.picture(href)
    label = here.words(data.get("alt") or data.get("title") or href.rpartition("/")[2])
    made: Data = {"k": "img", "src": source, "why": reason, "alt": label, "a": here.link(href)}
    for name in ("width", "height"):
        if (length := _length(data.get(name))) is not None:
            made[name] = length
    if data.get("size") == "line":
        made["line"] = True
    return made


def _length(written: object) -> float | None:
    """Pixels as points, or a part of the width as a number up to 1."""
    found = length(written)
    if found is None:
        return None
    number, is_share = found
    return min(max(number / 100, 0.02), 1.0) if is_share else min(max(number * 0.75, 4.0), 2000.0)


def math(source: str, here: Setting) -> Data:
    """A formula as a tree, or its source where it is not understood."""
    tree = here.formula(source)
    return (
        {"k": "math", "f": tree, "t": here.words(source)} if tree else {"k": "tex", "t": here.words(source)}
    )


def _annotation(node: Node, here: Setting) -> Pieces:
    """A number that leads to the note at the end of the page."""
    label = str(node["data"].get("label", ""))
    number, place = here.note(label, node["data"].get("body"))
    return [*pieces(node["nodes"], here), {"k": "note", "n": number, "a": {"to": place} if place else {}}]


def line(content: str, here: Setting) -> str:
    """A title or another text of one line."""
    return here.words(text.one_line(content))

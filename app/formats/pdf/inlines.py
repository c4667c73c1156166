"""Inlines of a document to the template's data: runs of text with marks, links, pictures, formulas, notes.

A piece is a string or a dict with its kind in `k`. Marks become letters (`m`): b i s ^ _ k c.

Tables: grids that fit the page, in bands where there are too many columns, and cards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.formats.markdown import escapes, nodes
from app.formats.markdown.dialects import told
from app.formats.markdown.html_syntax import length
from app.formats.markdown.nodes import Node
from app.formats.pdf import layout_context
from app.formats.pdf.layout_context import CELL_ROOM, PIECE_ROOM, Setting, color

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
_MARKED = {"bg": color("yellow", tint=True)}


def pieces(inside: list[Node], here: Setting) -> Pieces:
    """Return the data of inline nodes; a block among them gives its text."""
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
    if any(mark["type"] == "code" for mark in leaf["marks"]):
        return _lines(leaf["text"], style, here)
    made: Pieces = []
    for kind, piece in told(leaf["text"]):
        if kind == "address" and not here.in_link:
            made.append({"k": "link", "a": here.link(piece), "c": _lines(piece, style, here)})
        else:
            made += _lines(piece, style | _MARKED if kind == "marked" else style, here)
    return made


def _lines(content: str, style: Data, here: Setting) -> Pieces:
    made: Pieces = []
    for number, line in enumerate(here.words(content).split("\n")):
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
            return [here.words(escapes.emoji_characters(data["code"]))]
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
    inside = pieces(node["nodes"], replace(here, in_link=True)) or [here.words(href)]
    kind = "button" if node["type"] == "button" else "link"
    return {"k": kind, "a": here.link(href), "c": inside}


def address(data: Node, name: str = "ref") -> str:
    """Return the href of a reference as it was written, or nothing."""
    reference = data.get(name)
    return str(reference.get("url", "")) if isinstance(reference, dict) else ""


def picture(data: Node, here: Setting) -> Data:
    """Return a picture, or the reason why it is not printed; `alt` says what it shows."""
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
    """Return pixels as points, or a part of the width as a number up to 1."""
    found = length(written)
    if found is None:
        return None
    number, is_share = found
    return min(max(number / 100, 0.02), 1.0) if is_share else min(max(number * 0.75, 4.0), 2000.0)


def math(source: str, here: Setting) -> Data:
    """Return a formula as a tree, or its source where it is not understood."""
    tree = here.formula(source)
    return (
        {"k": "math", "f": tree, "t": here.words(source)} if tree else {"k": "tex", "t": here.words(source)}
    )


def _annotation(node: Node, here: Setting) -> Pieces:
    """Return a number that leads to the note at the end of the page."""
    label = str(node["data"].get("label", ""))
    number, place = here.note(label, node["data"].get("body"))
    return [*pieces(node["nodes"], here), {"k": "note", "n": number, "a": {"to": place} if place else {}}]


def line(content: str, here: Setting) -> str:
    """Return a title or another text of one line."""
    return here.words(layout_context.one_line(content))


WIDEST = 9
BAND = 6
LONGEST_HEAD = 400
_ALIGN = {"left": "left", "center": "center", "right": "right"}
Blocks = list[Data]
Make = Callable[[list[Node], Setting], Blocks]


def table(node: Node, here: Setting, blocks: Make) -> Blocks:
    """Return the blocks for a table node; `blocks` makes those of a cell."""
    data = node["data"]
    view, definition = data.get("view", {}), data.get("definition", {})
    keys = [key for key in view.get("columns", definition) if key in definition]
    rows = sorted(data.get("records", {}).values(), key=lambda row: row.get("orderIndex", 0))
    if view.get("type") == "cards":
        return [_cards(view, definition, keys, rows, here, blocks)]
    if not here.shared.room.take(CELL_ROOM * len(keys) * len(rows)):
        return [{"k": "box", "label": "This table is too large to be printed.", "t": ""}]
    inner = here.inside(longest=layout_context.CELL)
    head = [blocks(_title(definition[key]), inner) for key in keys]
    body = [[blocks(_cell(row, key), inner) for key in keys] for row in rows]
    columns = [definition[key] for key in keys]
    return grid(head, body, [_ALIGN.get(str(column.get("align", "")), "auto") for column in columns])


def grid(head: list[Blocks], rows: list[list[Blocks]], aligns: list[str]) -> Blocks:
    """Return one table, or several of a few columns each that all begin with the first column."""
    if len(aligns) <= WIDEST:
        return [_grid(head, rows, aligns)]
    return [
        _grid(
            [head[0], *head[at : at + BAND]],
            [[row[0], *row[at : at + BAND]] for row in rows],
            [aligns[0], *aligns[at : at + BAND]],
        )
        for at in range(1, len(aligns), BAND)
    ]


def _grid(head: list[Blocks], rows: list[list[Blocks]], aligns: list[str]) -> Data:
    """Return a table; an empty head is left out, a long one is not repeated on each page."""
    size = len(str(head))
    if not any(head):
        head = []
    return {"k": "table", "head": head, "rows": rows, "align": aligns, "repeat": size <= LONGEST_HEAD * 4}


def _title(column: Node) -> list[Node]:
    if "nodes" in column:
        return list(column["nodes"])
    title = str(column.get("title", ""))
    leaf = {"object": "leaf", "text": title, "marks": []}
    return [{"object": "text", "leaves": [leaf]}] if title else []


def _cell(row: Node, key: Any) -> list[Node]:
    value = row.get("values", {}).get(key)
    return value if isinstance(value, list) else []


def _cards(
    view: Node, definition: Node, keys: list[str], rows: list[Node], here: Setting, blocks: Make
) -> Data:
    """Typeset cards with their cover, their visible cells and, for hidden targets, their link."""
    inner = here.inside(longest=layout_context.CELL)
    cover, target = view.get("coverDefinition"), view.get("targetDefinition")
    items = []
    for row in rows:
        shown = [key for key in keys if key not in (cover, target) or not _hrefs(_cell(row, key))]
        covers, targets = _hrefs(_cell(row, cover)), _hrefs(_cell(row, target))
        items.append(
            {
                "cover": picture({"ref": {"url": covers[0]}}, here) if covers else None,
                "c": [blocks(_cell(row, key), inner) for key in shown if _cell(row, key)],
                "to": _target(targets[0], here) if targets else None,
            }
        )
    return {"k": "cards", "items": items, "large": view.get("cardSize") == "large"}


def _target(href: str, here: Setting) -> Data:
    return {"a": here.link(href), "t": here.title(href) or here.words(href)}


def _hrefs(cell: list[Node]) -> list[str]:
    """Return the addresses of links and pictures directly in a cell."""
    return [found for node in cell if (found := address(node.get("data") or {}))]

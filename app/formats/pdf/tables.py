"""Tables: grids that fit the page, in bands where there are too many columns, and cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.formats.markdown.nodes import Node
from app.formats.pdf import inlines, text
from app.formats.pdf.inlines import Data
from app.formats.pdf.layout_context import CELL_ROOM, Setting

WIDEST = 9
BAND = 6
LONGEST_HEAD = 400
_ALIGN = {"left": "left", "center": "center", "right": "right"}
Blocks = list[Data]
Make = Callable[[list[Node], Setting], Blocks]


def table(node: Node, here: Setting, blocks: Make) -> Blocks:
    """The blocks for a table node; `blocks` makes those of a cell."""
    data = node["data"]
    view, definition = data.get("view", {}), data.get("definition", {})
    keys = [key for key in view.get("columns", definition) if key in definition]
    rows = sorted(data.get("records", {}).values(), key=lambda row: row.get("orderIndex", 0))
    if view.get("type") == "cards":
        return [_cards(view, definition, keys, rows, here, blocks)]
    if not here.shared.room.take(CELL_ROOM * len(keys) * len(rows)):
        return [{"k": "box", "label": "This table is too large to be printed.", "t": ""}]
    inner = here.inside(longest=text.CELL)
    head = [blocks(_title(definition[key]), inner) for key in keys]
    body = [[blocks(_cell(row, key), inner) for key in keys] for row in rows]
    columns = [definition[key] for key in keys]
    return grid(head, body, [_ALIGN.get(str(column.get("align", "")), "auto") for column in columns])


def grid(head: list[Blocks], rows: list[list[Blocks]], aligns: list[str]) -> Blocks:
    """One table, or several of a few columns each that all begin with the first column."""
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
    """A head that is long does not repeat on each page; an empty one is left out."""
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
    """Cards with their cover, their visible cells and, for hidden targets, their link."""
    inner = here.inside(longest=text.CELL)
    cover, target = view.get("coverDefinition"), view.get("targetDefinition")
    items = []
    for row in rows:
        shown = [key for key in keys if key not in (cover, target) or not _hrefs(_cell(row, key))]
        covers, targets = _hrefs(_cell(row, cover)), _hrefs(_cell(row, target))
        items.append(
            {
                "cover": inlines.picture({"ref": {"url": covers[0]}}, here) if covers else None,
                "c": [blocks(_cell(row, key), inner) for key in shown if _cell(row, key)],
                "to": _target(targets[0], here) if targets else None,
            }
        )
    return {"k": "cards", "items": items, "large": view.get("cardSize") == "large"}


def _target(href: str, here: Setting) -> Data:
    return {"a": here.link(href), "t": here.title(href) or here.words(href)}


def _hrefs(cell: list[Node]) -> list[str]:
    """The addresses of links and pictures directly in a cell."""
    return [address for node in cell if (address := inlines.address(node.get("data") or {}))]

"""Tables: pipe tables and HTML tables to a `table` block of columns (`definition`) and rows (`records`).

Columns are `c1`, `c2`…, rows `r1`, `r2`…; a cell is a list of nodes: inlines, or blocks where an HTML cell
has paragraphs or lists. An HTML table that says more than this can hold is left to the caller as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from app.formats.dialect import cells, html, nodes
from app.formats.dialect.inlines import Reading
from app.formats.dialect.nodes import Node

MAX_HTML_CELLS = 100_000
_STRUCTURE = {"table", "thead", "tbody", "tr", "th", "td"}
_ALIGN = "text-align:"


@dataclass(slots=True)
class _Table:
    """A table as it is read: the columns' definitions and rows of cells."""

    attributes: dict[str, str] = field(default_factory=dict)
    columns: list[Node] = field(default_factory=list)
    rows: list[list[list[Node]]] = field(default_factory=list)


def pipe_table(tokens: list[Token], reading: Reading) -> Node:
    """The block for the tokens of one pipe table."""
    table = _Table()
    for index, token in enumerate(tokens):
        if token.type == "tr_open":
            table.rows.append([])
        elif token.type in ("th_open", "td_open"):
            inside = reading.markdown(tokens[index + 1].content)
            if token.type == "th_open":
                align = str(token.attrs.get("style", "")).removeprefix(_ALIGN) or None
                table.columns.append(_column(inside, {"align": align} if align else {}))
            else:
                table.rows[-1].append(inside)
    table.rows = [row for row in table.rows if row]
    return _block(table)


def html_table(source: str, reading: Reading) -> Node | None:
    """The block for the source of one HTML table, or None if it is not a plain grid of cells."""
    pieces = html.pieces(source)
    source = html.without_comments(source)
    if not pieces or not _plain(pieces):
        return None
    table = _Table(pieces[0].attributes)
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if piece.name == "tr" and not piece.closing:
            table.rows.append([])
        elif piece.name in ("th", "td") and not piece.closing:
            last = _cell_end(pieces, index)
            if last is None or not _cell(table, piece, source[piece.end : pieces[last].start], reading):
                return None
            index = last
        elif piece.name not in _STRUCTURE:
            return None
        index += 1
    table.rows = [row for row in table.rows if row]
    width = len(table.columns)
    if not width or any(len(row) != width for row in table.rows):
        return None
    return _block(table)


def _plain(pieces: list[html.Piece]) -> bool:
    """One table from end to end, with nothing on its tags that this module would lose."""
    first, last = pieces[0], pieces[-1]
    if first.name != "table" or not (last.name == "table" and last.closing):
        return False
    if any(not name.startswith("data-") for name in first.attributes):
        return False
    for piece in pieces[1:-1]:
        known = {"width", "align"} if piece.name == "th" else {"align"} if piece.name == "td" else set()
        if piece.name == "table" or (
            piece.name in _STRUCTURE
            and any(name not in known and not name.startswith("data-") for name in piece.attributes)
        ):
            return False
    return True


def _cell_end(pieces: list[html.Piece], index: int) -> int | None:
    for last in range(index + 1, len(pieces)):
        if pieces[last].name in _STRUCTURE:
            return last if pieces[last].closing and pieces[last].name == pieces[index].name else None
    return None


def _cell(table: _Table, piece: html.Piece, inside: str, reading: Reading) -> bool:
    """Add one cell; False if it holds more than inlines, paragraphs and lists."""
    if piece.name == "th" and len(table.rows) > 1:
        return False
    read = cells.read(inside, reading)
    if read is None:
        return False
    if piece.name == "th":
        table.columns.append(_column(read, piece.attributes))
    else:
        table.rows[-1].append(read)
    return True


def _column(title: list[Node], attributes: dict[str, str]) -> Node:
    column: Node = {"id": "", "type": attributes.get("data-type") or "text", "title": nodes.plain_text(title)}
    if title and title != [nodes.plain(column["title"])]:
        column["nodes"] = title
    for name in ("width", "align"):
        if name in attributes:
            column[name] = attributes[name]
    if "data-hidden" in attributes:
        column["hidden"] = True
    rest = {name: value for name, value in attributes.items() if name not in _COLUMN_ATTRIBUTES}
    if rest:
        column["attributes"] = rest
    return column


_COLUMN_ATTRIBUTES = {"width", "align", "data-type", "data-hidden"}


def _block(table: _Table) -> Node:
    ids = [f"c{number}" for number in range(1, len(table.columns) + 1)]
    definition = {name: {**column, "id": name} for name, column in zip(ids, table.columns, strict=True)}
    records = {
        f"r{number}": {"orderIndex": number - 1, "values": dict(zip(ids, row, strict=False))}
        for number, row in enumerate(table.rows, 1)
    }
    view = _view(table, definition)
    return nodes.block("table", void=True, view=view, definition=definition, records=records)


def _view(table: _Table, definition: dict[str, Node]) -> dict[str, Any]:
    given = dict(table.attributes)
    kind = given.pop("data-view", "grid") or "grid"
    shown = [key for key, column in definition.items() if not column.get("hidden")]
    view: dict[str, Any] = {"type": kind, "columns": shown}
    if "data-card-size" in given:
        view["cardSize"] = given.pop("data-card-size")
    for attribute, name in VIEW_COLUMNS.items():
        for key, column in definition.items():
            if attribute in column.get("attributes", {}):
                view[name] = key
                break
    if given:
        view["attributes"] = given
    return view


VIEW_COLUMNS = {
    "data-card-target": "targetDefinition",
    "data-card-cover": "coverDefinition",
    "data-card-cover-dark": "coverDefinitionDark",
}

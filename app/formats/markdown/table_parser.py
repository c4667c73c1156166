"""Tables: pipe tables and HTML tables to a `table` block of columns (`definition`) and rows (`records`).

Columns are `c1`, `c2`…, rows `r1`, `r2`…; a cell is a list of nodes: inlines, or blocks where an HTML cell
has paragraphs or lists. An HTML table that says more than this can hold is left to the caller as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from app.formats.markdown import html_syntax, nodes
from app.formats.markdown.inline_parser import Reading
from app.formats.markdown.nodes import Node

_BLOCKS = {"p": "paragraph", "ul": "list-unordered", "ol": "list-ordered", "li": "list-item"}
_INLINES = {
    "strong", "b", "em", "i", "del", "s", "strike", "code", "kbd", "sup", "sub", "mark", "a", "br", "img",
}  # fmt: skip
_DEEPEST = 10
_PARENTS = {"p": ("", "li"), "ul": ("", "li"), "ol": ("", "li"), "li": ("ul", "ol")}


@dataclass(slots=True)
class _Open:
    """A block being read: its tag, the blocks in it, and where its pending inlines begin."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    has_blocks: bool = False


def read_cell(source: str, reading: Reading) -> list[Node] | None:
    """The nodes of a cell, or None if it holds other tags or they do not nest."""
    open_blocks = [_Open("")]
    pending = 0
    for piece in html_syntax.pieces(source):
        if piece.name in _INLINES or not piece.name:
            continue
        if piece.name not in _BLOCKS or piece.attributes:
            return None
        _inlines(open_blocks[-1], source[pending : piece.start], reading)
        pending = piece.end
        if not _step(open_blocks, piece):
            return None
    _inlines(open_blocks[-1], source[pending:], reading)
    return open_blocks[0].nodes if len(open_blocks) == 1 else None


def _step(open_blocks: list[_Open], piece: html_syntax.Piece) -> bool:
    here = open_blocks[-1]
    if not piece.closing:
        allowed = here.name in _PARENTS[piece.name] and len(open_blocks) <= _DEEPEST
        if allowed and not here.has_blocks:
            here.nodes = [nodes.block("paragraph", here.nodes)] if here.nodes else []
            here.has_blocks = True
        open_blocks.append(_Open(piece.name, has_blocks=piece.name in ("ul", "ol")))
        return allowed
    if here.name != piece.name:
        return False
    open_blocks.pop()
    inside = here.nodes
    if piece.name == "li" and inside and not here.has_blocks:
        inside = [nodes.block("paragraph", inside)]
    if inside or piece.name == "li":
        open_blocks[-1].nodes.append(nodes.block(_BLOCKS[piece.name], inside))
    return True


def _inlines(here: _Open, source: str, reading: Reading) -> None:
    """Add loose text: as it is before any block, as a paragraph of its own after one."""
    read_nodes = reading.html(source)
    if not read_nodes:
        return
    if here.name in ("ul", "ol"):
        here.nodes.append(nodes.block("list-item", [nodes.block("paragraph", read_nodes)]))
    elif here.has_blocks:
        here.nodes.append(nodes.block("paragraph", read_nodes))
    else:
        here.nodes = read_nodes


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
    pieces = html_syntax.pieces(source)
    source = html_syntax.without_comments(source)
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


def _plain(pieces: list[html_syntax.Piece]) -> bool:
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


def _cell_end(pieces: list[html_syntax.Piece], index: int) -> int | None:
    for last in range(index + 1, len(pieces)):
        if pieces[last].name in _STRUCTURE:
            return last if pieces[last].closing and pieces[last].name == pieces[index].name else None
    return None


def _cell(table: _Table, piece: html_syntax.Piece, inside: str, reading: Reading) -> bool:
    """Add one cell; False if it holds more than inlines, paragraphs and lists."""
    if piece.name == "th" and len(table.rows) > 1:
        return False
    read = read_cell(inside, reading)
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

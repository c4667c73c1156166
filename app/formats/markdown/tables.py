"""Tables: pipe tables and HTML tables to `table` blocks, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from app.formats.markdown import html_syntax, nodes
from app.formats.markdown.inline_parser import InlineReading
from app.formats.markdown.inline_writer import InlineWriter
from app.formats.markdown.nodes import Node

_BLOCKS = {"p": "paragraph", "ul": "list-unordered", "ol": "list-ordered", "li": "list-item"}
_INLINES = {
    "strong", "b", "em", "i", "del", "s", "strike", "code", "kbd", "sup", "sub", "mark", "a", "br", "img",
}  # fmt: skip
_DEEPEST = 10
_PARENTS = {"p": ("", "li"), "ul": ("", "li"), "ol": ("", "li"), "li": ("ul", "ol")}


@dataclass(slots=True)
class _OpenBlock:
    """A block being read: its tag, the blocks in it, and where its pending inlines begin."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    has_blocks: bool = False


def read_cell(source: str, reading: InlineReading) -> list[Node] | None:
    """Return the nodes of a cell, or None if it holds other tags or they do not nest."""
    open_blocks = [_OpenBlock("")]
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


def _step(open_blocks: list[_OpenBlock], piece: html_syntax.Piece) -> bool:
    here = open_blocks[-1]
    if not piece.closing:
        allowed = here.name in _PARENTS[piece.name] and len(open_blocks) <= _DEEPEST
        if allowed and not here.has_blocks:
            here.nodes = [nodes.block("paragraph", here.nodes)] if here.nodes else []
            here.has_blocks = True
        open_blocks.append(_OpenBlock(piece.name, has_blocks=piece.name in ("ul", "ol")))
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


def _inlines(here: _OpenBlock, source: str, reading: InlineReading) -> None:
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
class _ParsedTable:
    """A table as it is read: the columns' definitions and rows of cells."""

    attributes: dict[str, str] = field(default_factory=dict)
    columns: list[Node] = field(default_factory=list)
    rows: list[list[list[Node]]] = field(default_factory=list)


def pipe_table(tokens: list[Token], reading: InlineReading) -> Node:
    """Return the block for the tokens of one pipe table."""
    table = _ParsedTable()
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
    return _table_block(table)


def html_table(source: str, reading: InlineReading) -> Node | None:
    """Return the block for the source of one HTML table, or None if it is not a plain grid of cells."""
    pieces = html_syntax.pieces(source)
    source = html_syntax.without_comments(source)
    if not pieces or not _plain(pieces):
        return None
    table = _ParsedTable(pieces[0].attributes)
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if piece.name == "tr" and not piece.closing:
            table.rows.append([])
        elif piece.name in ("th", "td") and not piece.closing:
            last = _cell_end(pieces, index)
            if last is None or not _add_cell(table, piece, source[piece.end : pieces[last].start], reading):
                return None
            index = last
        elif piece.name not in _STRUCTURE:
            return None
        index += 1
    table.rows = [row for row in table.rows if row]
    width = len(table.columns)
    if not width or any(len(row) != width for row in table.rows):
        return None
    return _table_block(table)


def _plain(pieces: list[html_syntax.Piece]) -> bool:
    """Return one table from end to end, with nothing on its tags that this module would lose."""
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


def _add_cell(table: _ParsedTable, piece: html_syntax.Piece, inside: str, reading: InlineReading) -> bool:
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


def _table_block(table: _ParsedTable) -> Node:
    ids = [f"c{number}" for number in range(1, len(table.columns) + 1)]
    definition = {name: {**column, "id": name} for name, column in zip(ids, table.columns, strict=True)}
    records = {
        f"r{number}": {"orderIndex": number - 1, "values": dict(zip(ids, row, strict=False))}
        for number, row in enumerate(table.rows, 1)
    }
    view = _view(table, definition)
    return nodes.block("table", void=True, view=view, definition=definition, records=records)


def _view(table: _ParsedTable, definition: dict[str, Node]) -> dict[str, Any]:
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


_RULES = {"left": ":---", "center": ":---:", "right": "---:"}
_BLOCK_TAGS = {"list-unordered": "ul", "list-tasks": "ul", "list-ordered": "ol", "list-item": "li"}


def write_table(node: Node, inlines: InlineWriter) -> list[str]:
    """Return the lines of a table."""
    data = node["data"]
    definition: dict[str, Node] = data.get("definition") or {}
    rows = _rows(data)
    if not definition:
        return []
    if _fits_pipes(data, definition, rows):
        return _write_pipes(definition, rows, inlines)
    return [_write_html(data, definition, rows, inlines)]


def _rows(data: Node) -> list[dict[str, Any]]:
    records = sorted((data.get("records") or {}).values(), key=lambda record: record.get("orderIndex", 0))
    return [record.get("values") or {} for record in records]


def _cell_nodes(value: object) -> list[Node]:
    if isinstance(value, list):
        return value
    if value is None:
        return []
    return [nodes.plain(str(value).lower() if isinstance(value, bool) else str(value))]


def _fits_pipes(data: Node, definition: dict[str, Node], rows: list[dict[str, Any]]) -> bool:
    view = data.get("view") or {}
    if view.get("type", "grid") != "grid" or view.keys() - {"type", "columns"}:
        return False
    for column in definition.values():
        if column.get("type", "text") != "text" or {"width", "hidden", "attributes"} & column.keys():
            return False
    cells = [_cell_nodes(row.get(name)) for row in rows for name in definition]
    return not any(node.get("object") == "block" for cell in cells for node in cell)


def title_nodes(column: Node) -> list[Node]:
    """Return the inlines of a column's title."""
    if "nodes" in column:
        return list(column["nodes"])
    return [nodes.plain(column["title"])] if column.get("title") else []


def _write_pipes(definition: dict[str, Node], rows: list[dict[str, Any]], inlines: InlineWriter) -> list[str]:
    titles = [inlines.cell(title_nodes(column)) for column in definition.values()]
    rules = [_RULES.get(column.get("align", ""), "---") for column in definition.values()]
    body = [[inlines.cell(_cell_nodes(row.get(name))) for name in definition] for row in rows]
    return [f"| {' | '.join(cells)} |" for cells in (titles, rules, *body)]


def _write_html(
    data: Node, definition: dict[str, Node], rows: list[dict[str, Any]], inlines: InlineWriter
) -> str:
    view = data.get("view") or {}
    head = "".join(_head(name, column, view, inlines) for name, column in definition.items())
    cells = ([_inside(_cell_nodes(row.get(name)), inlines) for name in definition] for row in rows)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    given: dict[str, str] = {} if view.get("type", "grid") == "grid" else {"data-view": view["type"]}
    if view.get("cardSize"):
        given["data-card-size"] = view["cardSize"]
    opening = html_syntax.write_tag("table", given | view.get("attributes", {}))
    return f"{opening}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _head(name: str, column: Node, view: Node, inlines: InlineWriter) -> str:
    given = {key: str(column[key]) for key in ("width", "align") if column.get(key)}
    if column.get("hidden"):
        given["data-hidden"] = ""
    given |= column.get("attributes", {})
    given |= {attribute: "" for attribute, key in VIEW_COLUMNS.items() if view.get(key) == name}
    if column.get("type", "text") != "text":
        given["data-type"] = column["type"]
    return f"{html_syntax.write_tag('th', given)}{inlines.html(title_nodes(column))}</th>"


def _inside(cell: list[Node], inlines: InlineWriter) -> str:
    """Return what stands in an HTML cell: inlines, or paragraphs and lists."""
    if not any(node.get("object") == "block" for node in cell):
        return inlines.html(cell)
    return "".join(_block(node, inlines) for node in cell)


def _block(node: Node, inlines: InlineWriter) -> str:
    if node.get("object") != "block":
        return f"<p>{inlines.html([node])}</p>"
    inside = node["nodes"]
    tag = _BLOCK_TAGS.get(node["type"])
    if tag == "li" and len(inside) == 1 and inside[0].get("type") == "paragraph":
        return f"<li>{inlines.html(inside[0]['nodes'])}</li>"
    if tag:
        return f"<{tag}>{''.join(_block(child, inlines) for child in inside)}</{tag}>"
    if any(child.get("object") == "block" for child in inside):
        return "".join(_block(child, inlines) for child in inside)
    return f"<p>{inlines.html(inside)}</p>"

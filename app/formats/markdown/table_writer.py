"""Tables to Markdown: pipes where they can say everything, HTML otherwise."""

from __future__ import annotations

from typing import Any

from app.formats.markdown import html_syntax, nodes
from app.formats.markdown.inline_writer import InlineWriter
from app.formats.markdown.nodes import Node
from app.formats.markdown.table_parser import VIEW_COLUMNS

_RULES = {"left": ":---", "center": ":---:", "right": "---:"}
_BLOCK_TAGS = {"list-unordered": "ul", "list-tasks": "ul", "list-ordered": "ol", "list-item": "li"}


def table(node: Node, inlines: InlineWriter) -> list[str]:
    """The lines of a table."""
    data = node["data"]
    definition: dict[str, Node] = data.get("definition") or {}
    rows = _rows(data)
    if not definition:
        return []
    if _fits_pipes(data, definition, rows):
        return _pipes(definition, rows, inlines)
    return [_html(data, definition, rows, inlines)]


def _rows(data: Node) -> list[dict[str, Any]]:
    records = sorted((data.get("records") or {}).values(), key=lambda record: record.get("orderIndex", 0))
    return [record.get("values") or {} for record in records]


def _cell(value: object) -> list[Node]:
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
    cells = [_cell(row.get(name)) for row in rows for name in definition]
    return not any(node.get("object") == "block" for cell in cells for node in cell)


def title_nodes(column: Node) -> list[Node]:
    """The inlines of a column's title."""
    if "nodes" in column:
        return list(column["nodes"])
    return [nodes.plain(column["title"])] if column.get("title") else []


def _pipes(definition: dict[str, Node], rows: list[dict[str, Any]], inlines: InlineWriter) -> list[str]:
    titles = [inlines.cell(title_nodes(column)) for column in definition.values()]
    rules = [_RULES.get(column.get("align", ""), "---") for column in definition.values()]
    body = [[inlines.cell(_cell(row.get(name))) for name in definition] for row in rows]
    return [f"| {' | '.join(cells)} |" for cells in (titles, rules, *body)]


def _html(data: Node, definition: dict[str, Node], rows: list[dict[str, Any]], inlines: InlineWriter) -> str:
    view = data.get("view") or {}
    head = "".join(_head(name, column, view, inlines) for name, column in definition.items())
    cells = ([_inside(_cell(row.get(name)), inlines) for name in definition] for row in rows)
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
    """What stands in an HTML cell: inlines, or paragraphs and lists."""
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

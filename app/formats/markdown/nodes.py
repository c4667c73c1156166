"""The building blocks of a document, where nodes hide in other nodes, and how keys are given.

A document is made of plain dicts. Most nodes keep their children in `nodes`; a few keep more in `data`:
an annotation its note (`body`), an expandable its `title`, a table its column titles and its cells.
`child_lists` is the one place that knows these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Node = dict[str, Any]

SCHEMA_VERSION = 1
MAX_DEPTH = 100
MARK_ORDER = (
    "color",
    "bold",
    "italic",
    "strikethrough",
    "superscript",
    "subscript",
    "keyboard",
    "code",
)


def document(nodes: list[Node], **data: Any) -> Node:
    """A whole document."""
    return {"object": "document", "data": {"schemaVersion": SCHEMA_VERSION, **data}, "nodes": nodes}


def block(kind: str, nodes: list[Node] | None = None, *, void: bool = False, **data: Any) -> Node:
    """A block of the given type; `data` entries that are None are left out."""
    kept = {name: value for name, value in data.items() if value is not None}
    return {
        "object": "block",
        "type": kind,
        "key": "",
        "data": kept,
        "nodes": [] if nodes is None else nodes,
        "isVoid": void,
    }


def inline(kind: str, nodes: list[Node] | None = None, *, void: bool = False, **data: Any) -> Node:
    """An inline of the given type; `data` entries that are None are left out."""
    return {**block(kind, nodes, void=void, **data), "object": "inline"}


def text(leaves: list[Node]) -> Node:
    """A text node."""
    return {"object": "text", "key": "", "leaves": leaves}


def leaf(content: str, marks: Sequence[Node] = (), *, html: bool = False) -> Node:
    """A run of text under the same marks, in canonical order; `html` says it is a raw tag kept verbatim."""
    ordered = sorted(marks, key=lambda mark: MARK_ORDER.index(mark["type"]))
    made: Node = {"object": "leaf", "text": content, "marks": ordered}
    if html:
        made["html"] = True
    return made


def mark(kind: str, **data: Any) -> Node:
    """A mark, with its data if it has any (only `color` has)."""
    return {"object": "mark", "type": kind, "data": data}


def plain(content: str) -> Node:
    """A text node of one unmarked leaf."""
    return text([leaf(content)])


def url_reference(url: str) -> Node:
    """A stored reference to an address as it was written."""
    return {"kind": "url", "url": url}


def child_lists(node: Node) -> Iterator[tuple[str, list[Node]]]:
    """Every list of nodes directly inside this one, with its path from the node."""
    data = node.get("data") or {}
    match node.get("type"):
        case "annotation" if isinstance(data.get("body"), list):
            yield "data.body", data["body"]
        case "expandable" if isinstance(data.get("title"), list):
            yield "data.title", data["title"]
        case "table":
            yield from _table_lists(data)
    if isinstance(node.get("nodes"), list):
        yield "nodes", node["nodes"]


def _table_lists(data: Node) -> Iterator[tuple[str, list[Node]]]:
    for column, definition in data.get("definition", {}).items():
        if isinstance(definition.get("nodes"), list):
            yield f"data.definition.{column}.nodes", definition["nodes"]
    for record, row in data.get("records", {}).items():
        for column, value in row.get("values", {}).items():
            if isinstance(value, list):
                yield f"data.records.{record}.values.{column}", value


def with_lists(node: Node, change: Callable[[list[Node]], list[Node]]) -> Node:
    """A copy of the node with every list of nodes directly inside it changed."""
    made = dict(node)
    if "nodes" in made:
        made["nodes"] = change(made["nodes"])
    if not isinstance(made.get("data"), dict):
        return made
    data = made["data"] = dict(made["data"])
    name = {"annotation": "body", "expandable": "title"}.get(made.get("type", ""), "")
    if isinstance(data.get(name), list):
        data[name] = change(data[name])
    if made.get("type") == "table":
        data["definition"] = {
            key: {**column, "nodes": change(column["nodes"])} if "nodes" in column else column
            for key, column in data.get("definition", {}).items()
        }
        rows = data.get("records", {}).items()
        data["records"] = {key: _with_cells(record, change) for key, record in rows}
    return made


def _with_cells(record: Node, change: Callable[[list[Node]], list[Node]]) -> Node:
    cells = record.get("values", {}).items()
    values = {key: change(cell) if isinstance(cell, list) else cell for key, cell in cells}
    return {**record, "values": values}


def walk(root: Node) -> Iterator[Node]:
    """Every node below the root, in reading order, without recursion."""
    waiting = [iter(_children(root))]
    while waiting:
        for node in waiting[-1]:
            yield node
            waiting.append(iter(_children(node)))
            break
        else:
            waiting.pop()


def _children(node: Node) -> Iterator[Node]:
    for _, nodes in child_lists(node):
        yield from nodes


def give_keys(root: Node) -> None:
    """Name every node by its place (`3.0.1`), so that the same body always has the same keys."""
    waiting = [(root, "")]
    while waiting:
        parent, prefix = waiting.pop()
        for path, nodes in child_lists(parent):
            place = prefix + _place(path)
            for index, node in enumerate(nodes):
                node["key"] = f"{place}{index}"
                waiting.append((node, f"{place}{index}."))


def _place(path: str) -> str:
    short = {"nodes": "", "data.body": "b", "data.title": "t"}.get(path)
    return path.removeprefix("data.").replace("values.", "") + "." if short is None else short


def plain_text(nodes: Sequence[Node]) -> str:
    """The text of these nodes, marks and raw tags left out."""
    parts: list[str] = []
    for node in walk({"nodes": list(nodes)}):
        if node["object"] == "text":
            parts.extend(piece["text"] for piece in node["leaves"] if not piece.get("html"))
    return "".join(parts)


Reference = dict[str, Any]
Address = Callable[[Reference], "str | None"]


def stable(reference: Reference) -> str:
    """An address made of ids, which stays right when pages move; a `url` reference is its own address."""
    space = f"/spaces/{reference['space']}" if reference.get("space") else ""
    match reference.get("kind"):
        case "url":
            return str(reference.get("url", ""))
        case "page":
            return f"{space}/pages/{reference.get('page', '')}"
        case "file":
            return f"{space}/files/{reference.get('file', '')}"
        case "anchor":
            page = f"{space}/pages/{reference['page']}" if reference.get("page") else ""
            return f"{page}#{reference.get('anchor', '')}"
        case "space":
            return f"/spaces/{reference.get('space', '')}"
        case "collection":
            return f"/collections/{reference.get('collection', '')}"
        case "reusable-content":
            return f"{space}/reusable-contents/{reference.get('reusableContent', '')}"
        case "user":
            return f"mention://{reference.get('user', '')}"
        case "tag":
            return f"{space}/tags/{reference.get('tag', '')}"
        case "openapi":
            return f"/openapi/{reference.get('spec', '')}"
    return ""


def address(reference: object, own: Address | None) -> str:
    """Where a reference leads: what the caller says, else its stable address."""
    if not isinstance(reference, dict):
        return ""
    return (own(reference) if own else None) or stable(reference)

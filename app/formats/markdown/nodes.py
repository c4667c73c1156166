"""The building blocks of a document, where nodes hide in other nodes, and how keys are given.

A document is made of plain dicts. Most nodes keep their children in `nodes`; a few keep more in `data`:
an annotation its note (`body`), an expandable its `title`, a table its column titles and its cells.
`child_lists` is the one place that knows these.

Blocks of integrations: `{% @integration/block name="value" %}`.

A plain text is a value between double quotes; every other value is JSON, between single quotes where it needs
them. A property whose name cannot stand before `=` is in a JSON object that has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from app.formats.markdown import tags
from app.kit.errors import Invalid

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
    """Return a whole document."""
    return {"object": "document", "data": {"schemaVersion": SCHEMA_VERSION, **data}, "nodes": nodes}


def block(kind: str, nodes: list[Node] | None = None, *, void: bool = False, **data: Any) -> Node:
    """Return a block of the given type; `data` entries that are None are left out."""
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
    """Return an inline of the given type; `data` entries that are None are left out."""
    return {**block(kind, nodes, void=void, **data), "object": "inline"}


def text(leaves: list[Node]) -> Node:
    """Return a text node."""
    return {"object": "text", "key": "", "leaves": leaves}


def leaf(content: str, marks: Sequence[Node] = (), *, html: bool = False) -> Node:
    """Return a run of text under the same marks, in canonical order;
    `html` says it is a raw tag kept verbatim.
    """
    ordered = sorted(marks, key=lambda mark: MARK_ORDER.index(mark["type"]))
    made: Node = {"object": "leaf", "text": content, "marks": ordered}
    if html:
        made["html"] = True
    return made


def mark(kind: str, **data: Any) -> Node:
    """Return a mark, with its data if it has any (only `color` has)."""
    return {"object": "mark", "type": kind, "data": data}


def plain(content: str) -> Node:
    """Return a text node of one unmarked leaf."""
    return text([leaf(content)])


def url_reference(url: str) -> Node:
    """Return a stored reference to an address as it was written."""
    return {"kind": "url", "url": url}


def child_lists(node: Node) -> Iterator[tuple[str, list[Node]]]:
    """Yield every list of nodes directly inside this one, with its path from the node."""
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
    """Return a copy of the node with every list of nodes directly inside it changed."""
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
    """Yield every node below the root, in reading order, without recursion."""
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


def without_title(blocks: list[Node], title: str) -> list[Node]:
    """Return the blocks of a page without its first heading, where that only says the title again."""
    for place, each in enumerate(blocks):
        if str(each.get("type")).startswith("heading-"):
            is_title = each["type"] == "heading-1" and plain_text(each["nodes"]).strip() == title.strip()
            return [*blocks[:place], *blocks[place + 1 :]] if is_title else blocks
    return blocks


def plain_text(nodes: Sequence[Node]) -> str:
    """Return the text of these nodes, marks and raw tags left out."""
    parts: list[str] = []
    for node in walk({"nodes": list(nodes)}):
        if node["object"] == "text":
            parts.extend(piece["text"] for piece in node["leaves"] if not piece.get("html"))
    return "".join(parts)


Reference = dict[str, Any]
Address = Callable[[Reference], "str | None"]


def stable(reference: Reference) -> str:
    """Return an address made of ids, which stays right when pages move;
    a `url` reference is its own address.
    """
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
    """Return where a reference leads: what the caller says, else its stable address."""
    if not isinstance(reference, dict):
        return ""
    return (own(reference) if own else None) or stable(reference)


_NAME = re.compile(r"[\w.-]{1,100}\Z", re.ASCII)
_PROPERTY = re.compile(r"[A-Za-z_][\w:-]*\Z", re.ASCII)
_PLAIN = re.compile(r"(?:(?!%\})[^\x00-\x1f\x7f])*\Z")
_BARE_VALUE = re.compile(r"[\w.-]+\Z", re.ASCII)


def read_integration_block(tag: tags.Tag) -> Node:
    """Return the block that a tag stands for; whatever its arguments are, they are its properties."""
    name, _, kind = tag.name.removeprefix("@").partition("/")
    props: dict[str, Any] = {}
    for key, value, is_text in tags.arguments(tag.arguments):
        given = value if is_text else _from_json(value)
        if key.isdigit() and isinstance(given, dict):
            props.update(given)
        else:
            props[key] = given
    return block("integration", void=True, integration=name, block=kind, props=props)


def write_integration_block(data: dict[str, Any]) -> str:
    """Return the tag of a block, on one line."""
    props = data.get("props") or {}
    named = {key: value for key, value in props.items() if _PROPERTY.match(key)}
    given = "".join(f" {key}={_written(value)}" for key, value in named.items())
    rest = {key: value for key, value in props.items() if key not in named}
    if rest:
        given += f" {_json(rest)}"
    return f"{{% @{data['integration']}/{data['block']}{given} %}}"


def check_integration_block(data: dict[str, Any], path: str) -> None:
    """Raise Invalid where a block could not be written: without a name, or longer than a tag may be."""
    if not data.get("integration"):
        if not isinstance((data.get("props") or {}).get("source"), str):
            raise Invalid("A block must name its integration.", path=f"{path}.integration")
        return
    for name in ("integration", "block"):
        if not _NAME.match(data.get(name) or ""):
            raise Invalid(
                "This must be letters, digits, dots, dashes and underscores.", path=f"{path}.{name}"
            )
    try:
        length = len(write_integration_block(data))
    except (orjson.JSONEncodeError, RecursionError):
        raise Invalid("The properties cannot be stored as JSON.", path=f"{path}.props") from None
    if length > tags.LONGEST_TAG:
        raise Invalid(
            f"A block of an integration may have at most {tags.LONGEST_TAG:,} characters as Markdown.",
            path=f"{path}.props",
        )


def _written(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.match(value):
        return tags.quoted(value)
    return _json(value)


def _json(value: Any) -> str:
    """Return JSON that ends neither its quotes nor its tag."""
    text = orjson.dumps(value).decode().replace("'", "\\u0027").replace("%}", "%\\u007d")
    return text if _BARE_VALUE.match(text) else f"'{text}'"


def _from_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return text

"""Documents that callers send: their shape, their types, and how deep and how large they may be."""

from __future__ import annotations

from typing import Any

from app.formats.markdown import nodes
from app.kit.errors import Invalid

MAX_NODES = 100_000
BLOCKS = {
    "paragraph", "heading-1", "heading-2", "heading-3", "list-ordered", "list-unordered", "list-tasks",
    "list-item", "divider", "blockquote", "hint", "code", "code-line", "images", "image", "file", "drawing",
    "embed", "math", "expandable", "tabs", "tabs-item", "table", "columns", "column", "stepper",
    "stepper-step", "content-ref", "reusable-content", "integration", "if", "updates", "update",
    "openapi-operation", "openapi-schemas", "openapi-webhook", "swagger",
}  # fmt: skip
INLINES = {
    "link", "emoji", "icon", "mention", "expression", "inline-math", "inline-image", "annotation", "button",
}  # fmt: skip
REFERENCES = {
    "file", "url", "page", "anchor", "user", "collection", "space", "reusable-content", "tag", "openapi",
}  # fmt: skip
_TEXTS = {
    "hint": ("style", "icon"), "code": ("syntax", "title", "overflow", "meta"), "math": ("formula",),
    "inline-math": ("formula",), "expression": ("expression",), "if": ("expression",), "embed": ("url",),
    "emoji": ("code",), "icon": ("icon", "style"), "image": ("alt", "title"), "images": ("align",),
    "inline-image": ("alt", "title"), "link": ("title",), "button": ("style", "icon"),
    "tabs-item": ("title",), "annotation": ("label",), "integration": ("integration", "block"),
    "heading-1": ("id",), "heading-2": ("id",), "heading-3": ("id",),
}  # fmt: skip
_OBJECTS = {"table": ("definition", "records", "view"), "integration": ("props",)}
_LISTS = {"annotation": ("body",), "expandable": ("title",)}


def check_document(value: object, path: str = "document") -> dict[str, Any]:
    """Return the document itself if it is one; Invalid, naming the place, if it is not."""
    document = _object(value, path)
    if document.get("object") != "document":
        raise Invalid('A document\'s "object" must be "document".', path=f"{path}.object")
    _object(document.get("data", {}), f"{path}.data")
    _list(document.get("nodes"), f"{path}.nodes")
    document = {**document, "data": document.get("data", {})}
    waiting: list[tuple[dict[str, Any], str, int]] = [(document, path, 0)]
    count = 0
    while waiting:
        parent, place, depth = waiting.pop()
        if depth >= nodes.MAX_DEPTH and any(inside for _, inside in nodes.child_lists(parent)):
            raise Invalid(f"The document is nested deeper than {nodes.MAX_DEPTH}.", path=place)
        for where, inside in nodes.child_lists(parent):
            for index, node in enumerate(inside):
                count += 1
                if count > MAX_NODES:
                    raise Invalid(f"The document has more than {MAX_NODES} nodes.", path=path)
                here = f"{place}.{where}[{index}]"
                _node(node, here)
                waiting.append((node, here, depth + 1))
    return document


def _node(value: object, path: str) -> None:
    node = _object(value, path)
    kind = node.get("object")
    if kind == "text":
        _text(node, path)
        return
    known = {"block": BLOCKS, "inline": INLINES}.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise Invalid('A node\'s "object" must be "block", "inline" or "text".', path=f"{path}.object")
    if not isinstance(node.get("type"), str) or node["type"] not in known:
        raise Invalid(f"There is no {kind} of this type.", path=f"{path}.type")
    if "isVoid" in node and not isinstance(node["isVoid"], bool):
        raise Invalid("This must be true or false.", path=f"{path}.isVoid")
    node.setdefault("data", {})
    node.setdefault("nodes", [])
    _list(node["nodes"], f"{path}.nodes")
    _data(node["type"], _object(node["data"], f"{path}.data"), f"{path}.data")


def _data(kind: str, data: dict[str, Any], path: str) -> None:
    for name in (*_TEXTS.get(kind, ()), *_OBJECTS.get(kind, ()), *_LISTS.get(kind, ())):
        if data.get(name) is None:
            data.pop(name, None)  # null is as if it were not there
        elif name in _OBJECTS.get(kind, ()):
            _object(data[name], f"{path}.{name}")
        elif name in _LISTS.get(kind, ()):
            _list(data[name], f"{path}.{name}")
        else:
            _string(data[name], f"{path}.{name}")
    for name in ("ref", "refDark"):
        if data.get(name) is not None:
            _reference(data[name], f"{path}.{name}")
    for name in ("start", "level"):
        number = data.get(name, 0)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise Invalid("This must be a whole number.", path=f"{path}.{name}")
    if "attributes" in data:
        for name, value in _object(data["attributes"], f"{path}.attributes").items():
            _string(value, f"{path}.attributes.{name}")
    if kind == "table":
        _table(data, path)
    elif kind == "integration":
        nodes.check_integration_block(data, path)


def _reference(value: object, path: str) -> None:
    kind = _object(value, path).get("kind")
    if not isinstance(kind, str) or kind not in REFERENCES:
        raise Invalid("There is no reference of this kind.", path=f"{path}.kind")


def _table(data: dict[str, Any], path: str) -> None:
    for name, column in (data.get("definition") or {}).items():
        here = f"{path}.definition.{name}"
        column = _object(column, here)
        for text in ("title", "type", "width", "align"):
            if column.get(text) is not None:
                _string(column[text], f"{here}.{text}")
        if "nodes" in column:
            _list(column["nodes"], f"{here}.nodes")
        _attributes(column, here)
    for name, record in (data.get("records") or {}).items():
        here = f"{path}.records.{name}"
        order = _object(record, here).get("orderIndex", 0)
        if isinstance(order, bool) or not isinstance(order, int | float):
            raise Invalid("This must be a number.", path=f"{here}.orderIndex")
        for column, value in _object(record.get("values", {}), f"{here}.values").items():
            if not isinstance(value, list | str | int | float | None):
                raise Invalid("A cell must be a list of nodes, or a value.", path=f"{here}.values.{column}")
    view = data.get("view") or {}
    if view.get("type") is not None:
        _string(view["type"], f"{path}.view.type")
    _attributes(view, f"{path}.view")


def _attributes(holder: dict[str, Any], path: str) -> None:
    for name, value in _object(holder.get("attributes", {}), f"{path}.attributes").items():
        _string(value, f"{path}.attributes.{name}")


def _text(node: dict[str, Any], path: str) -> None:
    for index, value in enumerate(_list(node.get("leaves"), f"{path}.leaves")):
        here = f"{path}.leaves[{index}]"
        leaf = _object(value, here)
        if leaf.setdefault("object", "leaf") != "leaf":
            raise Invalid('A leaf\'s "object" must be "leaf".', path=f"{here}.object")
        _string(leaf.get("text"), f"{here}.text")
        for number, mark in enumerate(_list(leaf.setdefault("marks", []), f"{here}.marks")):
            place = f"{here}.marks[{number}]"
            if _object(mark, place).get("type") not in nodes.MARK_ORDER:
                raise Invalid("There is no mark of this type.", path=f"{place}.type")
            for name, color in _object(mark.setdefault("data", {}), f"{place}.data").items():
                _string(color, f"{place}.data.{name}")


def _object(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid("This must be an object.", path=path)
    return value


def _list(value: object, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise Invalid("This must be a list.", path=path)
    return value


def _string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise Invalid("This must be a text.", path=path)
    return value

"""Documents as typed blocks (`models.blocks`): whatever the site reader can show is here, with a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from app.kit.deadlines import check
from app.models.blocks import ColumnType, HttpMethod
from app.models.site_looks import Tone
from app.present.leaf_blocks import ALIGNS, LEAVES, Block, Data, among, data_of, key_of
from app.present.link_targets import Follow, as_written
from app.present.runs import DEEPEST, LineReader, address, given, length, nodes_in, plain, words

_LISTS = {"list-ordered": "ordered", "list-unordered": "unordered", "list-tasks": "tasks"}
_AROUND = {
    "list-item": "list-unordered", "tabs-item": "tabs", "stepper-step": "stepper", "column": "columns",
    "update": "updates", "code-line": "code",
}  # fmt: skip
_HINTS, _METHODS, _COLUMNS = (frozenset(get_args(each)) for each in (Tone, HttpMethod, ColumnType))
_BIGGEST = 2**31 - 1  # of the numbers that GraphQL knows
_STARS = frozenset(map(str, range(11)))


def blocks(document: Data, follow: Follow = as_written) -> list[Block]:
    """Return the blocks of a structured document, in time linear in its size.

    `follow` tells what an address in it leads to. Without it that is what the address says by its writing:
    addresses elsewhere have their `url`, those made of ids the ids, and paths of a repository are broken. The
    ids of pages, files, spaces, reusable contents and users are references: nothing is looked up here.

    The document may hold anything. What is no block of a known type becomes an UnknownBlock, and of what is
    nested too deep there is the text.
    """
    writer = _BlockPresenter(LineReader(follow))
    made = writer.blocks(document.get("nodes"))
    return [*made, *writer.footnotes()]


@dataclass(slots=True)
class _BlockPresenter:
    """Makes the typed blocks of one document."""

    line: LineReader

    def blocks(self, inside: object) -> list[Block]:
        """Return the blocks of a list of nodes; what stands loose between them becomes paragraphs."""
        made: list[Block] = []
        loose: list[Data] = []
        for node in nodes_in(inside):
            check()
            if node.get("object") in ("text", "inline") or self.line.depth >= DEEPEST:
                loose.append(node)
                continue
            made += [*self._paragraph(loose), *self._block(node)]
            loose = []
        return [*made, *self._paragraph(loose)]

    def footnotes(self) -> Iterator[Block]:
        """Yield the block of all footnotes, those in footnotes too; nothing where there are none."""
        found: dict[int, list[Block]] = {}
        for number, body in self.line.notes:  # which grow while they are read
            found[number] = self.blocks(body)
        if found:
            notes = [{"number": number, "blocks": found[number]} for number in sorted(found)]
            yield {"type": "footnotes", "footnotes": notes}

    def cell(self, content: object) -> Block:
        """Return what stands in a cell: runs, or blocks if there are any."""
        if not isinstance(content, list):
            text = str(content) if isinstance(content, str | int | float) else ""
            return {"runs": [{"type": "text", "text": text, "marks": []}] if text else [], "blocks": []}
        if any(node.get("object") not in ("text", "inline") for node in nodes_in(content)):
            return {"runs": [], "blocks": self.blocks(content)}
        return {"runs": self.line.runs(content), "blocks": []}

    def parts(self, node: Data, kind: str) -> Iterator[tuple[Data, Block]]:
        """Yield the data of each part of a block with its key and blocks; any other node is a part too."""
        for part in nodes_in(node.get("nodes")):
            if part.get("type") == kind:
                yield data_of(part), {**key_of(part), "blocks": self.blocks(part.get("nodes"))}
            else:
                yield {}, {"blocks": self.blocks([part])}

    def _block(self, node: Data) -> list[Block]:
        kind = words(node, "type") if node.get("object") == "block" else ""
        if kind in _AROUND:
            kind, node = _AROUND[kind], {"nodes": [node]}
        data = data_of(node)
        self.line.depth += 1
        if kind in LEAVES:
            made = list(LEAVES[kind](self.line, data, node))
        else:
            made = [_CONTAINERS.get(kind, _unknown)(self, data, node)]
        self.line.depth -= 1
        return [{**key_of(node), **each} for each in made]

    def _paragraph(self, loose: Sequence[Data]) -> list[Block]:
        runs = self.line.runs(loose) if loose else []
        return [{"type": "paragraph", "runs": runs}] if runs else []


def _holding(kind: str) -> _Maker:
    def make(writer: _BlockPresenter, _data: Data, node: Data) -> Block:
        return {"type": kind, "blocks": writer.blocks(node.get("nodes"))}

    return make


def _hint(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    made = {"type": "hint", "style": "info", **among(_HINTS, data, "style"), **given(data, "icon")}
    return {**made, "blocks": writer.blocks(node.get("nodes"))}


def _details(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    summary = writer.line.runs(data.get("title"))
    made = {"type": "details", "summary": summary, "open": data.get("open") is True}
    return {**made, "blocks": writer.blocks(node.get("nodes"))}


def _conditional(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    condition = words(data, "expression")
    return {"type": "conditional", "condition": condition, "blocks": writer.blocks(node.get("nodes"))}


def _list(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    kind, start = _LISTS[node.get("type") or "list-unordered"], data.get("start")
    items = []
    for own, item in writer.parts(node, "list-item"):
        items.append({**item, "checked": own.get("checked") is True} if kind == "tasks" else item)
    made: Block = {"type": "list", "kind": kind, "items": items}
    if kind == "ordered" and isinstance(start, int) and not isinstance(start, bool):
        made["start"] = max(0, min(start, _BIGGEST))
    return made


def _tabs(writer: _BlockPresenter, _data: Data, node: Data) -> Block:
    parts = writer.parts(node, "tabs-item")
    tabs = [{**item, "title": words(own, "title"), **given(own, "icon")} for own, item in parts]
    return {"type": "tabs", "tabs": tabs}


def _stepper(writer: _BlockPresenter, _data: Data, node: Data) -> Block:
    return {"type": "stepper", "steps": [item for _, item in writer.parts(node, "stepper-step")]}


def _columns(writer: _BlockPresenter, _data: Data, node: Data) -> Block:
    panes = [{**item, **_width(own)} for own, item in writer.parts(node, "column")]
    return {"type": "columns", "panes": panes}


def _width(data: Data) -> Block:
    width = length(data.get("width"))
    return {"width": width} if width else {}


def _updates(writer: _BlockPresenter, _data: Data, node: Data) -> Block:
    entries = [{**item, **given(own, "date")} for own, item in writer.parts(node, "update")]
    return {"type": "updates", "entries": entries}


def _embed(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    inside = writer.cell(node.get("nodes") or [])
    target = writer.line.follow(words(data, "url"))
    return {"type": "embed", "target": target, "caption": inside["runs"], "blocks": inside["blocks"]}


def _openapi(kind: str) -> _Maker:
    def make(writer: _BlockPresenter, data: Data, node: Data) -> Block:
        named = words(data, "spec") or words(data, "src")
        made: Block = {"type": kind}
        if named:
            made["url" if named.startswith(("https://", "http://")) else "specification"] = named
        if kind == "openapi-schemas":
            made["schemas"] = [name.strip() for name in words(data, "schemas").split(",") if name.strip()]
        else:
            made |= among(_METHODS, {"method": words(data, "method").lower()}, "method")
        if kind == "openapi-operation":
            title = words(data, "summary")
            made |= {**given(data, "path"), **({"title": title} if title else {})}
        elif kind == "openapi-webhook":
            name = words(data, "name") or words(data, "path")
            made |= {"webhook": name} if name else {}
        return {**made, "blocks": writer.blocks(node.get("nodes"))}

    return make


def _table(writer: _BlockPresenter, data: Data, _node: Data) -> Block:
    view, definition = _map(data.get("view")), _map(data.get("definition"))
    wanted = view["columns"] if isinstance(view.get("columns"), list) else list(definition)
    shown = {key: _map(definition[key]) for key in wanted if isinstance(key, str) and key in definition}
    rows = [row for row in _map(data.get("records")).values() if isinstance(row, dict)]
    values = [_map(row.get("values")) for row in sorted(rows, key=_place)]
    if view.get("type") == "cards":
        cards = [_card(writer, view, shown, row) for row in values]
        return {"type": "cards", "large": view.get("cardSize") == "large", "cards": cards}
    columns = [_column(writer, column) for column in shown.values()]
    return {
        "type": "table",
        "hasHeader": any(column["runs"] or column["blocks"] for column in columns),
        "columns": columns,
        "rows": [
            {"cells": [_cell(writer, column, row.get(key)) for key, column in shown.items()]}
            for row in values
        ],
    }


def _map(value: object) -> Data:
    return value if isinstance(value, dict) else {}


def _place(row: Data) -> float:
    place = row.get("orderIndex")
    return place if isinstance(place, int | float) else 0


def _column(writer: _BlockPresenter, column: Data) -> Block:
    title = column["nodes"] if isinstance(column.get("nodes"), list) else words(column, "title")
    kind = {"type": "text", **among(_COLUMNS, column, "type")}
    return {**kind, **writer.cell(title), **among(ALIGNS, column, "align"), **_width(column)}


def _cell(writer: _BlockPresenter, column: Data, value: object) -> Block:
    made = writer.cell(value)
    said = plain(made["runs"]).strip()
    if column.get("type") == "checkbox":
        made["checked"] = said.lower() == "true"
    elif column.get("type") == "rating" and said in _STARS:
        made["rating"] = int(said)
    return made


def _card(writer: _BlockPresenter, view: Data, shown: Data, row: Data) -> Block:
    """Return a card; its picture and what it leads to are in cells, which are then not shown themselves."""
    made: Block = {}
    taken = set()
    for name, column in _OF_CARDS.items():
        key = words(view, column)
        href = next(filter(None, (address(data_of(node)) for node in nodes_in(row.get(key)))), "")
        if href:
            made[name] = writer.line.follow(href)
            taken.add(key)
    cells = [_cell(writer, column, row.get(key)) for key, column in shown.items() if key not in taken]
    return {**made, "cells": [cell for cell in cells if cell["runs"] or cell["blocks"]]}


_OF_CARDS = {
    "target": "targetDefinition",
    "cover": "coverDefinition",
    "darkCover": "coverDefinitionDark",
}


def _unknown(writer: _BlockPresenter, data: Data, node: Data) -> Block:
    inside = writer.blocks(node.get("nodes"))
    return {"type": "unknown", "name": words(node, "type"), "data": data, "blocks": inside}


_Maker = Callable[[_BlockPresenter, Data, Data], Block]
_CONTAINERS: Mapping[str, _Maker] = {
    **dict.fromkeys(_LISTS, _list),
    "blockquote": _holding("quote"),
    "hint": _hint,
    "expandable": _details,
    "if": _conditional,
    "tabs": _tabs,
    "stepper": _stepper,
    "columns": _columns,
    "updates": _updates,
    "table": _table,
    "embed": _embed,
    "openapi-operation": _openapi("openapi-operation"),
    "swagger": _openapi("openapi-operation"),
    "openapi-webhook": _openapi("openapi-webhook"),
    "openapi-schemas": _openapi("openapi-schemas"),
}

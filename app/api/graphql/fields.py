"""The fields of the rows: which type each belongs to, its arguments and what it answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import strawberry
from pydantic import RootModel

from app.api.catalog import OPERATIONS
from app.api.graphql.connections import PAGE, edge_cursor, end_cursor, page_info, start_cursor
from app.api.graphql.declarations import Argument, Declarations, Declared, Field, Kind, list_of, optional
from app.api.graphql.finishes import CURSOR
from app.api.graphql.inputs import Inputs, converts_of
from app.api.graphql.list_inputs import asked_fields, list_arguments
from app.api.graphql.nodes import Node, node_by_parameter, nodes, shape_of, type_name
from app.api.graphql.queries import BESIDE, DEFAULT
from app.api.graphql.reading import Reading, unwrapped
from app.api.graphql.shape_fields import named_fields
from app.api.graphql.shapes import Shapes
from app.api.operation import Operation
from app.models.base import Shape
from app.models.queries import PageQuery


def add_reads(declarations: Declarations, shapes: Shapes, inputs: Inputs) -> None:
    """Declare the fields of all rows that read."""
    for (name, field), rows in grouped(row for row in OPERATIONS if not row.writes).items():
        parent = nodes().get(name)
        declarations.type(name).fields[field] = read_field(declarations, shapes, inputs, parent, rows)


def grouped(rows: Iterable[Operation]) -> dict[tuple[str, str], list[Operation]]:
    """Return rows by the type and the name of their field."""
    found: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for row in rows:
        parent, _, field = row.field.rpartition(".")
        found[parent or "Mutation", field].append(row)
    return found


def read_field(
    declarations: Declarations,
    shapes: Shapes,
    inputs: Inputs,
    parent: Node | None,
    rows: list[Operation],
    preset: dict[str, str] | None = None,
) -> Field:
    """Return the field of rows that read; `preset` are the parts of their query that the parent decides."""
    first = rows[0]
    owner = parent.type if parent is not None else first.field.rpartition(".")[0]
    above = set(parent.parameters if parent is not None else ()) - set((preset or {}).values())
    places: dict[str, str] = {}
    arguments: dict[str, Argument] = {}
    asked = [[each for each in row.parameters if each not in above] for row in rows]
    for parameter in dict.fromkeys(each for names in asked for each in names):
        name = argument_name(parameter, shape_of(first))
        places[name] = parameter
        node = node_by_parameter().get(parameter)
        kind: Kind = str if node is None and not parameter.endswith("Id") else strawberry.ID
        must = all(parameter in names for names in asked)
        about = f"The {node.type}, by its `id` or `restId`." if node is not None else _about(parameter)
        arguments[name] = Argument(kind if must else optional(kind), about)
    beside = _query_arguments(declarations, shapes, inputs, owner, first, preset or {})
    if first.body is not None:
        beside |= inputs.arguments(first.body)
    arguments |= beside
    resolve = Reading(rows, parent, places, converts_of(beside), preset or {})
    description = first_line(first.description)
    kind = answer_kind(declarations, shapes, first)
    return Field(optional(kind), description, resolve=resolve, arguments=arguments)


def _about(parameter: str) -> str:
    return {"pagePath": "Path of the page in the space, such as `guides/setup`."}.get(
        parameter, f"The {''.join(f' {c.lower()}' if c.isupper() else c for c in parameter)}."
    )


def answer_kind(declarations: Declarations, shapes: Shapes, row: Operation) -> Kind:
    """Return the type of what a row answers."""
    shape = shape_of(row)
    assert shape is not None
    if row.paged:
        item, name = item_kind(shapes, shape)
        extra = _extra(shapes, row)
        return connection_type(declarations, name, item, extra).handle
    wrapper = unwrapped(shape)
    if wrapper is not None:
        info = named_fields(shape)[wrapper]
        return shapes.kind_of(info, wrapper)[0]
    return item_kind(shapes, shape)[0]


def item_kind(shapes: Shapes, shape: type[Shape]) -> tuple[Kind, str]:
    """Return the type of a shape that rows answer, and its name."""
    if issubclass(shape, RootModel):
        info = shape.model_fields["root"]
        kind, _ = shapes.kind_of(info, "root")
        return kind, getattr(kind, "graphql_name", None) or type_name(shape)
    declared_type = shapes.output(shape)
    return declared_type.handle, declared_type.name


def _extra(shapes: Shapes, row: Operation) -> dict[str, Field]:
    if row.extra is None:
        return {}
    return shapes.plain_fields(row.extra)


def _query_arguments(
    declarations: Declarations,
    shapes: Shapes,
    inputs: Inputs,
    owner: str,
    row: Operation,
    preset: dict[str, str],
) -> dict[str, Argument]:
    shape, answer = row.query, shape_of(row)
    if shape is None:
        return {}
    fields = asked_fields(row, preset)
    if not issubclass(shape, PageQuery):
        arguments = {name: inputs.argument(name, info) for name, info in fields.items()}
        if "limit" in named_fields(shape):
            arguments["first"] = Argument(optional(int), "Maximum number of items.", 10)
        return arguments
    assert answer is not None
    arguments = {name: inputs.argument(name, info) for name, info in fields.items() if name in BESIDE}
    item = item_kind(shapes, answer)[1]
    arguments |= list_arguments(declarations, inputs, owner, item, row, preset)
    return {**arguments, **paging()}


def paging() -> dict[str, Argument]:
    """Return the arguments of every list (Relay, Cursor Connections)."""
    return {
        "first": Argument(
            optional(int), "Maximum number of items, from the start of the list or `after` a cursor.", DEFAULT
        ),
        "after": Argument(optional(str), "Cursor to start after."),
        "last": Argument(
            optional(int), "Maximum number of items, from the end of the list or `before` a cursor."
        ),
        "before": Argument(optional(str), "Cursor to end before."),
    }


def argument_name(parameter: str, shape: type[Shape] | None) -> str:
    """Return what GraphQL calls a parameter of a path: `id` where it is the id of what is answered."""
    node = nodes().get(type_name(shape)) if shape is not None else None
    if node is not None and node.own == parameter and node.key == "id":
        return "id"
    if node is not None and node.own == parameter:
        return node.key
    return short(parameter)


def short(parameter: str) -> str:
    """Return a parameter of a path without its ending: `teamId` is `team`."""
    if parameter == "pagePath":
        return "path"
    for ending in ("Id", "Slug"):
        parameter = parameter.removesuffix(ending)
    return "integration" if parameter == "integrationName" else parameter


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.strip().partition("\n")[0]


def connection_type(declarations: Declarations, name: str, item: Any, extra: dict[str, Field]) -> Declared:
    """Return the type of connections of a type; `name` is that of the items."""
    info = page_info_type(declarations)
    edge = declarations.type(f"{name}Edge", f"An item of a list of type {name}, with its cursor.")
    edge.fields = {
        "cursor": Field(str, "Cursor of the item, for `after` and `before`.", key=CURSOR, finish=edge_cursor),
        "node": Field(item, "The item.", key="node"),
    }
    found = declarations.type(f"{name}Connection", f"A page of a list of type {name}.")
    found.fields = {
        "edges": Field(list_of(edge.handle), "The items with their cursors.", key="edges"),
        "nodes": Field(list_of(item), "The items.", key="nodes"),
        "pageInfo": Field(info.handle, "Position of this page in the list.", key=PAGE, finish=page_info),
        "totalCount": Field(int, "Total number of items in the list.", key="totalCount"),
        **extra,
        **{each: it for each, it in found.fields.items() if each not in extra},
    }
    return found


def page_info_type(declarations: Declarations) -> Declared:
    """Return the type that says where a page of a list begins and ends."""
    info = declarations.type("PageInfo", "Where a page of a list begins and ends.")
    info.fields = {
        "hasNextPage": Field(bool, "Whether items follow after this page.", key="hasNextPage"),
        "hasPreviousPage": Field(bool, "Whether items come before this page.", key="hasPreviousPage"),
        "startCursor": Field(optional(str), "Cursor of the first item.", key=PAGE, finish=start_cursor),
        "endCursor": Field(optional(str), "Cursor of the last item.", key=PAGE, finish=end_cursor),
    }
    return info

"""The fields of the rows that write: their inputs and payloads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

import strawberry
from pydantic import RootModel

from app.api.catalog import OPERATIONS
from app.api.graphql.around import Before, Loading, LoadingCaller, LoadingOrganization, changed_by
from app.api.graphql.declarations import Argument, Declarations, Declared, Field, list_of, optional
from app.api.graphql.errors import CODES
from app.api.graphql.fields import first_line, grouped, item_kind, short
from app.api.graphql.inputs import Inputs, converts_of
from app.api.graphql.nodes import (
    Node,
    lower,
    node_by_parameter,
    nodes,
    payload_name,
    shape_of,
    title,
    type_name,
)
from app.api.graphql.references import Referring
from app.api.graphql.shape_fields import holds_list, named_fields, references
from app.api.graphql.shapes import Shapes
from app.api.graphql.writing import VERSION, Writing
from app.api.operation import Operation
from app.api.writes import KEY, REVISION
from app.models.base import Shape, for_callers

IN_ORGANIZATION = frozenset({"spaceId", "collectionId", "integrationName", "installationId"})
"""The parameters of paths that say an organization without naming it."""


def add_writes(declarations: Declarations, shapes: Shapes, inputs: Inputs) -> None:
    """Declare the mutations of all rows that write."""
    mutation = declarations.type("Mutation", "All mutations. Each field is its own transaction.")
    errors = user_error(declarations)
    for (_, name), rows in grouped(row for row in OPERATIONS if row.writes).items():
        mutation.fields[name] = _mutation(declarations, shapes, inputs, name, rows, errors)


def _mutation(
    declarations: Declarations,
    shapes: Shapes,
    inputs: Inputs,
    name: str,
    rows: list[Operation],
    errors: Declared,
) -> Field:
    taken = {each for row in rows for each in body_fields(row)}
    places = {free(short(each), taken): each for row in rows for each in row.parameters}
    given = declarations.type(f"{title(name)}Input", f"Input of `{name}`.", is_input=True)
    given.fields = {
        each: Argument(
            strawberry.ID if _must(parameter, rows) else optional(strawberry.ID), _about(parameter, rows)
        )
        for each, parameter in places.items()
    }
    beside: dict[str, Argument] = {}
    for body in dict.fromkeys(row.body for row in rows if row.body is not None):
        beside |= inputs.arguments(body)
    given.fields |= beside
    given.fields[KEY] = Argument(
        optional(str),
        "Key of this change, 1 to 255 characters. Sending the same input with the same key again within a "
        "day does not repeat the change and returns the first payload.",
    )
    reads = {row.id: found for row in rows if (found := _read_at(row.path)) is not None}
    given.fields |= _expected(reads.values())
    result, fields = _result(shapes, rows[0])
    deletes = changed_by(rows[0]) if rows[0].method == "DELETE" else None
    payload = declarations.type(payload_name(name), f"Result of `{name}`.")
    around = {**_organization(declarations, rows), **named_objects(declarations, rows)}
    payload.fields = {**around, **_caller(declarations, rows), **fields}
    if deletes is not None:
        payload.fields.pop(result or lower(deletes.type), None)
        about = f"`id` of the deleted {deletes.type}."
        payload.fields["deletedId"] = Field(optional(strawberry.ID), about, key="deletedId")
    why = "Errors that the caller can correct. Empty if the change was made."
    payload.fields["userErrors"] = Field(list_of(errors.handle), why, key="userErrors")
    return Field(
        payload.handle,
        first_line(rows[0].description),
        resolve=Writing(rows, places, converts_of(beside), result, deletes, reads),
        arguments={"input": Argument(given.handle, "The input.")},
        deprecated="Use `sortSiteStructure`." if rows[0].deprecated else None,
    )


def _read_at(path: str) -> Operation | None:
    """Return the operation that reads what is at a path, if one does."""
    return next(
        (row for row in OPERATIONS if row.path == path and row.method == "GET" and not row.paged), None
    )


def _expected(reading: Collection[Operation]) -> dict[str, Argument]:
    """Return the fields of an input that say what the caller has read of what is changed."""
    if not reading:
        return {}
    if any(row.field.endswith(".currentRevision") for row in reading):
        about = "ID of the revision that you read. The change is refused if there is a newer one."
        return {REVISION: Argument(optional(strawberry.ID), about)}
    about = "`etag` of the object that you read. The change is refused if the object has changed since."
    return {VERSION: Argument(optional(str), about)}


def body_fields(row: Operation) -> list[str]:
    """Return the names of what is in the body of a row."""
    return [] if row.body is None else list(named_fields(row.body))


def free(name: str, taken: set[str]) -> str:
    """Return what an input calls an object of the path: not as a field of the body is called."""
    return f"{name}Id" if name in taken else name


def _must(parameter: str, rows: Sequence[Operation]) -> bool:
    """Tell whether an input has to name an object: all rows want it, and no id of another object says it."""
    return all(parameter in row.parameters and _from(parameter, row) is None for row in rows)


def _from(parameter: str, row: Operation) -> Node | None:
    """Return the type of an object that the input names and whose id says the parameter too."""
    for each in row.parameters[row.parameters.index(parameter) + 1 :]:
        node = node_by_parameter().get(each)
        if node is not None and parameter in node.parameters:
            return node
    return None


def _about(parameter: str, rows: Sequence[Operation]) -> str:
    node = node_by_parameter().get(parameter)
    if node is None:
        return f"The {short(parameter)}."
    says = next(
        (found for row in rows if parameter in row.parameters and (found := _from(parameter, row))), None
    )
    about = f"The {node.type}, by its `id` or `restId`."
    return f"{about} Not needed if the {says.type} is given by its `id`." if says else about


def _result(shapes: Shapes, row: Operation) -> tuple[str, dict[str, Field]]:
    """Return the field of the payload that shows what a row answers, with the fields that do.

    An object, and what can be read elsewhere too, has a field of its own; what only a write answers is told
    in fields of the payload.
    """
    shape = shape_of(row)
    if shape is None:
        return "", {}
    called = result_of(row)
    if called:
        kind, _ = item_kind(shapes, shape)
        about = first_line(for_callers(shape.__doc__))
        return called, {called: Field(optional(kind), about, key=called)}
    fields = shapes.plain_fields(shape)
    for each in fields.values():
        each.type = optional(each.type)
    return "", fields


def result_of(row: Operation) -> str:
    """Return the field of the payload that shows what a row answers; empty where that has several fields."""
    shape = shape_of(row)
    if shape is None:
        return ""
    if issubclass(shape, RootModel):
        return "item"
    is_object = type_name(shape) in nodes() or "id" in named_fields(shape)
    return lower(type_name(shape)) if is_object or shape in _readable() else ""


@cache
def _readable() -> set[type[Shape] | None]:
    return {shape_of(row) for row in OPERATIONS if not row.writes}


def user_error(declarations: Declarations) -> Declared:
    """Return the type of what stands in the way of a change."""
    declared = declarations.type("UserError", "An error of a mutation that the caller can correct.")
    declared.fields = {
        "code": Field(declarations.enumeration(CODES), "Kind of the error.", key="code"),
        "message": Field(str, "What is wrong, as a sentence.", key="message"),
        "path": Field(
            optional(list_of(str)),
            "Path of the invalid field in the input. Null if the error is not about a field.",
            key="path",
        ),
    }
    return declared


def named_objects(declarations: Declarations, rows: Sequence[Operation]) -> dict[str, Field]:
    """Return fields for the objects that the input named, which a change may have changed too."""
    found: dict[str, Field] = {}
    for parameter in dict.fromkeys(each for row in rows for each in row.parameters):
        node = node_by_parameter().get(parameter)
        if node is not None:
            about = f"The {node.type} named in the input, in its current state."
            handle = declarations.type(node.type).handle
            found[lower(node.type)] = Field(optional(handle), about, resolve=Loading(node))
    bodies = dict.fromkeys(row.body for row in rows if row.body is not None)
    for name, info in ((name, info) for body in bodies for name, info in named_fields(body).items()):
        node = nodes().get(references(info) or "")
        if node is not None and not holds_list(info.annotation):
            about = f"The {node.type} named as `{name}` in the input, in its current state."
            handle = declarations.type(node.type).handle
            loading = Loading(node, name)
            found.setdefault(name.removesuffix("Id"), Field(optional(handle), about, resolve=loading))
    return found


def _organization(declarations: Declarations, rows: Sequence[Operation]) -> dict[str, Field]:
    """Return the field for the organization around a change, which the path names by something in it."""
    if not any(IN_ORGANIZATION.intersection(row.parameters) for row in rows):
        return {}
    handle = declarations.type("Organization").handle
    about = "The organization in which the change was made, in its current state."
    return {"organization": Field(optional(handle), about, resolve=LoadingOrganization())}


def _caller(declarations: Declarations, rows: Sequence[Operation]) -> dict[str, Field]:
    """Return the field for who made a change that anybody makes of what is their own."""
    if not any(row.permission == "anybody" for row in rows):
        return {}
    handle = declarations.type("User").handle
    return {"me": Field(optional(handle), "The caller in their current state.", resolve=LoadingCaller())}


def add_former_places(declarations: Declarations, rows: Iterable[Operation]) -> None:
    """Add to payloads what a deleted object was in, and what a moved object was in before."""
    for row in rows:
        node = changed_by(row)
        if node is None:
            continue
        payload = declarations.types[payload_name(row.field)].fields
        named = named_fields(row.body) if row.body is not None else {}
        for name, place, field in _places(declarations.types[node.type], node):
            target = place.target
            if row.method == "DELETE" and not _shows(payload, target):
                about = f"The {target.type} that contained it, in its current state."
                payload[name] = Field(field.type, about, resolve=Before(place))
            elif name in named:
                about = f"The {target.type} that contained it before, in its current state."
                former = f"previous{name[0].upper()}{name[1:]}"
                payload[former] = Field(field.type, about, resolve=Before(place))


def _shows(payload: Mapping[str, Field], target: Node) -> bool:
    """Tell whether a payload shows the object of a type that the input named."""
    return any(isinstance(each.resolve, Loading) and each.resolve.node is target for each in payload.values())


def _places(declared: Declared, node: Node) -> list[tuple[str, Referring, Field]]:
    """Return the fields of a type that name what its objects are in, with what resolves them."""
    return [
        (name, each.resolve, each)
        for name, each in declared.fields.items()
        if isinstance(each.resolve, Referring)
        and not each.resolve.is_list
        and node.own not in each.resolve.target.parameters[:-1]
    ]

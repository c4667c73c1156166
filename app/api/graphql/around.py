"""Shows in payloads the objects around a change, so that clients' caches are right without asking again.

Beside the objects in the path of an operation, these are the ones that its body named, and those that a
deleted or moved object was in before: their lists and counts have changed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from app.api.graphql.declarations import Declarations, Declared, Field, optional
from app.api.graphql.nodes import AT, Node, Source, lower, node_by_parameter, nodes, payload_name
from app.api.graphql.reading import load
from app.api.graphql.references import Referring
from app.api.graphql.shapes import holds_list, named_fields, references
from app.api.graphql.state import Info, RequestState
from app.api.operation import Operation
from app.kit.errors import NotFound, Problem
from graphql import FieldNode, FragmentSpreadNode, InlineFragmentNode, SelectionSetNode, get_named_type

GIVEN = "@given"
WAS = "@was"


class Loading:
    """Resolves a field of a payload that shows an object which the input named: in the path, or in a body."""

    def __init__(self, node: Node, key: str = "") -> None:
        self.node = node
        self.key = key

    async def __call__(self, source: Source, info: Info) -> Any:
        values = source.get(AT)
        if values is None:
            return None
        if self.key:
            named = source[GIVEN].get(self.key)
            if named is None:
                return None
            values = {**values, self.node.own: named}
        address = self.node.address(values)
        if address is None:
            return None
        try:
            return await load(info.context, self.node, address)
        except NotFound:  # it was deleted, or the caller has left
            return None


class Before:
    """Resolves a field of a payload as that of the object as it was before the change."""

    def __init__(self, field: Field) -> None:
        self.field = field

    async def __call__(self, source: Source, info: Info) -> Any:
        was = source.get(WAS)
        if was is None or self.field.resolve is None:
            return None
        try:
            return await self.field.resolve(was, info)
        except NotFound:
            return None


def named_objects(declarations: Declarations, rows: Sequence[Operation]) -> dict[str, Field]:
    """Return fields for the objects that the input named, which a change may have changed too."""
    found: dict[str, Field] = {}
    for parameter in dict.fromkeys(each for row in rows for each in row.parameters):
        node = node_by_parameter().get(parameter)
        if node is not None:
            about = f"The {node.type} that the input named, as it is now."
            handle = declarations.type(node.type).handle
            found[lower(node.type)] = Field(optional(handle), about, resolve=Loading(node))
    bodies = dict.fromkeys(row.body for row in rows if row.body is not None)
    for name, info in ((name, info) for body in bodies for name, info in named_fields(body).items()):
        node = nodes().get(references(info) or "")
        if node is not None and not holds_list(info.annotation):
            about = f"The {node.type} that the input named as `{name}`, as it is now."
            handle = declarations.type(node.type).handle
            loading = Loading(node, name)
            found.setdefault(name.removesuffix("Id"), Field(optional(handle), about, resolve=loading))
    return found


def add_former_places(declarations: Declarations, rows: Iterable[Operation]) -> None:
    """Add to payloads what a deleted object was in, and what a moved object was in before."""
    for row in rows:
        node = changed_by(row)
        if node is None:
            continue
        payload = declarations.types[payload_name(row.field)].fields
        named = named_fields(row.body) if row.body is not None else {}
        for name, target, field in _places(declarations.types[node.type], node):
            if row.method == "DELETE" and not _shows(payload, target):
                about = f"The {target.type} that it was in, as it is now."
                payload[name] = Field(field.type, about, resolve=Before(field))
            elif name in named:
                about = f"The {target.type} that it was in before, as it is now."
                former = f"previous{name[0].upper()}{name[1:]}"
                payload[former] = Field(field.type, about, resolve=Before(field))


def _shows(payload: Mapping[str, Field], target: Node) -> bool:
    """Tell whether a payload shows the object of a type that the input named."""
    return any(isinstance(each.resolve, Loading) and each.resolve.node is target for each in payload.values())


def _places(declared: Declared, node: Node) -> list[tuple[str, Node, Field]]:
    """Return the fields of a type that name what its objects are in, and what kind of object that is."""
    return [
        (name, each.resolve.target, each)
        for name, each in declared.fields.items()
        if isinstance(each.resolve, Referring)
        and not each.resolve.is_list
        and node.own not in each.resolve.target.parameters[:-1]
    ]


def changed_by(row: Operation) -> Node | None:
    """Return the type of the object that a row changes; of what a row deletes, where that is an object."""
    if row.method == "DELETE" and not row.path.endswith("}"):
        return None
    return next((node for node in nodes().values() if row.parameters in node.rows), None)


async def before(state: RequestState, row: Operation, values: Mapping[str, str], info: Info) -> Source | None:
    """Return the object that a row is about to change, if the payload is asked where it was."""
    node = changed_by(row)
    address = node.address(values) if node is not None else None
    if node is None or address is None:
        return None
    payload: Any = get_named_type(info.return_type)
    asked = _asked(info, (each.selection_set for each in info.field_nodes))
    if not any(isinstance(payload.fields[name].resolve, Before) for name in asked if name in payload.fields):
        return None
    try:
        return cast("Source", await load(state, node, address))
    except Problem:  # the change is refused with its own reason
        return None


def _asked(info: Info, selections: Iterable[SelectionSetNode | None]) -> set[str]:
    """Return the names of the fields in selections."""
    found: set[str] = set()
    for selection in selections:
        for each in selection.selections if selection is not None else ():
            if isinstance(each, FieldNode):
                found.add(each.name.value)
            elif isinstance(each, FragmentSpreadNode):
                found |= _asked(info, [info.fragments[each.name.value].selection_set])
            elif isinstance(each, InlineFragmentNode):
                found |= _asked(info, [each.selection_set])
    return found

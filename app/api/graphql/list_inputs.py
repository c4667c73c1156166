"""The arguments of lists: `filter` and `orderBy`, with one rule for the names of their inputs.

They are named after the items: `SpaceFilter`, `MemberOrderBy`. Where lists of the same items take different
conditions, that of the type to which the items belong has this name, and the name of another begins with the
type that has the list: `OrganizationChangeRequestFilter`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, TypeAlias

from pydantic.fields import FieldInfo

from app.api.catalog import OPERATIONS
from app.api.graphql.converts import narrowed
from app.api.graphql.declarations import Argument, Declarations, Declared, optional
from app.api.graphql.inputs import Inputs, converts_of
from app.api.graphql.nodes import Node, nodes, shape_of, type_name
from app.api.graphql.queries import BESIDE, DIRECTION, FIELDS, HIDDEN, filter_name
from app.api.graphql.shape_fields import named_fields
from app.api.operation import Operation
from app.models.base import Shape

Ending: TypeAlias = Literal["Filter", "OrderBy"]
Part: TypeAlias = tuple[type[Shape], tuple[str, ...]]
INSIDE = {"shareKey": ("ResolvedRedirect",), "computed": ("Pages", "SemanticChanges")}
"""Parts of queries that change fields of what is answered, which take them; with the types that are answered
differently as a whole."""


def asked_fields(row: Operation, preset: Mapping[str, str]) -> dict[str, FieldInfo]:
    """Return the fields of a row's query that GraphQL asks for, but those that the parent presets."""
    if row.query is None:
        return {}
    answer = type_name(shape_of(row) or row.query)
    return {
        name: info
        for name, info in named_fields(row.query).items()
        if (name not in HIDDEN or (name == "page" and not row.paged)) and name not in preset
        if name not in INSIDE or answer in INSIDE[name]
    }


def list_arguments(
    declarations: Declarations,
    inputs: Inputs,
    owner: str,
    item: str,
    row: Operation,
    preset: Mapping[str, str],
) -> dict[str, Argument]:
    """Return the arguments `filter` and `orderBy` of a list that a type has, where it takes any."""
    fields = asked_fields(row, preset)
    found: dict[str, Argument] = {}

    def declared(ending: Ending, about: str) -> tuple[Declared, tuple[str, ...]] | None:
        part = _part(row, ending, preset)
        if part is None:
            return None
        name = f"{item}{ending}" if part == _plain(row, ending) else f"{owner}{item}{ending}"
        return declarations.type(name, about, is_input=True), part[1]

    if (made := declared("Filter", "Filter of a list: items must match all given conditions.")) is not None:
        kind, names = made
        kind.fields = {filter_name(name): _optional(inputs.argument(name, fields[name])) for name in names}
        convert = partial(narrowed, converts_of(kind.fields))
        about = "Filter of the items. All items if left out."
        found["filter"] = Argument(optional(kind.handle), about, convert=convert)
    if (made := declared("OrderBy", "How a list is ordered.")) is not None:
        kind, names = made
        kind.fields = {
            "direction" if name == DIRECTION else "field": _optional(inputs.argument(name, fields[name]))
            for name in names
        }
        found["orderBy"] = Argument(optional(kind.handle), "Order of the items.")
    return found


def _part(row: Operation, ending: Ending, preset: Mapping[str, str]) -> Part | None:
    """Return the query of a list and those of its fields that go into one of its inputs, if any do."""
    if row.query is None:
        return None
    ordering = (DIRECTION, *FIELDS)
    names = tuple(
        name
        for name in asked_fields(row, preset)
        if name not in BESIDE and (name in ordering) == (ending == "OrderBy")
    )
    return (row.query, names) if names else None


def _plain(row: Operation, ending: Ending) -> Part | None:
    """Return what the input is made of that is called after the items alone."""
    shape = shape_of(row)
    assert shape is not None
    found = {}
    for each in OPERATIONS:
        answer = shape_of(each) if each.paged and not each.writes else None
        is_alike = answer is not None and type_name(answer) == type_name(shape)
        if is_alike and (part := _part(each, ending, {})) is not None:
            found[each.field.rpartition(".")[0]] = part
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    item = nodes().get(type_name(shape))
    return next((part for owner, part in found.items() if item is not None and _holds(owner, item)), None)


def _holds(owner: str, item: Node) -> bool:
    """Tell whether objects are addressed right below those of a type; `Query` has those of one parameter."""
    above = nodes().get(owner)
    places = {frozenset(names) for names in above.variants} if above is not None else {frozenset[str]()}
    return any(frozenset(names[:-1]) in places for names in item.variants)


def _optional(argument: Argument) -> Argument:
    return Argument(optional(argument.type), argument.description, convert=argument.convert)

"""The variables of a call with the ids that GraphQL has, in place of those of REST."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import strawberry
from strawberry.types.base import StrawberryList, StrawberryOptional

from app.api.graphql.converts import rest_ids, under
from app.api.graphql.declarations import Argument
from app.api.graphql.nodes import Node, named_in, nodes
from app.api.graphql.schema import DECLARED
from app.api.graphql.writing import Writing
from app.api.operation import Operation

HANDLES = {each.handle: each for each in DECLARED.types.values() if each.is_input}


def of_writing(operation: Operation, path: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a mutation."""
    field = DECLARED.types["Mutation"].fields[operation.field]
    assert isinstance(field.resolve, Writing)
    fields = HANDLES[field.arguments["input"].type].fields
    places = field.resolve.arguments
    return {
        name: of_parameter(path, places[name], value)
        if name in places
        else _of(fields[name], path, value, name)
        for name, value in given.items()
    }


def of_reading(arguments: Mapping[str, Argument], path: Mapping[str, str], given: dict[str, Any]) -> Any:
    """The variables of a query: parameters of the path, and arguments of the field."""
    found = {name: of_parameter(path, name, value) for name, value in given.items() if name in path}
    others = {name: value for name, value in given.items() if name not in path}
    return found | {
        name: _of(arguments[name], path, value, name) if name in arguments else value
        for name, value in others.items()
    }


def of_parameter(path: Mapping[str, str], parameter: str, value: str) -> str:
    """An object that the path names."""
    known = named_in(frozenset(path), parameter)
    return _id(known[0], path, value) if known else value


def _of(argument: Argument, path: Mapping[str, str], value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_of(argument, path, each, name) for each in value]
    kind = argument.type
    while isinstance(kind, StrawberryOptional | StrawberryList):
        kind = kind.of_type
    if kind is strawberry.ID:
        return _id(_named(argument.convert, name) or nodes()["Space"], path, value)
    if kind in HANDLES and isinstance(value, dict):
        fields = HANDLES[kind].fields
        return {each: _of(fields[each], path, inner, each) for each, inner in value.items()}
    return value


def _named(convert: Any, name: str) -> Node | None:
    """The type of the objects whose ids an input takes; None for objects of any type."""
    assert isinstance(convert, partial), f"{name} takes no ids of GraphQL"
    if convert.func is under:
        return _named(convert.args[2], name)
    assert convert.func is rest_ids, f"{name} takes no ids of GraphQL"
    found: Node | None = convert.args[0]
    return found


def _id(node: Node, path: Mapping[str, str], value: str) -> str:
    """The id of an object in GraphQL; of one that is named beside the path, with some place."""
    known = {**path, node.own: value}
    address = node.address(known)
    if address is None:
        taken = min(node.variants, key=len)
        address = tuple(known.get(name, "x") if name in taken else "" for name in node.parameters)
    return node.id_of(address)

"""Writes the schema that Strawberry built as the data that `prepared` reads it from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from app.api.catalog import REFERENCES
from app.api.graphql.execution import FIELD
from app.api.graphql.nodes import Node, nodes
from app.api.graphql.prepared import CALL, NODE, ROW, Data
from app.api.operation import Operation
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    Undefined,
    is_introspection_type,
    is_specified_scalar_type,
)


def encoded(value: Any) -> Any:
    """Return something as data; raises TypeError for what is neither data nor a function nor made of them."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Node):
        return {NODE: value.type}
    if isinstance(value, Operation):
        return {ROW: REFERENCES[value.id]}
    if isinstance(value, Mapping):
        return {name: encoded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(each) for each in value]
    if isinstance(value, partial) and not value.keywords:
        return {CALL: _name(value.func), "bound": encoded(value.args)}
    if is_dataclass(value):
        given = {each.name: encoded(getattr(value, each.name)) for each in fields(value) if each.init}
        return {CALL: _name(type(value)), "fields": given}
    return {CALL: _name(value)}


def _name(value: Any) -> str:
    name: str = value.__qualname__
    if "<" in name:
        raise TypeError(f"{name} of {value.__module__} cannot be found by its name")
    return f"{value.__module__}:{name}"


def written(core: GraphQLSchema) -> str:
    """Return a schema as the file has it."""
    known = {
        name: {
            "key": each.key,
            "parameters": each.parameters,
            "rows": {" ".join(names): REFERENCES[row.id] for names, row in each.rows.items()},
        }
        for name, each in nodes().items()
    }
    data = {"nodes": known, "types": {name: _type(kind) for name, kind in core.type_map.items()}}
    return json.dumps(data, indent=0, separators=(",", ":"), ensure_ascii=False) + "\n"


def _type(kind: GraphQLNamedType) -> Data:
    if is_specified_scalar_type(kind) or is_introspection_type(kind):
        return {}
    about = _about(kind)
    match kind:
        case GraphQLScalarType():
            return {"kind": "SCALAR", **about, "specifiedBy": kind.specified_by_url}
        case GraphQLEnumType():
            values = {name: {"value": str(it.value), **_about(it)} for name, it in kind.values.items()}
            return {"kind": "ENUM", **about, "values": values}
        case GraphQLUnionType():
            members = [(*told, name) for told, name in kind.resolve_type.members]  # type: ignore[union-attr]
            return {"kind": "UNION", **about, "types": [each.name for each in kind.types], "members": members}
        case GraphQLInputObjectType():
            one = {"isOneOf": True} if kind.is_one_of else {}
            fields_ = {name: _given(it) for name, it in kind.fields.items()}
            return {"kind": "INPUT_OBJECT", **about, **one, "fields": fields_}
        case GraphQLInterfaceType() | GraphQLObjectType():
            interfaces = [each.name for each in kind.interfaces]
            return {
                "kind": "INTERFACE" if isinstance(kind, GraphQLInterfaceType) else "OBJECT",
                **about,
                **({"interfaces": interfaces} if interfaces else {}),
                "fields": {name: _field(it) for name, it in kind.fields.items()},
            }
    raise TypeError(f"{kind} is no type of a schema")


def _field(it: GraphQLField) -> Data:
    ours = it.extensions.get(FIELD)
    found: Data = {"type": str(it.type), **_about(it)}
    if it.args:
        found["args"] = {name: _given(each) for name, each in it.args.items()}
    if ours is None:  # of an interface
        return {**found, "key": ""}
    if ours.resolve is not None:
        counts = getattr(ours.resolve, "counts", None)
        return {**found, "resolve": encoded(ours.resolve), **({"counts": counts} if counts else {})}
    finish = {} if ours.finish is None else {"finish": encoded(ours.finish)}
    return {**found, "key": ours.key, **finish}


def _given(it: GraphQLArgument | GraphQLInputField) -> Data:
    default = {} if it.default_value is Undefined else {"default": it.default_value}
    return {"type": str(it.type), **_about(it), **default}


def _about(it: Any) -> Data:
    found = {"description": it.description, "deprecated": getattr(it, "deprecation_reason", None)}
    return {name: value for name, value in found.items() if value}

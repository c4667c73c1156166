"""The schema that requests run on, made type by type as they ask for it from a file that is prepared.

Strawberry builds the schema from all shapes and rows, which takes longer than everything else that the first
answer of a process needs. `preparing` writes what it built: every type with its fields, and what resolves
them as data. A type is made when it is first asked for. What resolves a field, and with it the operations
behind, is loaded when the field is first resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from operator import attrgetter
from threading import RLock
from typing import Any, ClassVar

from graphql.type import definition, introspection_types, specified_scalar_types
from graphql.type.schema import InterfaceImplementations

from app.api.graphql.connections import counts_only
from app.api.graphql.execution import FIELD
from app.api.graphql.nodes import nodes, prepared
from app.api.operations import operation
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    Undefined,
)

Data = dict[str, Any]
NODE, ROW, CALL = "@node", "@row", "@"


def decoded(data: Any) -> Any:
    """Return what was written as data: a type of objects, an operation, a function or an instance."""
    if isinstance(data, list):
        return [decoded(each) for each in data]
    if not isinstance(data, dict):
        return data
    if NODE in data:
        return nodes()[data[NODE]]
    if ROW in data:
        return operation(data[ROW])
    if CALL not in data:
        return {name: decoded(each) for name, each in data.items()}
    module, _, name = data[CALL].partition(":")
    found = attrgetter(name)(import_module(module))
    if "bound" in data:
        return partial(found, *decoded(data["bound"]))
    return found(**decoded(data["fields"])) if "fields" in data else found


@dataclass(slots=True)
class Shown:
    """Resolves a field to what its source has under a key, `finish`ed if need be."""

    key: str
    finish: Callable[[Any], Any] | None = None
    _is_default: ClassVar[bool] = True

    def __call__(self, source: Any, _info: Any) -> Any:
        value = source.get(self.key)
        return value if self.finish is None else self.finish(value)


class Resolver:
    """Resolves a field by what is loaded when it first does.

    With `counts`, sources of the field's type say how many items the list has: who asks for the count alone
    gets it from there, and nothing is loaded. They are the keys of sources, with the arguments of the list
    that each counts.
    """

    key, finish = "", None

    def __init__(self, data: Data, counts: Mapping[str, Data] | None = None) -> None:
        self._data = data
        self.counts = counts or {}

    @cached_property
    def resolve(self) -> Callable[..., Any]:
        """Return what resolves the field."""
        found: Callable[..., Any] = decoded(self._data)
        return found

    def __call__(self, source: Any, info: Any, /, **given: Any) -> Any:
        for key, arguments in self.counts.items():
            if given == arguments and counts_only(info.field_nodes, info.fragments):
                count = source.get(key)
                if type(count) is int:
                    return {"totalCount": count}
        return self.resolve(source, info, **given)


class TypeResolver:
    """Tells the type of a value of a union by the fields that tell its members apart."""

    def __init__(self, members: list[tuple[tuple[str, str], str]]) -> None:
        self.members = members

    def __call__(self, source: Any, _info: Any, _kind: Any) -> str | None:
        return next((name for (key, value), name in self.members if source.get(key) == value), None)


def named(source: Any, _info: Any, _kind: Any) -> str:
    """Tell the type of a value of an interface."""
    return str(source["@type"])


class Types(Mapping[str, GraphQLNamedType]):
    """The types of the schema by name, each made when it is first asked for."""

    def __init__(self, types: Mapping[str, Data], known: Mapping[str, GraphQLNamedType]) -> None:
        self._data = types
        self._made = dict(known)
        self._lock = RLock()  # documents are validated in threads too

    def __getitem__(self, name: str) -> GraphQLNamedType:
        found = self._made.get(name)
        if found is None:
            with self._lock:
                found = self._made.get(name)
                if found is None:
                    found = self._made[name] = self._make(name, self._data[name])
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def kind(self, text: str) -> Any:
        """Return the type that is written so: `[Space!]!`."""
        if text.endswith("!"):
            return GraphQLNonNull(self.kind(text[:-1]))
        if text.startswith("["):
            return GraphQLList(self.kind(text[1:-1]))
        return self[text]

    def _make(self, name: str, data: Data) -> GraphQLNamedType:
        about = data.get("description")
        match data["kind"]:
            case "SCALAR":
                return GraphQLScalarType(name, description=about, specified_by_url=data.get("specifiedBy"))
            case "ENUM":
                values = {
                    each: GraphQLEnumValue(it["value"], it.get("description"))
                    for each, it in data["values"].items()
                }
                return GraphQLEnumType(name, values, description=about)
            case "UNION":
                members = [((key, value), type_) for key, value, type_ in data["members"]]
                types = partial(self._all, data["types"])
                return GraphQLUnionType(name, types, resolve_type=TypeResolver(members), description=about)
            case "INPUT_OBJECT":
                return GraphQLInputObjectType(
                    name,
                    lambda: {each: self._given(GraphQLInputField, it) for each, it in data["fields"].items()},
                    description=about,
                    is_one_of=data.get("isOneOf", False),
                )
        fields = partial(self._fields, data["fields"])
        interfaces: Any = partial(self._all, data.get("interfaces", ()))
        if data["kind"] == "INTERFACE":
            return GraphQLInterfaceType(name, fields, interfaces, resolve_type=named, description=about)
        return GraphQLObjectType(name, fields, interfaces, description=about)

    def _all(self, names: list[str]) -> list[Any]:
        return [self[name] for name in names]

    def _fields(self, fields: Mapping[str, Data]) -> dict[str, GraphQLField]:
        return {name: self._field(it) for name, it in fields.items()}

    def _field(self, data: Data) -> GraphQLField:
        ours: Shown | Resolver
        if "resolve" in data:
            ours = Resolver(data["resolve"], data.get("counts"))
        else:
            ours = Shown(data["key"], decoded(data.get("finish")))
        return GraphQLField(
            self.kind(data["type"]),
            {name: self._given(GraphQLArgument, it) for name, it in data.get("args", {}).items()},
            resolve=ours,
            description=data.get("description"),
            deprecation_reason=data.get("deprecated"),
            extensions={FIELD: ours},
        )

    def _given(self, make: Callable[..., Any], data: Data) -> Any:
        return make(
            self.kind(data["type"]),
            default_value=data.get("default", Undefined),
            description=data.get("description"),
            deprecation_reason=data.get("deprecated"),
        )


class PreparedSchema(GraphQLSchema):
    """A schema whose types are made as they are asked for."""

    def __init__(self, types: Mapping[str, Data]) -> None:
        super().__init__(assume_valid=True)
        self._data = types
        found = Types(types, {**specified_scalar_types, **introspection_types})
        self.type_map = found  # type: ignore[assignment]
        self.query_type, self.mutation_type, self.subscription_type = map(
            found.kind, ("Query", "Mutation", "Subscription")
        )

    def get_implementations(self, interface_type: GraphQLInterfaceType) -> InterfaceImplementations:
        """Return the types that implement an interface."""
        found = self._implementations_map.get(interface_type.name)
        if found is None:
            names = [
                name for name, it in self._data.items() if interface_type.name in it.get("interfaces", ())
            ]
            objects: list[Any] = [self.type_map[name] for name in names]
            found = InterfaceImplementations(objects=objects, interfaces=[])
            self._implementations_map[interface_type.name] = found
        return found


def prepared_schema() -> PreparedSchema:
    """Return the schema of the file."""
    return PreparedSchema(prepared()["types"])


def resolver_of(field: GraphQLField) -> Callable[..., Any] | None:
    """Return what resolves a field, loaded if it was not."""
    found = field.resolve
    return found.resolve if isinstance(found, Resolver) else found


def _allowed(enum_type: GraphQLEnumType, unknown_value_str: str) -> str:
    """Tell the values of an enumeration to who sent another one."""
    return f" Allowed values: {', '.join(enum_type.values)}."


definition.did_you_mean_enum_value = _allowed  # where the library would suggest one of similar spelling

"""GraphQL types from the shapes of `models`: answers, inputs, and what of a source they show.

Sources are the dicts of the presenters. A field that names an object by its id becomes that object, with the
id beside it (`space` and `spaceId`). A field with one possible value is left out: `__typename` says as much.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import strawberry
from pydantic.fields import FieldInfo

from app.api.graphql.declarations import (
    JSON,
    Argument,
    DateTime,
    Declarations,
    Declared,
    Field,
    Kind,
    list_of,
    optional,
)
from app.api.graphql.nodes import AT, Node, nodes, reference_of, type_name
from app.models.base import JsonShape, Shape, for_callers

Nested = Callable[[type[Shape]], Kind]
Resolver: TypeAlias = Callable[..., Any]
SCALAR_TYPES: dict[object, Kind] = {str: str, int: int, float: float, bool: bool, datetime: DateTime}


class Shapes:
    """Declares the types of shapes; `refer` makes what resolves a field that names an object."""

    def __init__(
        self, declarations: Declarations, refer: Callable[[Node, str, Node | None, bool], Resolver]
    ) -> None:
        self.declarations = declarations
        self._refer = refer
        self._done: set[type[Shape]] = set()

    def output(self, shape: type[Shape]) -> Declared:
        """Return the type of an answer."""
        declared = self.declarations.type(type_name(shape), for_callers(shape.__doc__))
        if shape not in self._done:
            self._done.add(shape)
            declared.fields = {**self._fields(shape), **declared.fields}
        return declared

    def plain_fields(self, shape: type[Shape]) -> dict[str, Field]:
        """Return the fields of a shape that is part of another type."""
        found: dict[str, Field] = {}
        for name, info in named_fields(shape).items():
            if not is_constant(info.annotation):
                found |= self._field(name, info, None)
        return found

    def kind_of(self, info: FieldInfo) -> Kind:
        """Return the type of a field of an answer."""
        return self._kind(info, self._out)

    def _fields(self, shape: type[Shape]) -> dict[str, Field]:
        node = nodes().get(type_name(shape))
        fields: dict[str, Field] = {}
        if node is not None:
            fields |= _identity(node, "id" if "id" in named_fields(shape) else node.key)
        for name, info in named_fields(shape).items():
            if is_constant(info.annotation):
                continue
            if name == "id":
                if node is None:
                    fields["restId"] = Field(strawberry.ID, "Identifier in REST.", key="id")
                continue
            fields |= self._field(name, info, node)
        return fields

    def _field(self, name: str, info: FieldInfo, node: Node | None) -> dict[str, Field]:
        description = info.description or ""
        target = nodes().get(references(info) or "")
        if target is None:
            return {name: Field(self.kind_of(info), description, key=name)}
        is_list = holds_list(info.annotation)
        called = name.removesuffix("Ids" if is_list else "Id")
        kind: Kind = self.declarations.type(target.type).handle
        ids: Kind = list_of(strawberry.ID) if is_list else strawberry.ID
        many = optional(list_of(optional(kind))) if is_list else optional(kind)
        plural = f"{called.removesuffix('s')}Ids" if is_list else f"{called}Id"
        return {
            called: Field(many, description, resolve=self._refer(target, name, node, is_list)),
            plural: Field(
                ids if info.is_required() and not allows_null(info.annotation) else optional(ids),
                f"Identifier in REST of `{called}`."
                if not is_list
                else f"Identifiers in REST of `{called}`.",
                key=name,
            ),
        }

    def _out(self, shape: type[Shape]) -> Kind:
        return JSON if issubclass(shape, JsonShape) else self.output(shape).handle

    def input(self, shape: type[Shape], name: str = "") -> Declared:
        """Return the input type of a body or of a part of one."""
        name = name or f"{shape.__name__}Input"
        known = name in self.declarations.types
        declared = self.declarations.type(name, for_callers(shape.__doc__), is_input=True)
        if not known:
            declared.is_one_of = is_one_of(shape)
            declared.fields = self.inputs(shape)
            if declared.is_one_of:
                for each in declared.fields.values():
                    each.type = optional(each.type)
        return declared

    def inputs(self, shape: type[Shape], names: Iterable[str] | None = None) -> dict[str, Argument]:
        """Return the fields of a body or query as arguments, all or those with these names."""
        return {
            name: self.argument(info)
            for name, info in named_fields(shape).items()
            if names is None or name in names
        }

    def argument(self, info: FieldInfo) -> Argument:
        """Return a field of a body or query as an argument: optional where it may be left out."""
        kind = strawberry.ID if reference_of(info.metadata) else self._kind(info, self._in)
        if references(info):
            kind = list_of(strawberry.ID) if holds_list(info.annotation) else strawberry.ID
        must = info.is_required() and not allows_null(info.annotation)
        return Argument(kind if must else optional(kind), info.description or "")

    def _in(self, shape: type[Shape]) -> Kind:
        return JSON if issubclass(shape, JsonShape) else self.input(shape).handle

    def _kind(self, info: FieldInfo, nested: Nested) -> Kind:
        kind = self._plain(info.annotation, nested)
        return kind if info.is_required() else optional(kind)

    def _plain(self, annotation: Any, nested: Nested) -> Kind:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._plain(arguments[0], nested)
        if origin in (Union, types.UnionType):
            kinds = [each for each in arguments if each is not type(None)]
            kind = self._plain(kinds[0], nested) if len(kinds) == 1 else self._alternatives(kinds, nested)
            return optional(kind) if type(None) in arguments else kind
        if origin is Literal:
            return str if len(arguments) == 1 else self.declarations.enumeration(arguments)
        if origin is list:
            return list_of(self._plain(arguments[0], nested))
        if isinstance(annotation, type) and issubclass(annotation, Shape):
            return nested(annotation)
        return SCALAR_TYPES.get(annotation, JSON)

    def _alternatives(self, kinds: list[Any], nested: Nested) -> Kind:
        """Return the type of one of several kinds: a union where all are shapes of answers, else JSON."""
        plain = [get_args(each)[0] if get_origin(each) is Annotated else each for each in kinds]
        if nested != self._out or not all(_is_plain_shape(each) for each in plain):
            return JSON
        name = union_name([type_name(each) for each in plain])
        return self.union(name, plain, "")

    def union(self, name: str, shapes: Iterable[type[Shape]], description: str) -> Kind:
        """Return the union of the types of shapes, told apart by a field with one possible value."""
        members = {told: self.output(each) for each in shapes for told in constants(each)}
        return self.declarations.union(name, members, description)


def _identity(node: Node, rest_key: str) -> dict[str, Field]:
    """Return the fields that say which object it is, to GraphQL and to REST."""
    about = "Identifier of the object in GraphQL: unique over all types and places, and opaque."
    rest = "Identifier of the object in REST and in addresses."
    if len(node.parameters) == 1:
        prefix = f"{node.type}:"
        own = Field(strawberry.ID, about, key=node.key, finish=lambda value: prefix + value)
    else:
        own = Field(strawberry.ID, about, key=AT, finish=node.id_of)
    return {"id": own, "restId": Field(strawberry.ID, rest, key=rest_key)}


def union_name(members: list[str]) -> str:
    """Return what a union is called: by what the names of its members end with, or by all of them."""
    return "Or".join(members)


def _is_plain_shape(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Shape) and not issubclass(kind, JsonShape)


@cache
def named_fields(shape: type[Shape]) -> dict[str, FieldInfo]:
    """Return the fields of a shape under their names on the wire."""
    return {info.alias or name: info for name, info in shape.model_fields.items()}


def constants(shape: type[Shape]) -> list[tuple[str, str]]:
    """Return the fields of a shape that have one possible value, with that value."""
    found = named_fields(shape).items()
    return [(name, get_args(info.annotation)[0]) for name, info in found if is_constant(info.annotation)]


def is_constant(annotation: Any) -> bool:
    """Tell whether a field has one possible value."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def references(info: FieldInfo) -> str | None:
    """Return the type of the objects that a field names, if it names any.

    A field that holds an id or the whole object, as the caller of REST wishes, names it too.
    """
    return reference_of(info.metadata) or _reference(info.annotation) or _id_or_object(info.annotation)


def _id_or_object(annotation: Any) -> str | None:
    kinds = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else ()
    shapes = [each for each in kinds if isinstance(each, type) and issubclass(each, Shape)]
    return type_name(shapes[0]) if len(shapes) == 1 and str in kinds else None


def _reference(annotation: Any) -> str | None:
    if get_origin(annotation) is Annotated:
        return reference_of(get_args(annotation)[1:]) or _reference(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType, list):
        return next((found for each in get_args(annotation) if (found := _reference(each))), None)
    return None


def holds_list(annotation: Any) -> bool:
    """Tell whether a field holds a list."""
    if get_origin(annotation) is list:
        return True
    if get_origin(annotation) in (Union, types.UnionType, Annotated):
        return any(holds_list(each) for each in get_args(annotation))
    return False


def allows_null(annotation: Any) -> bool:
    """Tell whether a field may be null."""
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)


def is_one_of(shape: type[Shape]) -> bool:
    """Tell whether exactly one field of a body is to be given."""
    extra: Any = shape.model_config.get("json_schema_extra") or {}
    names = [choice["required"] for choice in extra.get("oneOf", ())]
    return len(names) == len(shape.model_fields) and all(len(each) == 1 for each in names)

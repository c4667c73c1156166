"""GraphQL types from the shapes of `models`: answers, inputs, and what of a source they show.

Sources are the dicts of the presenters. A field that names an object by its id becomes that object, with the
id beside it (`space` and `spaceId`). A field with one possible value is left out: `__typename` says as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from datetime import datetime
from functools import cache
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

import strawberry
from pydantic.fields import FieldInfo

from app.api.graphql.declarations import (
    JSON,
    DateTime,
    Declarations,
    Declared,
    Document,
    Field,
    Kind,
    Variables,
    list_of,
    optional,
    required,
)
from app.api.graphql.nodes import AT, Node, lower, nodes, reference_of, title, type_name
from app.api.graphql.unions import (
    ENTRY_KEYS,
    alternatives,
    bare,
    entries,
    is_list,
    is_literal,
    is_map,
    is_shape,
    is_union,
    member_name,
    told,
    union_name,
)
from app.models.base import JsonShape, Shape, for_callers
from app.models.documents import JSONDocument

Resolver: TypeAlias = Callable[..., Any]
Refer: TypeAlias = Callable[[Node, str, Node | None, bool], Resolver]
Finish: TypeAlias = Callable[[Any], Any]
SCALAR_TYPES: dict[object, Kind] = {str: str, int: int, float: float, bool: bool, datetime: DateTime}


class Shapes:
    """Declares the types of shapes.

    `refer` makes what resolves a field that names an object, `refer_if_there` where that may be gone.
    """

    def __init__(self, declarations: Declarations, refer: Refer, refer_if_there: Refer) -> None:
        self.declarations = declarations
        self._refer, self._refer_if_there = refer, refer_if_there
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

    def kind_of(self, info: FieldInfo, name: str) -> tuple[Kind, Finish | None]:
        """Return the type of a field of an answer, and what makes its value of that of REST."""
        kind, finish = self._plain(info.annotation, name)
        return (kind if info.is_required() else optional(kind)), finish

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
                    fields |= self._told_of(info)
                continue
            fields |= self._field(name, info, node)
        return fields

    def _told_of(self, info: FieldInfo) -> dict[str, Field]:
        """Return the field for the object that something only tells of, under the id of that object."""
        target = nodes().get(references(info) or "")
        if target is None:
            return {}
        kind = optional(self.declarations.type(target.type).handle)
        about = f"The {target.type} itself. Null if it is gone."
        return {
            lower(target.type): Field(kind, about, resolve=self._refer_if_there(target, "id", None, False))
        }

    def _field(self, name: str, info: FieldInfo, node: Node | None) -> dict[str, Field]:
        description = info.description or ""
        target = nodes().get(references(info) or "")
        if target is None:
            kind, finish = self.kind_of(info, name)
            called = name if reference_of(info.metadata) is None else f"{name}Id"  # of what is no object
            return {called: Field(kind, description, key=name, finish=finish)}
        is_list = holds_list(info.annotation)
        called = name.removesuffix("Ids" if is_list else "Id")
        kind = self.declarations.type(target.type).handle
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

    def _plain(self, annotation: Any, name: str) -> tuple[Kind, Finish | None]:
        """Return the type of a value, and what makes it of the value that REST has."""
        kinds = alternatives(annotation)
        nullable = is_union(annotation) and type(None) in get_args(annotation)
        if get_origin(annotation) is Annotated:
            return self._plain(get_args(annotation)[0], name)
        if is_union(annotation):
            kind, finish = self._plain(kinds[0], name) if len(kinds) == 1 else self._several(kinds, name)
            return (optional(kind) if nullable else kind), finish
        if is_literal(annotation):
            values = get_args(annotation)
            return (str if len(values) == 1 else self.declarations.enumeration(values)), None
        if is_list(annotation):
            kind, finish = self._plain(get_args(annotation)[0], name)
            each = finish
            return list_of(kind), each and (
                lambda value: None if value is None else [each(it) for it in value]
            )
        if is_map(annotation):
            return self._map(get_args(annotation)[1], name)
        if annotation is JSONDocument:
            return Document, None
        if is_shape(annotation):
            return (JSON if issubclass(annotation, JsonShape) else self.output(annotation).handle), None
        return SCALAR_TYPES.get(annotation, JSON), None

    def _several(self, kinds: list[Any], name: str) -> tuple[Kind, Finish | None]:
        """Return the type of one of several kinds: a union of shapes, or an object with a field for each."""
        if all(is_shape(each) and constants(each) for each in kinds):
            if disagree(kinds):  # clients refuse documents that ask for both
                return JSON, None
            return self.union(union_name(kinds, "Or".join(map(type_name, kinds))), kinds, ""), None
        if set(kinds) <= {int, float}:
            return float, None
        if not any(is_shape(each) for each in kinds):
            return JSON, None
        called = union_name(kinds, f"{title(name)}Value")
        declared = self.declarations.type(called, "A value of one of several kinds: one field is set.")
        for each in kinds:
            kind, _ = self._plain(each, name)
            field = member_name(each)
            declared.fields[field] = Field(optional(kind), f"The value, where it is a {field}.", key=field)
        names = {each: frozenset(named_fields(each)) for each in kinds if is_shape(each)}
        return declared.handle, lambda value: None if value is None else told(value, kinds, names)

    def _map(self, value: Any, name: str) -> tuple[Kind, Finish | None]:
        kinds = alternatives(value)
        if set(kinds) <= {str, bool, int, float}:
            return Variables, None
        if not is_shape(bare(value)):
            return JSON, None
        key = ENTRY_KEYS.get(name, "name")
        kind, _ = self._plain(value, name)
        declared = self.declarations.type(f"{type_name(bare(value))}Entry", "An entry of a map.")
        declared.fields = {
            key: Field(str if key == "name" else strawberry.ID, "What the value belongs to.", key=key),
            "value": Field(kind, "The value.", key="value"),
        }
        return list_of(declared.handle), lambda found: None if found is None else entries(found, key)

    def union(self, name: str, shapes: Iterable[type[Shape]], description: str) -> Kind:
        """Return the union of the types of shapes, told apart by a field with one possible value."""
        members = {told: self.output(each) for each in shapes for told in constants(each)}
        self._settle_nulls(list(members.values()))
        return self.declarations.union(name, members, description)

    def _settle_nulls(self, members: list[Declared]) -> None:
        """Let a field be null in all members of a union where it may be in one: clients merge such fields."""
        for name in {name for each in members for name in each.fields}:
            several = [each.fields[name] for each in members if name in each.fields]
            if any(field.type is not required(field.type) for field in several):
                for field in several:
                    field.type = optional(field.type)


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


@cache
def named_fields(shape: type[Shape]) -> dict[str, FieldInfo]:
    """Return the fields of a shape under their names on the wire."""
    found = shape.model_fields
    if any(isinstance(info.annotation, ForwardRef) for info in found.values()):  # unions that hold themselves
        hints = get_type_hints(shape, include_extras=True)
        found = {
            name: _annotated(info, hints[name]) if isinstance(info.annotation, ForwardRef) else info
            for name, info in found.items()
        }
    return {info.alias or name: info for name, info in found.items()}


def _annotated(info: FieldInfo, annotation: Any) -> FieldInfo:
    """Return a field with the type that its annotation means."""
    meant = copy(info)
    meant.annotation = annotation
    return meant


def constants(shape: type[Shape]) -> list[tuple[str, str]]:
    """Return the fields of a shape that have one possible value, with that value."""
    found = named_fields(shape).items()
    return [(name, get_args(info.annotation)[0]) for name, info in found if is_constant(info.annotation)]


def disagree(shapes: Iterable[type[Shape]]) -> bool:
    """Tell whether shapes have a field of one name that holds values of different types."""
    found: dict[str, set[Any]] = {}
    for shape in shapes:
        for name, info in named_fields(shape).items():
            kinds = {"object" if is_shape(each) else each for each in alternatives(bare(info.annotation))}
            kinds = {each for each in kinds if not is_constant(each)}
            if kinds and found.setdefault(name, kinds) != kinds:
                return True
    return False


def is_constant(annotation: Any) -> bool:
    """Tell whether a field has one possible value."""
    return get_origin(annotation) is Literal and len(get_args(annotation)) == 1


def references(info: FieldInfo) -> str | None:
    """Return the type of the objects that a field names, if it names any.

    A field that holds an id or the whole object, as the caller of REST wishes, names it too.
    """
    return reference_of(info.metadata) or _reference(info.annotation) or _id_or_object(info.annotation)


def _id_or_object(annotation: Any) -> str | None:
    kinds = get_args(annotation) if is_union(annotation) else ()
    shapes = [each for each in kinds if is_shape(each)]
    return type_name(shapes[0]) if len(shapes) == 1 and str in kinds else None


def _reference(annotation: Any) -> str | None:
    if get_origin(annotation) is Annotated:
        return reference_of(get_args(annotation)[1:]) or _reference(get_args(annotation)[0])
    if is_union(annotation) or is_list(annotation):
        return next((found for each in get_args(annotation) if (found := _reference(each))), None)
    return None


def holds_list(annotation: Any) -> bool:
    """Tell whether a field holds a list."""
    if is_list(annotation):
        return True
    if is_union(annotation) or get_origin(annotation) is Annotated:
        return any(holds_list(each) for each in get_args(annotation))
    return False


def allows_null(annotation: Any) -> bool:
    """Tell whether a field may be null."""
    return is_union(annotation) and type(None) in get_args(annotation)

"""GraphQL types from the shapes of `models`: answers, inputs, and what of a source they show.

Sources are the dicts of the presenters. A field that names an object by its id becomes that object, with the
id beside it (`space` and `spaceId`). A field with one possible value is left out: `__typename` says as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from operator import add
from typing import (
    Annotated,
    Any,
    TypeAlias,
    get_args,
    get_origin,
)

import strawberry
from pydantic.fields import FieldInfo

from app.api.graphql.declarations import (
    JSON,
    URL,
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
from app.api.graphql.nodes import AT, COUNTS, Node, lower, nodes, reference_of, title, type_name
from app.api.graphql.references import Referring, ReferringIfThere, ReferringInside
from app.api.graphql.shape_fields import (
    allows_null,
    constants,
    disagree,
    holds_list,
    is_absolute,
    is_constant,
    named_fields,
    references,
    shown_as,
    told_of,
)
from app.api.graphql.unions import (
    ENTRY_KEYS,
    alternatives,
    bare,
    entries,
    finished,
    is_any,
    is_list,
    is_literal,
    is_map,
    is_shape,
    is_union,
    member_name,
    named_values,
    told,
    union_name,
)
from app.api.graphql.values import PLAIN, named_value, plain_value
from app.models.base import JsonShape, Shape, for_callers
from app.models.documents import JSONDocument

Resolver: TypeAlias = Callable[..., Any]
Finish: TypeAlias = Callable[[Any], Any]
SCALAR_TYPES: dict[object, Kind] = {str: str, int: int, float: float, bool: bool, datetime: DateTime}


class Shapes:
    """Declares the types of shapes."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
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
                found |= self._shown(shape, name, info, None)
        return found

    def kind_of(self, info: FieldInfo, name: str) -> tuple[Kind, Finish | None]:
        """Return the type of a field of an answer, and what makes its value of that of REST."""
        kind, finish = self._plain(info.annotation, name, info.metadata)
        return (kind if info.is_required() else optional(kind)), finish

    def _fields(self, shape: type[Shape]) -> dict[str, Field]:
        node = nodes().get(type_name(shape))
        fields: dict[str, Field] = {}
        if node is not None:
            fields |= _identity(node, "id" if "id" in named_fields(shape) else node.key)
        for name, info in named_fields(shape).items():
            if is_constant(info.annotation) or name in COUNTS.get(type_name(shape), ()):
                continue
            if name == "id":
                if node is None:
                    fields["restId"] = Field(strawberry.ID, "ID in REST.", key="id")
                    fields |= self._told_of(info)
                continue
            fields |= self._shown(shape, name, info, node)
        return fields

    def _told_of(self, info: FieldInfo) -> dict[str, Field]:
        """Return the field for the object that something only tells of, under the id of that object."""
        target = nodes().get(references(info) or "")
        if target is None:
            return {}
        return {lower(target.type): self._itself(target, ReferringIfThere(target, "id", None, False))}

    def _itself(self, target: Node, resolve: Resolver) -> Field:
        kind = optional(self.declarations.type(target.type).handle)
        return Field(kind, f"The {target.type}. Null if it was deleted.", resolve=resolve)

    def _shown(self, shape: type[Shape], name: str, info: FieldInfo, node: Node | None) -> dict[str, Field]:
        """Return the fields for one of a shape, under the names that GraphQL has for them."""
        found = self._field(name, info, node)
        if (shown := shown_as(shape, name)) != name:
            found = {shown: found[name]}
        if (target := told_of(name, info)) is not None:
            inside = ReferringIfThere(target, "id", None, False)
            found[name] = self._itself(target, ReferringInside(name, inside))
        return found

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
            called: Field(many, description, resolve=Referring(target, name, node, is_list)),
            plural: Field(
                ids if info.is_required() and not allows_null(info.annotation) else optional(ids),
                f"`restId` of `{called}`." if not is_list else f"Identifiers in REST of `{called}`.",
                key=name,
            ),
        }

    def _plain(self, annotation: Any, name: str, metadata: Iterable[Any] = ()) -> tuple[Kind, Finish | None]:
        """Return the type of a value, and what makes it of the value that REST has."""
        kinds = alternatives(annotation)
        nullable = is_union(annotation) and type(None) in get_args(annotation)
        if get_origin(annotation) is Annotated:
            inner, *more = get_args(annotation)
            return self._plain(inner, name, [*metadata, *more])
        if annotation is str and is_absolute(metadata):
            return URL, None
        if is_union(annotation):
            if len(kinds) == 1:
                kind, finish = self._plain(kinds[0], name, [*metadata, *_metadata(annotation)])
            else:
                kind, finish = self._several(kinds, name)
            return (optional(kind) if nullable else kind), finish
        if is_literal(annotation):
            values = get_args(annotation)
            return (str if len(values) == 1 else self.declarations.enumeration(values)), None
        if is_list(annotation):
            kind, finish = self._plain(get_args(annotation)[0], name)
            return list_of(kind), finish and partial(finished, finish)
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
        if PLAIN.issuperset(kinds):
            return plain_value(self.declarations), partial(told, {})
        if not any(is_shape(each) for each in kinds):
            return JSON, None
        called = union_name(kinds, f"{title(name)}Value")
        declared = self.declarations.type(called, "A value of one of several kinds: one field is set.")
        for each in kinds:
            kind, _ = self._plain(each, name)
            field = member_name(each)
            declared.fields[field] = Field(optional(kind), f"The value, where it is a {field}.", key=field)
        names = {member_name(each): tuple(named_fields(each)) for each in kinds if is_shape(each)}
        return declared.handle, partial(told, names)

    def _map(self, value: Any, name: str) -> tuple[Kind, Finish | None]:
        kinds = alternatives(value)
        if set(kinds) <= {str, bool, int, float}:
            return Variables, None
        if is_any(value):
            return list_of(named_value(self.declarations)), named_values
        if not is_shape(bare(value)):
            return JSON, None
        key = ENTRY_KEYS.get(name, "name")
        kind, _ = self._plain(value, name)
        declared = self.declarations.type(f"{type_name(bare(value))}Entry", "An entry of a map.")
        declared.fields = {
            key: Field(str if key == "name" else strawberry.ID, "What the value belongs to.", key=key),
            "value": Field(kind, "The value.", key="value"),
        }
        return list_of(declared.handle), partial(entries, key)

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


def _metadata(annotation: Any) -> list[Any]:
    """Return what annotates the types of a union."""
    annotated = (get_args(each) for each in get_args(annotation) if get_origin(each) is Annotated)
    return [each for _, *metadata in annotated for each in metadata]


def _identity(node: Node, rest_key: str) -> dict[str, Field]:
    """Return the fields that say which object it is, to GraphQL and to REST."""
    about = "Globally unique, opaque ID of the object in GraphQL."
    rest = "ID of the object in REST and in URLs."
    if len(node.parameters) == 1:
        own = Field(strawberry.ID, about, key=node.key, finish=partial(add, f"{node.type}:"))
    else:
        own = Field(strawberry.ID, about, key=AT, finish=partial(Node.id_of, node))
    return {"id": own, "restId": Field(strawberry.ID, rest, key=rest_key)}

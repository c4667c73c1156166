"""Inputs from the shapes of bodies and queries, and the way from what GraphQL was sent to what REST takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, TypeAlias, get_args, get_origin

import strawberry
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo

from app.api.graphql.converts import (
    Convert,
    Renamed,
    each_of,
    mapped,
    number,
    one_of,
    rest_ids,
    spread,
    under,
    whole,
)
from app.api.graphql.declarations import (
    JSON,
    URL,
    Argument,
    DateTime,
    Declarations,
    Declared,
    Document,
    Kind,
    Variables,
    list_of,
    optional,
    required,
)
from app.api.graphql.nodes import nodes, reference_of, title
from app.api.graphql.shape_fields import (
    allows_null,
    camel,
    constants,
    holds_list,
    is_absolute,
    is_constant,
    named_fields,
    references,
)
from app.api.graphql.unions import (
    ENTRY_KEYS,
    alternatives,
    bare,
    is_any,
    is_list,
    is_literal,
    is_map,
    is_shape,
    is_union,
    member_name,
    union_name,
)
from app.api.graphql.values import PLAIN, named_value_input, plain_value_input
from app.models.base import Choices, DescribedAs, FieldsByKind, JsonShape, Shape, for_callers
from app.models.base import partial as partial_of
from app.models.content_changes import CHANGE_FIELDS, ContentChange
from app.models.documents import JSONDocument

Found: TypeAlias = tuple[Kind, Convert | None]
SCALARS: dict[object, Kind] = {
    str: str,
    int: int,
    float: float,
    bool: bool,
    datetime: DateTime,
    AwareDatetime: DateTime,
}


ANY_VALUE: Convert = partial(one_of, {"number": number})
"""Converts a value of one of several kinds."""


class Inputs:
    """Declares the inputs of bodies and queries."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self._converts: dict[str, dict[str, Convert]] = {}

    def arguments(self, shape: type[Shape], names: Iterable[str] | None = None) -> dict[str, Argument]:
        """Return the fields of a body or query as arguments, all or those with these names."""
        choices = shape.choices
        taken = set() if choices is None else taken_by(choices)
        found = {
            camel(name): self.argument(name, info)
            for name, info in named_fields(shape).items()
            if (names is None or name in names) and not is_constant(info.annotation) and name not in taken
        }
        if choices is not None:
            found |= self._within(shape, choices) if choices.within else self._choices(shape, choices)
        return found

    def _choices(self, shape: type[Shape], choices: Choices) -> dict[str, Argument]:
        """Return the fields of a `@oneOf` input by the alternatives of a body."""
        return {name: self._choice(shape, choices, name) for name in choices.by_name}

    def _choice(self, shape: type[Shape], choices: Choices, name: str) -> Argument:
        choice = choices.by_name[name]
        fields = named_fields(shape)
        if choice.beside:
            called = input_name(shape, f"{title(choices.within)}{title(name)}")
            inner = self.declarations.type(called, choice.description, is_input=True)
            for each in (choice.field, *choice.beside):
                inner.fields[each] = self.argument(each, fields[each])
                inner.fields[each].type = required(inner.fields[each].type)
            convert: Convert = partial(whole, converts_of(inner.fields), choice.told)
            return Argument(optional(inner.handle), choice.description, convert=convert)
        kind: Kind = strawberry.ID
        inner_convert: Convert | None = partial(rest_ids, nodes()[choice.names]) if choice.names else None
        if not choice.names:
            kind, inner_convert = self._field(choice.field, fields[choice.field])
        convert = partial(under, choice.field, choice.told, inner_convert)
        return Argument(optional(kind), choice.description, convert=convert)

    def _within(self, shape: type[Shape], choices: Choices) -> dict[str, Argument]:
        """Return the field of an input that holds a `@oneOf` input of the alternatives of a body."""
        called = input_name(shape, title(choices.within))
        declared = self.declarations.type(called, choices.description, is_input=True, is_one_of=True)
        declared.fields = self._choices(shape, choices)
        convert = partial(spread, converts_of(declared.fields))
        return {choices.within: Argument(declared.handle, choices.description, convert=convert)}

    def argument(self, name: str, info: FieldInfo) -> Argument:
        """Return a field of a body or query as an argument: optional where it may be left out."""
        must = info.is_required() and not allows_null(info.annotation)
        kind, convert = self._field(name, info)
        if camel(name) != name:
            convert = Renamed(name, convert)
        return Argument(kind if must else optional(kind), info.description or "", convert=convert)

    def input(self, shape: type[Shape], name: str = "") -> tuple[Declared, Convert]:
        """Return the input of a shape, and what converts it."""
        name = name or input_name(shape)
        if shape is ContentChange:
            return self._by_kind(shape, name, CHANGE_FIELDS)
        if name not in self.declarations.types:
            declared = self.declarations.type(name, for_callers(shape.__doc__), is_input=True)
            self._converts[name] = {}
            declared.fields = self.arguments(shape)
            declared.is_one_of = shape.choices is not None and not shape.choices.within
            self._converts[name] |= converts_of(declared.fields)
        if self.declarations.types[name].is_one_of:
            return self.declarations.types[name], partial(one_of, self._converts[name])
        return self.declarations.types[name], self._whole(name, dict(constants(shape)))

    def _whole(self, name: str, told: dict[str, str]) -> Convert:
        """Return what converts an input of this name, and adds what its shape always says."""
        return partial(whole, self._converts[name], told)

    def _field(self, name: str, info: FieldInfo) -> Found:
        if any(is_literal(each) for each in alternatives(info.annotation)):  # or one of a closed set
            return self._kind(info.annotation, name, info.metadata)
        return _ids(references(info), info.annotation) or self._kind(info.annotation, name, info.metadata)

    def _kind(self, annotation: Any, name: str, metadata: Iterable[Any] = ()) -> Found:
        if get_origin(annotation) is Annotated:
            inner, *more = get_args(annotation)
            return self._kind(inner, name, [*metadata, *more])
        described = next((each for each in metadata if isinstance(each, DescribedAs)), None)
        if described is not None and not is_union(annotation):
            return self._described(described)
        if annotation is str and is_absolute(metadata):
            return URL, None
        if is_union(annotation):
            return self._union(annotation, name)
        if is_list(annotation):
            kind, convert = self._kind(get_args(annotation)[0], name)
            return list_of(kind), convert and partial(each_of, convert)
        if is_literal(annotation):
            values = get_args(annotation)
            return (str if len(values) == 1 else self.declarations.enumeration(values)), None
        if is_map(annotation):
            return self._map(get_args(annotation)[1], name)
        if is_shape(annotation):
            if issubclass(annotation, JsonShape):
                return JSON, None
            declared, convert = self.input(annotation)
            return declared.handle, convert
        return SCALARS.get(annotation, JSON), None

    def _described(self, described: DescribedAs) -> Found:
        if described.shape is JSONDocument:
            return Document, None
        shape = partial_of(described.shape) if described.partly else described.shape
        declared, convert = self.input(shape)
        return declared.handle, convert

    def _union(self, annotation: Any, name: str) -> Found:
        given = [each for each in get_args(annotation) if each is not type(None)]
        if len(given) == 1:
            return self._kind(given[0], name)
        kinds = [bare(each) for each in given]
        shapes = [each for each in kinds if is_shape(each)]
        if len(shapes) == len(kinds) and all(constants(each) for each in shapes):
            return self._one_of_shapes(shapes, name)
        if len(shapes) == 1 and set(kinds) - set(shapes) == {bool}:
            declared, convert = self.input(shapes[0])
            return declared.handle, convert
        if len(kinds) == 2 and any(is_shape(each) or is_literal(each) or is_map(each) for each in kinds):
            return self._one_of_kinds(given, name)
        if set(kinds) <= {int, float}:
            return float, None
        if PLAIN.issuperset(kinds):
            return plain_value_input(self.declarations), ANY_VALUE
        return JSON, None

    def _one_of_shapes(self, shapes: list[type[Shape]], name: str) -> Found:
        """Return a `@oneOf` input with a field for each shape, named by what tells it apart."""
        called = f"{union_name(shapes, title(name))}Input"
        converts: dict[str, Convert] = {}
        declared = self.declarations.type(called, "One of several kinds.", is_input=True, is_one_of=True)
        fields = {}
        for shape in shapes:
            ((_, value),) = constants(shape)
            inner, converts[camel(value)] = self.input(shape)
            about = for_callers(shape.__doc__).partition("\n")[0]
            fields[camel(value)] = Argument(optional(inner.handle), about)
        declared.fields = fields
        return declared.handle, partial(one_of, converts)

    def _by_kind(self, shape: type[Shape], name: str, by: FieldsByKind) -> tuple[Declared, Convert]:
        """Return a `@oneOf` input with a field for each kind of a body that has fields for several."""
        declared = self.declarations.type(name, for_callers(shape.__doc__), is_input=True, is_one_of=True)
        kinds = {camel(kind): kind for kind in by.kinds}
        converts: dict[str, Convert] = {}
        about = next(each for each in self.declarations.enumerations if set(each.values) == set(by.kinds))
        for field, kind in kinds.items():
            inner = self.declarations.type(f"{title(field)}Input", about.values[kind], is_input=True)
            inner.fields = self.arguments(shape, {each.rstrip("!") for each in by.kinds[kind]})
            for each in by.kinds[kind]:
                if each.endswith("!"):
                    inner.fields[each[:-1]].type = required(inner.fields[each[:-1]].type)
            converts[field] = partial(whole, converts_of(inner.fields), {by.field: kind})
            declared.fields[field] = Argument(optional(inner.handle), about.values[kind])
        return declared, partial(one_of, converts)

    def _one_of_kinds(self, given: list[Any], name: str) -> Found:
        """Return a `@oneOf` input of a value that may be one of a closed set or something else."""
        declared = self.declarations.type(
            f"{title(name)}ChoiceInput", "One of several kinds.", is_input=True, is_one_of=True
        )
        converts: dict[str, Convert | None] = {}
        for each in given:
            field = member_name(bare(each))
            metadata = get_args(each)[1:] if get_origin(each) is Annotated else ()
            described = next((one for one in metadata if isinstance(one, DescribedAs)), None)
            field = member_name(described.shape) if described is not None else field
            kind, convert = _ids(reference_of(metadata), each) or self._kind(each, name)
            about = f"The value, where it is of the kind `{field}`."
            declared.fields[field] = Argument(optional(kind), about, convert=convert)
            converts[field] = convert
        return declared.handle, partial(one_of, converts)

    def _map(self, value: Any, name: str) -> Found:
        kinds = alternatives(value)
        if set(kinds) <= {str, bool, int, float} and len(kinds) > 1:
            return Variables, None
        if is_any(value):
            return list_of(named_value_input(self.declarations)), partial(mapped, "name", ANY_VALUE, None)
        if value is Any or value is object:
            return JSON, None
        key = ENTRY_KEYS.get(name, "name")
        kind, convert = self._kind(value, name)
        declared = self.declarations.type(
            f"{title(name)}EntryInput", "An entry of a map: a name and its value.", is_input=True
        )
        about = "What the value belongs to; each once."
        found = _ids(title(key.removesuffix("Id")), str)
        key_kind, key_convert = found or (str, None)
        declared.fields = {
            key: Argument(key_kind, about, convert=key_convert),
            "value": Argument(kind, "The value."),
        }
        return list_of(declared.handle), partial(mapped, key, convert, key_convert)


def _ids(type_: str | None, annotation: Any) -> Found | None:
    """Return the input of the ids of objects of a type, if there are such; `Node` are those of all types."""
    target = nodes().get(type_ or "")
    if target is None and type_ != "Node":
        return None
    kind: Kind = list_of(strawberry.ID) if holds_list(annotation) else strawberry.ID
    return kind, partial(rest_ids, target)


def converts_of(arguments: Mapping[str, Argument]) -> dict[str, Convert]:
    """Return what converts arguments, of those that are converted."""
    return {name: each.convert for name, each in arguments.items() if each.convert is not None}


def input_name(shape: type[Shape], part: str = "") -> str:
    """Return the name of the input of a shape, or of a part of it."""
    return f"{shape.__name__.removesuffix('Sent')}{part}Input"


def taken_by(choices: Choices) -> set[str]:
    """Return the fields of a body that its alternatives stand for."""
    found: set[str] = set()
    for choice in choices.by_name.values():
        found |= {choice.field, *choice.beside, *choice.told}
    return found

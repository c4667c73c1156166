"""Inputs from the shapes of bodies and queries, and the way from what GraphQL was sent to what REST takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias, get_args, get_origin

import strawberry
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo

from app.api.graphql.declarations import (
    JSON,
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
from app.api.graphql.nodes import Node, nodes, rest_id, title
from app.api.graphql.shapes import allows_null, constants, holds_list, is_constant, named_fields, references
from app.api.graphql.unions import (
    ENTRY_KEYS,
    alternatives,
    bare,
    is_list,
    is_literal,
    is_map,
    is_shape,
    is_union,
    member_name,
    union_name,
)
from app.models.base import DescribedAs, FieldsByKind, JsonShape, Shape, for_callers, partial
from app.models.content_changes import CHANGE_FIELDS, ContentChange
from app.models.documents import JSONDocument

Convert: TypeAlias = Callable[[Any, str], Any]
"""Makes what REST takes of a value and the path of the input that it is at; raises Invalid."""

Found: TypeAlias = tuple[Kind, Convert | None]
SCALARS: dict[object, Kind] = {
    str: str,
    int: int,
    float: float,
    bool: bool,
    datetime: DateTime,
    AwareDatetime: DateTime,
}


class Inputs:
    """Declares the inputs of bodies and queries."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self._converts: dict[str, dict[str, Convert]] = {}

    def arguments(self, shape: type[Shape], names: Iterable[str] | None = None) -> dict[str, Argument]:
        """Return the fields of a body or query as arguments, all or those with these names."""
        return {
            name: self.argument(name, info)
            for name, info in named_fields(shape).items()
            if (names is None or name in names) and not is_constant(info.annotation)
        }

    def argument(self, name: str, info: FieldInfo) -> Argument:
        """Return a field of a body or query as an argument: optional where it may be left out."""
        must = info.is_required() and not allows_null(info.annotation)
        kind, convert = self._field(name, info)
        return Argument(kind if must else optional(kind), info.description or "", convert=convert)

    def input(self, shape: type[Shape], name: str = "") -> tuple[Declared, Convert | None]:
        """Return the input of a shape, and what converts it."""
        name = name or input_name(shape)
        if shape is ContentChange:
            return self._by_kind(shape, name, CHANGE_FIELDS)
        if name not in self.declarations.types:
            declared = self.declarations.type(name, for_callers(shape.__doc__), is_input=True)
            self._converts[name] = {}
            declared.fields = self.arguments(shape)
            declared.is_one_of = is_one_of(shape)
            if declared.is_one_of:
                for each in declared.fields.values():
                    each.type = optional(each.type)
            self._converts[name] |= converts_of(declared.fields)
        return self.declarations.types[name], self._whole(name, dict(constants(shape)))

    def _whole(self, name: str, told: dict[str, str]) -> Convert:
        """Return what converts an input of this name, and adds what its shape always says."""
        converts = self._converts[name]
        return lambda value, path: {**told, **converted(value, converts, path)}

    def _field(self, name: str, info: FieldInfo) -> Found:
        target = nodes().get(references(info) or "")
        if target is not None:
            kind: Kind = list_of(strawberry.ID) if holds_list(info.annotation) else strawberry.ID
            return kind, _rest_ids(target)
        return self._kind(info.annotation, name, info.metadata)

    def _kind(self, annotation: Any, name: str, metadata: Iterable[Any] = ()) -> Found:
        if get_origin(annotation) is Annotated:
            inner, *more = get_args(annotation)
            return self._kind(inner, name, [*metadata, *more])
        described = next((each for each in metadata if isinstance(each, DescribedAs)), None)
        if described is not None and not is_union(annotation):
            return self._described(described)
        if is_union(annotation):
            return self._union(annotation, name)
        if is_list(annotation):
            kind, convert = self._kind(get_args(annotation)[0], name)
            each = convert
            return list_of(kind), each and (lambda value, path: [each(item, path) for item in value])
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
        shape = partial(described.shape) if described.partly else described.shape
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
        if len(kinds) == 2 and (shapes or any(is_literal(each) for each in kinds)):
            return self._one_of_kinds(given, name)
        if set(kinds) <= {int, float}:
            return float, None
        return JSON, None

    def _one_of_shapes(self, shapes: list[type[Shape]], name: str) -> Found:
        """Return a `@oneOf` input with a field for each shape, named by what tells it apart."""
        called = f"{union_name(shapes, title(name))}Input"
        told: dict[str, tuple[str, str]] = {}
        converts: dict[str, Convert | None] = {}
        declared = self.declarations.type(called, "One of several kinds.", is_input=True, is_one_of=True)
        fields = {}
        for shape in shapes:
            ((key, value),) = constants(shape)
            inner, convert = self.input(shape)
            field = camel(value)
            fields[field] = Argument(optional(inner.handle), for_callers(shape.__doc__).partition("\n")[0])
            told[field], converts[field] = (key, value), convert
        declared.fields = fields

        def convert_one(value: Any, path: str) -> Any:
            ((field, inner),) = value.items()
            key, constant = told[field]
            convert = converts[field]
            return {key: constant, **(convert(inner, f"{path}.{field}") if convert else inner)}

        return declared.handle, convert_one

    def _by_kind(self, shape: type[Shape], name: str, by: FieldsByKind) -> tuple[Declared, Convert]:
        """Return a `@oneOf` input with a field for each kind of a body that has fields for several."""
        declared = self.declarations.type(name, for_callers(shape.__doc__), is_input=True, is_one_of=True)
        kinds = {camel(kind): kind for kind in by.kinds}
        converts: dict[str, dict[str, Convert]] = {}
        about = next(each for each in self.declarations.enumerations if set(each.values) == set(by.kinds))
        for field, kind in kinds.items():
            inner = self.declarations.type(f"{title(field)}Input", about.values[kind], is_input=True)
            inner.fields = self.arguments(shape, {each.rstrip("!") for each in by.kinds[kind]})
            for each in by.kinds[kind]:
                if each.endswith("!"):
                    inner.fields[each[:-1]].type = required(inner.fields[each[:-1]].type)
            converts[field] = converts_of(inner.fields)
            declared.fields[field] = Argument(optional(inner.handle), about.values[kind])

        def convert(value: Any, path: str) -> Any:
            ((field, inner),) = value.items()
            return {by.field: kinds[field], **converted(inner, converts[field], f"{path}.{field}")}

        return declared, convert

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
            kind, converts[field] = self._kind(each, name)
            declared.fields[field] = Argument(
                optional(kind), f"The value, where it is of the kind `{field}`."
            )

        def convert_one(value: Any, path: str) -> Any:
            ((field, inner),) = value.items()
            convert = converts[field]
            return convert(inner, f"{path}.{field}") if convert else inner

        return declared.handle, convert_one

    def _map(self, value: Any, name: str) -> Found:
        kinds = alternatives(value)
        if set(kinds) <= {str, bool, int, float} and len(kinds) > 1:
            return Variables, None
        if value is Any or value is object:
            return JSON, None
        key = ENTRY_KEYS.get(name, "name")
        kind, convert = self._kind(value, name)
        declared = self.declarations.type(
            f"{title(name)}EntryInput", "An entry of a map: a name and its value.", is_input=True
        )
        about = "What the value belongs to; each once."
        declared.fields = {
            key: Argument(str if key == "name" else strawberry.ID, about),
            "value": Argument(kind, "The value."),
        }

        def to_map(entries: Any, path: str) -> Any:
            return {
                each[key]: convert(each["value"], f"{path}.value") if convert else each["value"]
                for each in entries
            }

        return list_of(declared.handle), to_map


def converts_of(arguments: Mapping[str, Argument]) -> dict[str, Convert]:
    """Return what converts arguments, of those that are converted."""
    return {name: each.convert for name, each in arguments.items() if each.convert is not None}


def converted(value: Mapping[str, Any], converts: Mapping[str, Convert], path: str = "") -> dict[str, Any]:
    """Return the fields of an input as REST takes them."""
    return {
        name: converts[name](each, f"{path}.{name}" if path else name)
        if name in converts and each is not None
        else each
        for name, each in value.items()
    }


def _rest_ids(target: Node) -> Convert:
    def convert(value: Any, path: str) -> Any:
        if isinstance(value, list):
            return [convert(each, path) for each in value]
        return rest_id(value, target, path)

    return convert


def input_name(shape: type[Shape]) -> str:
    """Return the name of the input of a shape."""
    return f"{shape.__name__.removesuffix('Sent')}Input"


def is_one_of(shape: type[Shape]) -> bool:
    """Tell whether exactly one field of a body is to be given."""
    extra: Any = shape.model_config.get("json_schema_extra") or {}
    names = [choice["required"] for choice in extra.get("oneOf", ())]
    return len(names) == len(shape.model_fields) and all(len(each) == 1 for each in names)


def camel(value: str) -> str:
    """Return a value of a closed set as the name of a field: `site-page` is `sitePage`."""
    first, *rest = value.replace("_", "-").split("-")
    return first + "".join(map(title, rest))

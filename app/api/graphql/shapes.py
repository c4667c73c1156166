"""GraphQL types from the shapes of the wire: declared once in `models`, read here field by field.

Sources are the dicts of `present`, so a field is a look-up under its wire name. Enumerations become GraphQL
enums whose names are the values in capitals (`in-collection` is IN_COLLECTION).
"""

from __future__ import annotations

import enum
import inspect
import re
import types
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin

import strawberry
from pydantic import BaseModel

from app.models.base import JsonShape, Shape, for_callers

C = TypeVar("C", bound=type)
DateTime = NewType("DateTime", datetime)
JSON = NewType("JSON", object)
SCALARS: dict[object, Any] = {
    DateTime: strawberry.scalar(
        name="DateTime", description="ISO 8601, UTC", serialize=lambda v: v, parse_value=lambda v: v
    ),
    JSON: strawberry.scalar(
        name="JSON", description="Any JSON value", serialize=lambda v: v, parse_value=lambda v: v
    ),
}
_outputs: dict[type[Shape], Any] = {}
_inputs: dict[type[Shape], Any] = {}
_enums: dict[tuple[str, ...], Any] = {}


def output(shape: type[Shape]) -> Callable[[C], C]:
    """Make the class a GraphQL type with every field of the shape besides its own resolvers."""

    def declare(cls: C) -> C:
        _outputs[shape] = cls  # first, since a page holds pages
        own = inspect.get_annotations(cls)
        fields = {name: _annotation(f, _out) for name, f in _named(shape).items() if name not in own}
        cls.__annotations__ = {**fields, **own}
        for name, field in _named(shape).items():
            if name in fields:
                setattr(cls, name, strawberry.field(name=name, description=field.description))
        return strawberry.type(cls, description=for_callers(cls.__doc__ or shape.__doc__))

    return declare


def input_of(shape: type[Shape], name: str | None = None) -> Any:
    """The GraphQL input of a body; absent fields stay UNSET and so differ from null."""
    if shape not in _inputs:
        cls = type(name or f"{shape.__name__}Input", (), {"__annotations__": {}})
        for key, field in _named(shape).items():
            required = field.is_required()
            kind = _annotation(field, input_of) if required else _optional(_plain(field.annotation, input_of))
            cls.__annotations__[key] = kind
            default = {} if required else {"default": strawberry.UNSET}
            setattr(cls, key, strawberry.field(name=key, description=field.description, **default))
        _inputs[shape] = strawberry.input(cls, description=for_callers(shape.__doc__))
    return _inputs[shape]


def _named(shape: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in shape.model_fields.items()}


def _out(shape: type[Shape]) -> Any:
    """The type declared for a shape, or one made of its fields alone."""
    if shape not in _outputs:
        return output(shape)(type(shape.__name__.removesuffix("Out"), (), {"__doc__": shape.__doc__}))
    return _outputs[shape]


def _annotation(field: Any, nested: Callable[[Any], Any]) -> Any:
    kind = strawberry.ID if field.alias == "id" else _plain(field.annotation, nested)
    return kind if field.is_required() else _optional(kind)


def _optional(kind: Any) -> Any:
    return Union[kind, None]  # noqa: UP007 - built, not written


def _plain(annotation: Any, nested: Callable[[Any], Any]) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain(arguments[0], nested)
    if origin in (Union, types.UnionType):
        kinds = [a for a in arguments if a is not type(None)]
        kind = _plain(kinds[0], nested) if len(kinds) == 1 else JSON
        return _optional(kind) if type(None) in arguments else kind
    if origin is Literal:
        return str if len(arguments) == 1 else _enum(arguments)
    if origin is list:
        return list[_plain(arguments[0], nested)]  # type: ignore[misc]
    if annotation is datetime:
        return DateTime
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return JSON if issubclass(annotation, JsonShape) else nested(annotation)
    return annotation if annotation in (str, int, float, bool) else JSON


def name_enum(name: str, literal: Any) -> None:
    """Give the enumeration of a Literal its GraphQL name."""
    values = get_args(literal)
    members = {
        re.sub(r"([a-z])([A-Z])", r"\1_\2", v).replace("-", "_").replace(":", "_").upper(): v for v in values
    }
    _enums[tuple(sorted(values))] = strawberry.enum(enum.Enum(name, members))  # type: ignore[call-overload]


def enum_of(literal: Any) -> Any:
    """The GraphQL enumeration of a Literal, for arguments."""
    return _enum(get_args(literal))


def _enum(values: tuple[str, ...]) -> Any:
    return _enums[tuple(sorted(values))]

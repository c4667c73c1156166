"""Collects what the schema consists of, from shapes and rows before Strawberry is told.

A type may be mentioned before its fields are known, for types mention each other in circles; `handle` stands
for it until then. Fields are read from dicts under a key, or resolved by a function of the source.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NewType, TypeAlias

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.schema_directives import OneOf
from strawberry.types.arguments import StrawberryArgument
from strawberry.types.base import StrawberryList, StrawberryObjectDefinition, StrawberryOptional
from strawberry.types.field import StrawberryField
from strawberry.types.union import StrawberryUnion

from app.models.base import Enumeration

Kind: TypeAlias = Any
"""A GraphQL type as Strawberry knows it: a handle, a scalar or an enumeration; a list or an option of one."""

DateTime = NewType("DateTime", datetime)
JSON = NewType("JSON", object)
HTML = NewType("HTML", str)
Markdown = NewType("Markdown", str)
URL = NewType("URL", str)
Document = NewType("Document", object)
Variables = NewType("Variables", object)


def _scalar(name: str, description: str, url: str) -> Any:
    return strawberry.scalar(
        name=name,
        description=description,
        specified_by_url=url,
        serialize=lambda value: value,
        parse_value=lambda value: value,
    )


SCALARS: dict[object, Any] = {
    DateTime: _scalar(
        "DateTime", "A moment in UTC, as `2026-03-14T09:26:53Z`.", "https://www.rfc-editor.org/rfc/rfc3339"
    ),
    JSON: _scalar("JSON", "Any JSON value.", "https://www.rfc-editor.org/rfc/rfc8259"),
    HTML: _scalar(
        "HTML", "HTML that is safe to put into a page.", "https://html.spec.whatwg.org/multipage/syntax.html"
    ),
    Markdown: _scalar("Markdown", "Text in Markdown.", "https://spec.commonmark.org/current/"),
    Document: _scalar(
        "Document",
        "A structured document: blocks, inlines and texts, as the REST API describes JSONDocument.",
        "https://spec.openapis.org/oas/v3.1.0",
    ),
    Variables: _scalar(
        "Variables",
        "An object of texts, numbers and booleans by name.",
        "https://www.rfc-editor.org/rfc/rfc8259",
    ),
    URL: _scalar("URL", "An absolute address.", "https://url.spec.whatwg.org/"),
}


@dataclass(slots=True)
class Argument:
    """An argument, or a field of an input; it must be given unless it has a default or may be null."""

    type: Kind
    description: str
    default: object = strawberry.UNSET
    convert: Callable[[Any, str], Any] | None = None


@dataclass(slots=True)
class Field:
    """A field of a type: the `key` of the source that it shows, `finish`ed if need be, or its resolver."""

    type: Kind
    description: str
    key: str = ""
    finish: Callable[[Any], Any] | None = None
    resolve: Callable[..., Any] | None = None
    arguments: dict[str, Argument] = field(default_factory=dict)
    deprecated: str | None = None


@dataclass(slots=True)
class Declared:
    """A type with its fields, as far as they are known; inputs have arguments for fields."""

    name: str
    description: str
    handle: type
    fields: dict[str, Any] = field(default_factory=dict)
    interfaces: list[Declared] = field(default_factory=list)
    is_input: bool = False
    is_interface: bool = False
    is_one_of: bool = False


def optional(kind: Kind) -> Kind:
    """Return a type whose values may be null."""
    return kind if isinstance(kind, StrawberryOptional) else StrawberryOptional(kind)


def required(kind: Kind) -> Kind:
    """Return a type whose values may not be null."""
    return kind.of_type if isinstance(kind, StrawberryOptional) else kind


def list_of(kind: Kind) -> Kind:
    """Return the type of lists of values of a type."""
    return StrawberryList(kind)


class Declarations:
    """All types of a schema by name; of unions also how sources tell their type."""

    def __init__(self, enumerations: Iterable[Enumeration]) -> None:
        self.types: dict[str, Declared] = {}
        self._unions: dict[str, StrawberryUnion] = {}
        self.members: dict[str, dict[tuple[str, str], str]] = {}
        self._enums: dict[frozenset[str], Any] = {}
        self.enumerations = list(enumerations)
        for each in self.enumerations:
            self._enums[frozenset(each.values)] = _enum(each)

    def type(self, name: str, description: str = "", **options: Any) -> Declared:
        """Return the type of this name; the first to describe it does."""
        found = self.types.get(name)
        if found is None:
            found = self.types[name] = Declared(name, description, type(name, (), {}), **options)
        found.description = found.description or description
        return found

    def union(self, name: str, members: Mapping[tuple[str, str], Declared], description: str) -> Kind:
        """Return the union of this name; a member is told by a field of the source and its value."""
        if name not in self._unions:
            self.members[name] = {told: each.name for told, each in members.items()}
            handles = {each.name: each.handle for each in members.values()}
            annotations = tuple(map(StrawberryAnnotation, handles.values()))
            self._unions[name] = StrawberryUnion(name, annotations, description)
        found = self._unions[name]
        found.description = found.description or description
        return found

    def enumeration(self, values: Iterable[str]) -> Kind:
        """Return the enumeration of these values; raises KeyError where the models name none."""
        return self._enums[frozenset(values)]

    def settle(self) -> None:
        """Tell Strawberry of all types."""
        for each in self.types.values():
            each.handle.__strawberry_definition__ = StrawberryObjectDefinition(  # type: ignore[attr-defined]
                name=each.name,
                is_input=each.is_input,
                is_interface=each.is_interface,
                origin=each.handle,
                description=each.description or None,
                interfaces=[],
                extend=False,
                directives=(OneOf(),) if each.is_one_of else (),
                is_type_of=None,
                resolve_type=None,
                fields=[],
            )
        for each in self.types.values():
            definition = each.handle.__strawberry_definition__  # type: ignore[attr-defined]
            definition.interfaces = [i.handle.__strawberry_definition__ for i in each.interfaces]  # type: ignore[attr-defined]
            if each.is_input:
                definition.fields = [_input_field(name, it) for name, it in each.fields.items()]
            else:
                definition.fields = [_field(name, it) for name, it in each.fields.items()]


def _enum(each: Enumeration) -> Any:
    """Return an enumeration whose members are the texts of REST."""
    members = [(enum_name(value), value) for value in each.values]
    plain: Any = enum.Enum(str(each.name), members, type=str)  # type: ignore[misc]
    made: Any = strawberry.enum(plain, description=each.description or None)
    for item in made.__strawberry_definition__.values:
        item.description = each.values[item.value] or None
    return made


def enum_name(value: str) -> str:
    """Return what GraphQL calls a value: `in-collection` is IN_COLLECTION."""
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", value).replace("-", "_").replace(":", "_").upper()


def _field(name: str, it: Field) -> StrawberryField:
    made = StrawberryField(
        python_name=it.key or name,
        graphql_name=name,
        type_annotation=StrawberryAnnotation(it.type),
        description=it.description or None,
        deprecation_reason=it.deprecated,
    )
    made.arguments = [_argument(each, argument) for each, argument in it.arguments.items()]
    return made


def _argument(name: str, it: Argument) -> StrawberryArgument:
    return StrawberryArgument(
        name, name, StrawberryAnnotation(it.type), description=it.description or None, default=it.default
    )


def _input_field(name: str, it: Argument) -> StrawberryField:
    return StrawberryField(
        python_name=name,
        graphql_name=name,
        type_annotation=StrawberryAnnotation(it.type),
        description=it.description or None,
        default=it.default,
    )

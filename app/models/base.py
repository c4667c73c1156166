"""The base classes of tables and wire shapes, with the naming rule of fields; roles and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    create_model,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import definition_reference_schema, definitions_schema
from sqlmodel import SQLModel

from app.kit.database.columns import name_constraints
from app.kit.database.table_classes import TableClass
from app.kit.http.urls import LINK_PATTERN, NO_URL, URL_PATTERN, is_link, is_url

name_constraints(SQLModel.metadata)

Role = Literal["admin", "create", "review", "edit", "comment", "read"]
DefaultLevel = Literal["admin", "create", "review", "edit", "comment", "read", "inherit"]


def _url(text: str) -> str:
    if not is_url(text):
        raise ValueError(NO_URL)
    return text


def _link(text: str) -> str:
    if not is_link(text):
        raise ValueError(NO_URL)
    return text


class Absolute:
    """Says that a text is an absolute address: GraphQL has its scalar `URL` for it."""


# Patterns are for the API's document; the checks know more, and say it in words.
Url = Annotated[
    str,
    StringConstraints(max_length=2048),
    AfterValidator(_url),
    Field(json_schema_extra={"pattern": URL_PATTERN}),
    Absolute(),
]
UrlOut = Annotated[str, AfterValidator(_url), Field(json_schema_extra={"format": "uri"}), Absolute()]
"""An absolute address in an answer."""
Link = Annotated[
    str,
    StringConstraints(max_length=2048),
    AfterValidator(_link),
    Field(
        json_schema_extra={"pattern": LINK_PATTERN},
        description="Absolute address, or `mailto:` and a mailbox.",
    ),
    Absolute(),
]


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
"""Takes `2.0` for an integer, as JSON Schema does. It stands behind the bounds of a number, or they would be
missing in the API's document."""


class Table(SQLModel, metaclass=TableClass):
    """Base of the tables. Nothing validates rows as models, so no validators are built at start-up."""

    model_config = ConfigDict(defer_build=True)  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field of an instance, of which no ORM keeps track."""
        BaseModel.__setattr__(self, name, value)


def wire_name(name: str) -> str:
    """Convert snake_case to the specification's spelling: camelCase, with a closing URL in capitals."""
    camel = to_camel(name)
    return camel.removesuffix("Url") + "URL" if camel.endswith("Url") else camel


_PAPERS = re.compile(r" ?\((?:specification|decisions)\b[^()]*\)")


def for_callers(words: str | None) -> str:
    """Return what a docstring says to callers: without our own papers, which it may cite."""
    return _PAPERS.sub("", cleandoc(words or ""))


DESCRIPTIONS = {
    "id": "Identifier of the object.",
    "object": "Type of the object.",
    "created_at": "When it was created.",
    "updated_at": "When it was last changed.",
    "urls": "Addresses of the object.",
    "location": "Address in the REST API.",
    "app": "Address for people, in the application.",
    "permissions": "What the caller may do with it.",
}
"""Descriptions of fields that say the same in every shape that has them, unless a shape says more."""


class Choice(NamedTuple):
    """One of the alternatives of a body: the field that REST takes, and `told`, what tells its kind there.

    `names` is the type of the object whose id it is, where the field is for ids of several types. `beside`
    are further fields that REST takes with it; GraphQL has an input for it and them then.
    """

    field: str
    description: str
    told: Mapping[str, str] = {}
    names: str = ""
    beside: Sequence[str] = ()


class Choices(NamedTuple):
    """Says that a caller gives exactly one of several fields of a body.

    GraphQL has a `@oneOf` input for them: the input of the body itself, or of its field `within` where the
    body has other fields too.
    """

    by_name: Mapping[str, Choice]
    within: str = ""
    description: str = ""


class Shape(BaseModel):
    """Something that travels: a body, a query or an answer. Unknown fields are refused (decisions, 12)."""

    model_config = ConfigDict(
        alias_generator=wire_name, populate_by_name=True, extra="forbid", defer_build=True
    )
    choices: ClassVar[Choices | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        """Describe the fields that every shape has alike."""
        describe(cls, DESCRIPTIONS)


def describe(shape: type[BaseModel], descriptions: Mapping[str, str]) -> None:
    """Give the fields of a shape their descriptions by name, unless they have one."""
    for name in descriptions.keys() & shape.model_fields.keys():
        field = shape.model_fields[name]
        field.description = field.description or descriptions[name]


@dataclass(frozen=True)
class Column:
    """Names the column that a field of an answer shows, where the two are not called the same."""

    name: str


@dataclass(frozen=True)
class Names:
    """Says that a field holds the id of an object, or several ids, and of which type it is.

    GraphQL shows the object itself under the field's name: `space: Annotated[str, Names("Space")]`. In a
    body or a query it takes GraphQL's id there as well as REST's; `Node` is an object of any type.
    """

    type: str


class AnyKind:
    """Says that the values of a map may be of any kind, and that callers look them up by name.

    GraphQL shows the entries of such a map, with a field for each kind of value.
    """


AnyValue = Annotated[Any, AnyKind()]


class FieldsByKind(NamedTuple):
    """Says which fields of a body go with each value of one of its fields, which tells its kind.

    A name that ends with `!` has to be given.

    GraphQL has a field for each kind, of which a caller gives one.
    """

    field: str
    kinds: Mapping[str, Sequence[str]]


class Enumeration(NamedTuple):
    """Names a Literal for GraphQL, and describes each of its values.

    Without a `description`, it is described as the first field that has it.
    """

    name: str
    literal: Any
    values: Mapping[str, str]
    description: str = ""


@dataclass(frozen=True)
class DescribedAs:
    """Describes a JSON object in the API's document by a shape that it has, though nothing checks it as one.

    With `partly`, every field may be left out or null, at any depth.
    """

    shape: type[Shape]
    partly: bool = False

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return a reference to the JSON Schema of the shape."""
        shape = partial(self.shape) if self.partly else self.shape
        shape.model_rebuild()
        built: Any = shape.__pydantic_core_schema__
        definitions = built["definitions"] if built["type"] == "definitions" else []
        model = built["schema"] if built["type"] == "definitions" else built
        if model["type"] == "definition-ref":
            return handler(built)
        # Pydantic leaves the name out of a model that does not hold itself.
        name = f"{shape.__module__}.{shape.__qualname__}:{id(shape)}"
        named = [{**model, "ref": name}, *definitions]
        return handler(definitions_schema(definition_reference_schema(name), named))


@cache
def partial(shape: type[Shape]) -> type[Shape]:
    """Return a shape of the same fields, each of which may be left out or null, at any depth."""
    fields: dict[str, Any] = {}
    for name, info in shape.model_fields.items():
        kind = _partial(info.annotation)
        kind = Annotated[kind, *info.metadata] if info.metadata else kind
        optional = Field(default=None, description=info.description)
        fields[name] = (Union[kind, None], optional)  # noqa: UP007 - built, not written
    return create_model(f"{shape.__name__}Override", __base__=Shape, __doc__=shape.__doc__, **fields)


def _partial(kind: Any) -> Any:
    """Return a type with shapes that are partial, in a union too."""
    if get_origin(kind) in (Union, UnionType):
        return Union[tuple(map(_partial, get_args(kind)))]  # noqa: UP007 - built, not written
    return partial(kind) if isinstance(kind, type) and issubclass(kind, Shape) else kind


class ManifestPart(Shape):
    """Base of what a manifest consists of: fields that nothing here knows are kept, where others are refused.

    Integrations are written for several platforms, and for later versions of this one.
    """

    model_config = ConfigDict(extra="allow")


class JsonShape(Shape):
    """A shape that GraphQL gives as JSON: it nests itself, or is one of several kinds."""


def absent(description: str | None = None) -> Any:
    """Return the default of a field that may be left out but not be null; `sent` leaves it out."""
    return Field(default=None, description=description) if description else Field(default=None)


class Change(Shape):
    """A body whose absent fields mean "unchanged"; null clears, where a field's type allows it."""

    def sent(self) -> dict[str, Any]:
        """Return only what the caller sent, under the column's names."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def one_of(*choices: dict[str, Any], only: bool = False) -> ConfigDict:
    """Say in JSON Schema what a validator demands: the fields of one choice, or `only` those."""
    described: Any = []
    names = {name for choice in choices for name in choice}
    for choice in choices:
        said = {name: schema for name, schema in choice.items() if schema}
        described.append({**({"properties": said} if said else {}), "required": list(choice)})
    if only:
        for choice in described:
            others = sorted(names - set(choice["required"]))
            choice["not"] = {"anyOf": [{"required": [name]} for name in others]}
    return ConfigDict(json_schema_extra={"oneOf": described})


class Permissions(Shape):
    """Base of the `permissions` objects: what the caller may do, one boolean per right."""


class Location(Shape):
    """`urls` of an object that only has an API address."""

    location: UrlOut


ROLES = {
    "admin": "Administrates: manages people, settings and visibility, and deletes. Includes `create`.",
    "create": "Creates collections, spaces and sites. Includes `review`.",
    "review": "Reviews and merges change requests. Includes `edit`.",
    "edit": "Edits content, live or in change requests. Includes `comment`.",
    "comment": "Comments and replies. Includes `read`.",
    "read": "Reads content.",
}
ENUMERATIONS = (
    Enumeration("Role", Role, ROLES, "What a member may do, or somebody to whom content was granted."),
    Enumeration(
        "DefaultLevel",
        DefaultLevel,
        {
            **ROLES,
            "inherit": "Takes the level of the parent collection. Without a parent, every member has the "
            "higher of their own role and the default role of the organization.",
        },
    ),
)

"""Plain data for showing an API to readers, made by `operation.py` and `schemas.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(slots=True)
class SchemaView:
    """The description of a value. `type` is for people (`string`, `array of Pet`, `integer or null`).

    `properties` are those of an object, `items` what a list holds, `values` what other keys hold;
    `choices` with `choice` (`one of`, `any of`) are alternatives, which the property `discriminator` tells
    apart: it is `chosen` in each. `model` is the name that the document gives the schema. `recursive`: it is
    shown further out.
    """

    type: str
    name: str = ""
    title: str = ""
    description: str = ""
    format: str = ""
    required: bool = False
    deprecated: bool = False
    access: Literal["", "read only", "write only"] = ""
    default: Any = None
    has_default: bool = False
    enum: list[Any] = field(default_factory=list)
    facts: list[tuple[str, Any]] = field(default_factory=list)
    properties: list[SchemaView] = field(default_factory=list)
    items: SchemaView | None = None
    values: SchemaView | None = None
    choice: str = ""
    choices: list[SchemaView] = field(default_factory=list)
    discriminator: str = ""
    chosen: str = ""
    model: str = ""
    example: ExampleView | None = None
    recursive: bool = False
    more: bool = False


@dataclass(slots=True)
class ParameterView:
    """A parameter, or a header of an answer. A list that does `explode` is sent as one value each."""

    name: str
    place: str
    description: str
    required: bool
    deprecated: bool
    schema: SchemaView
    example: Any = None
    explode: bool = False


@dataclass(slots=True)
class ExampleView:
    """An example: given by the document, or made from the schema (`made`)."""

    name: str
    value: Any
    summary: str = ""
    made: bool = False


@dataclass(slots=True)
class ContentView:
    """A body in one media type."""

    media_type: str
    schema: SchemaView
    examples: list[ExampleView]


@dataclass(slots=True)
class BodyView:
    """The body of a request."""

    description: str
    required: bool
    contents: list[ContentView]


@dataclass(slots=True)
class ResponseView:
    """The response for a status (`200`, `4XX`, `default`)."""

    status: str
    description: str
    headers: list[ParameterView]
    contents: list[ContentView]


@dataclass(slots=True)
class SecurityView:
    """A way to prove who asks. `place` and `parameter` tell where a key goes."""

    name: str
    type: str
    scheme: str = ""
    place: str = ""
    parameter: str = ""
    description: str = ""
    scopes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ServerVariableView:
    """A part of a server's address that callers choose, among those of `enum` if there are any."""

    name: str
    default: str
    enum: list[str]
    description: str = ""


@dataclass(slots=True)
class ServerView:
    """A server of the API. `url` has the defaults of its variables in place of their names in `template`."""

    url: str
    description: str = ""
    template: str = ""
    variables: list[ServerVariableView] = field(default_factory=list)


@dataclass(slots=True)
class OperationView:
    """An operation with everything that a reader shows.

    `security` are alternatives, of each all parts are needed; `callbacks` are only named.
    """

    kind: str
    path: str
    method: str
    operation_id: str
    summary: str
    description: str
    deprecated: bool
    tags: list[str]
    servers: list[ServerView]
    security: list[list[SecurityView]]
    parameters: list[ParameterView]
    body: BodyView | None
    responses: list[ResponseView]
    callbacks: list[str]

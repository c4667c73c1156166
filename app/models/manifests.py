"""What is published: every field of an integration's manifest with its limits (decisions, Shapes)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, StringConstraints, model_validator
from sqlmodel import Field

from app.models.base import Change, Enumeration, Shape, Url, absent
from app.models.texts import Form, Label

IntegrationRuntime = Literal["v1", "v2"]
IntegrationVisibility = Literal["public", "private", "unlisted"]
IntegrationTarget = Literal["all", "site", "space", "organization"]
IntegrationCategory = Literal[
    "analytics", "collaboration", "content", "gitsync", "marketing", "visitor-auth", "other"
]
IntegrationScope = Literal[
    "space:content:read", "space:content:write", "space:metadata:read", "space:metadata:write",
    "space:git:sync", "page:feedback:read", "site:metadata:read", "site:views:read", "site:script:inject",
    "site:script:cookies", "site:visitor:auth", "site:visitor:claims", "site:adaptive:read",
    "site:adaptive:write", "conversations:ingest", "openapi:read", "openapi:write",
    "space:views:read", "space:script:inject", "space:script:cookies", "space:visitor:auth",
]  # fmt: skip
PropertyType = Literal["string", "number", "boolean", "button"]
MOST_DIRECTIVES = 40
ITEMS = 100  # blocks, sources, properties, secrets of one integration

IntegrationTitle = Annotated[str, Label(30, shortest=2)]
PartTitle = Annotated[str, Label(40, shortest=2)]
Description = Annotated[str, StringConstraints(max_length=100)]
_NAME = Form(r"^[a-zA-Z0-9_.-]+$", "letters, digits, `_`, `.` and `-`")
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=100), _NAME]
PropertyName = Annotated[
    str, StringConstraints(min_length=1, max_length=100), Form(r"^[^\s\x00-\x1f]+$", "a name without blanks")
]
SecretValue = Annotated[str, StringConstraints(max_length=10_000)]
Picture = Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
Script = Annotated[str, StringConstraints(min_length=1, max_length=15_000_000)]
Domain = Annotated[str, StringConstraints(max_length=100), _NAME]

_POLICY = re.compile(
    r"[\x20-\x2b\x2d-\x7e]{1,4096}"
)  # a header of one policy: no comma, no control character
_DIRECTIVE = re.compile(r"[a-z][a-z-]{0,40}")


def _policy(value: Any) -> Any:
    """Check a policy as text or by directive before either, so that what is wrong is told once."""
    if isinstance(value, str):
        if not _POLICY.fullmatch(value):
            raise ValueError("must be one policy: visible ASCII, no comma, at most 4096 characters")
        return value
    if not isinstance(value, dict) or len(value) > MOST_DIRECTIVES:
        raise ValueError(f"must be text, or a map of at most {MOST_DIRECTIVES} directives")
    for name, sources in value.items():
        if not isinstance(name, str) or not _DIRECTIVE.fullmatch(name):
            raise ValueError(f"“{name}” is not the name of a directive")
        if not isinstance(sources, str) or ";" in sources or (sources and not _POLICY.fullmatch(sources)):
            raise ValueError(f"{name}: must be sources without comma and semicolon")
    return value


def _told_apart(value: list[Any]) -> list[Any]:
    if len({item.id for item in value}) < len(value):
        raise ValueError("must have an id of its own each")
    return value


Unfurled = Annotated[Url, StringConstraints(max_length=512)]
Policy = Annotated[
    str | Annotated[dict[str, str], Field(max_length=MOST_DIRECTIVES)], BeforeValidator(_policy)
]


class BlockMarkdown(Shape):
    """How a block is written in Markdown: a code block of this language, whose text is this property."""

    codeblock: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    body: Annotated[str, StringConstraints(min_length=1, max_length=100)]


class IntegrationBlock(Shape):
    """A kind of block that pages may hold; addresses that begin with one of `urlUnfurl` become one."""

    id: Identifier
    title: PartTitle
    description: Annotated[str, StringConstraints(max_length=150)] = absent()
    icon: Picture = absent()
    url_unfurl: Annotated[list[Unfurled], Field(max_length=50)] = Field(
        default_factory=list, alias="urlUnfurl"
    )
    markdown: BlockMarkdown = absent()


class ContentSourceConfiguration(Shape):
    """The component that configures a content source."""

    component_id: Identifier


class IntegrationContentSource(Shape):
    """Where computed content can come from."""

    id: Identifier
    title: PartTitle
    description: Annotated[str, StringConstraints(max_length=150)] = absent()
    icon: Picture = absent()
    configuration: ContentSourceConfiguration


class ConfigurationProperty(Shape):
    """One value of a configuration: its type and how it is asked for."""

    type: PropertyType
    title: Annotated[str, Label(100)] = absent()
    description: Description = absent()
    default: str | bool | int | float = absent()
    completion_url: Annotated[str, StringConstraints(max_length=2048)] = Field(
        default=None, alias="completion_url"
    )
    enum: Annotated[list[str], Field(max_length=ITEMS)] = absent()
    callback_url: Annotated[str, StringConstraints(max_length=2048)] = Field(
        default=None, alias="callback_url"
    )
    button_text: Annotated[str, StringConstraints(max_length=50)] = Field(default=None, alias="button_text")

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        sent = self.model_fields_set
        if self.type == "button" and not {"callback_url", "button_text"} <= sent:
            raise ValueError("a button needs callback_url and button_text")
        if self.type != "string" and {"enum", "completion_url"} & sent:
            raise ValueError("only a string has enum or completion_url")
        if "default" in sent and not fits(self.type, self.default, self.enum if "enum" in sent else None):
            raise ValueError(f"default is not a {self.type} of the property")
        return self


class IntegrationConfiguration(Shape):
    """What has to be configured: properties with types, or a component of the integration that asks."""

    properties: Annotated[dict[PropertyName, ConfigurationProperty], Field(max_length=ITEMS)] = absent()
    required: Annotated[list[PropertyName], Field(max_length=ITEMS)] = absent()
    component_id: Identifier = absent()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        sent = self.model_fields_set
        if ("properties" in sent) == ("component_id" in sent):
            raise ValueError("needs either properties or componentId")
        if "required" in sent and not set(self.required) <= set(self.properties or ()):
            raise ValueError("required names a property that there is not")
        return self


class IntegrationConfigurations(Shape):
    """What is configured for an organization, for a space and for a site."""

    account: IntegrationConfiguration = absent()
    space: IntegrationConfiguration = absent()
    site: IntegrationConfiguration = absent()


class IntegrationLink(Shape):
    """A link that is shown with an integration."""

    url: Url
    label: Annotated[str, Label(100)]


def fits(type_: str, value: Any, enum: list[str] | None = None) -> bool:
    """Tell whether a value is one of a property's type."""
    if type_ == "string":
        return isinstance(value, str) and (enum is None or value in enum)
    if type_ == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type_ == "boolean" and isinstance(value, bool)


class IntegrationPublish(Change):
    """A manifest. It replaces the one before, but pictures and secrets stay where none are sent."""

    runtime: IntegrationRuntime = "v1"
    icon: Picture = Field(default=None, description="picture, base64")
    title: IntegrationTitle
    description: Description
    summary: Annotated[str, StringConstraints(max_length=2048)] = Field(default="", description="Markdown")
    preview_images: Annotated[list[Picture], Field(max_length=3)] = Field(
        default=None, description="pictures, base64"
    )
    visibility: IntegrationVisibility = "private"
    target: IntegrationTarget = "all"
    scopes: Annotated[list[IntegrationScope], Field(max_length=ITEMS)]
    categories: Annotated[list[IntegrationCategory], Field(max_length=ITEMS)] = Field(default_factory=list)
    blocks: Annotated[list[IntegrationBlock], Field(max_length=ITEMS), AfterValidator(_told_apart)] = Field(
        default_factory=list
    )
    content_sources: Annotated[
        list[IntegrationContentSource], Field(max_length=ITEMS), AfterValidator(_told_apart)
    ] = Field(default_factory=list)
    external_links: Annotated[list[IntegrationLink], Field(max_length=5)] = Field(default_factory=list)
    configurations: IntegrationConfigurations = Field(default_factory=IntegrationConfigurations)
    script: Script = Field(description="ES module, bundled")
    organization: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        description="id or subdomain of the organization that publishes"
    )
    secrets: Annotated[dict[PropertyName, SecretValue], Field(max_length=ITEMS)] = Field(
        default=None, description="never shown again"
    )
    content_security_policy: Policy = absent()


ENUMERATIONS = (
    Enumeration(
        "IntegrationRuntime",
        IntegrationRuntime,
        {
            "v1": "",
            "v2": "",
        },
    ),
    Enumeration(
        "IntegrationVisibility",
        IntegrationVisibility,
        {
            "public": "",
            "private": "",
            "unlisted": "",
        },
    ),
    Enumeration(
        "IntegrationTarget",
        IntegrationTarget,
        {
            "all": "",
            "site": "",
            "space": "",
            "organization": "",
        },
    ),
    Enumeration(
        "IntegrationCategory",
        IntegrationCategory,
        {
            "analytics": "",
            "collaboration": "",
            "content": "",
            "gitsync": "",
            "marketing": "",
            "visitor-auth": "",
            "other": "",
        },
    ),
    Enumeration(
        "IntegrationScope",
        IntegrationScope,
        {
            "space:content:read": "",
            "space:content:write": "",
            "space:metadata:read": "",
            "space:metadata:write": "",
            "space:git:sync": "",
            "page:feedback:read": "",
            "site:metadata:read": "",
            "site:views:read": "",
            "site:script:inject": "",
            "site:script:cookies": "",
            "site:visitor:auth": "",
            "site:visitor:claims": "",
            "site:adaptive:read": "",
            "site:adaptive:write": "",
            "conversations:ingest": "",
            "openapi:read": "",
            "openapi:write": "",
            "space:views:read": "",
            "space:script:inject": "",
            "space:script:cookies": "",
            "space:visitor:auth": "",
        },
    ),
    Enumeration(
        "ConfigurationPropertyType",
        PropertyType,
        {
            "string": "",
            "number": "",
            "boolean": "",
            "button": "",
        },
    ),
)

"""Manifests of integrations: every field with its limits (decisions, Shapes)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from app.models.base import Change, Enumeration, ManifestPart, Names, Url, absent
from app.models.integration_configurations import (
    ITEMS,
    NAME_FORM,
    Description,
    Identifier,
    IntegrationConfigurations,
    PropertyName,
)
from app.models.texts import Label

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
MOST_DIRECTIVES = 40

IntegrationTitle = Annotated[str, Label(30, shortest=2)]
PartTitle = Annotated[str, Label(40, shortest=2)]
SecretValue = Annotated[str, StringConstraints(max_length=10_000)]
Picture = Annotated[str, StringConstraints(min_length=1, max_length=5_000_000)]
Script = Annotated[str, StringConstraints(min_length=1, max_length=15_000_000)]
Domain = Annotated[str, StringConstraints(max_length=100), NAME_FORM]

_POLICY = re.compile(
    r"[\x20-\x2b\x2d-\x7e]{1,4096}"
)  # a header of one policy: no comma, no control character
_LINES = re.compile(r"[ \t]*[\r\n]\s*")
_DIRECTIVE = re.compile(r"[a-z][a-z-]{0,40}")


def _policy(value: Any) -> Any:
    """Check a policy as text or by directive before either, so that what is wrong is told once."""
    if isinstance(value, str):
        policy = _one_line(value)
        if not _POLICY.fullmatch(policy):
            raise ValueError("must be one policy: visible ASCII, no comma, at most 4096 characters")
        return policy
    if not isinstance(value, dict) or len(value) > MOST_DIRECTIVES:
        raise ValueError(f"must be text, or a map of at most {MOST_DIRECTIVES} directives")
    policies: dict[str, str] = {}
    for name, said in value.items():
        if not isinstance(name, str) or not _DIRECTIVE.fullmatch(name):
            raise ValueError(f"“{name}” is not the name of a directive")
        sources = _one_line(said).rstrip("; ") if isinstance(said, str) else ";"
        if ";" in sources or (sources and not _POLICY.fullmatch(sources)):
            raise ValueError(f"{name}: must be sources without comma, and a semicolon at their end at most")
        policies[name] = sources
    return policies


def _one_line(text: str) -> str:
    """Return a policy that was written in several lines, as manifests in YAML have it."""
    return _LINES.sub(" ", text).strip()


def _told_apart(value: list[Any]) -> list[Any]:
    if len({item.id for item in value}) < len(value):
        raise ValueError("must have an id of its own each")
    return value


Unfurled = Annotated[Url, StringConstraints(max_length=512)]
OWN_ID = "Id, unique among those of the integration: 1 to 100 letters, digits, `_`, `.` and `-`."
PART_DESCRIPTION = "Description, at most 150 characters."
ICON = "Icon: a picture in base64 when it is published, its address in answers."
PartDescription = Annotated[str, StringConstraints(max_length=150)]
Policy = Annotated[
    str | Annotated[dict[str, str], Field(max_length=MOST_DIRECTIVES)], BeforeValidator(_policy)
]


class BlockMarkdown(ManifestPart):
    """The form of a block in Markdown: a code block of this language, whose text is this property."""

    codeblock: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        description="Language of the fenced code block, at most 100 characters."
    )
    body: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        description="Name of the property of the block that holds the code, at most 100 characters."
    )


class IntegrationBlock(ManifestPart):
    """A kind of block that pages may hold."""

    id: Identifier = Field(description=OWN_ID)
    title: PartTitle = Field(description="Title, 2 to 40 characters.")
    description: PartDescription = absent(PART_DESCRIPTION)
    icon: Picture = absent(ICON)
    url_unfurl: Annotated[list[Unfurled], Field(max_length=50)] = Field(
        default_factory=list,
        alias="urlUnfurl",
        description="Addresses that become this block where they are embedded: beginnings, or patterns with"
        " `*` for anything within a part and `**` for any number of parts. At most 50 of 512 characters.",
    )
    markdown: BlockMarkdown = absent("Fenced code block that represents the block in Markdown.")


class ContentSourceConfiguration(ManifestPart):
    """The component that configures a content source."""

    component_id: Identifier = Field(description="Id of the component of the integration.")


class IntegrationContentSource(ManifestPart):
    """A source of computed content."""

    id: Identifier = Field(description=OWN_ID)
    title: PartTitle = Field(description="Title, 2 to 40 characters.")
    description: PartDescription = absent(PART_DESCRIPTION)
    icon: Picture = absent(ICON)
    configuration: ContentSourceConfiguration = Field(description="Component that configures the source.")


class IntegrationLink(ManifestPart):
    """A link that is shown with an integration."""

    url: Url = Field(description="Target URL of the link, at most 2,048 characters.")
    label: Annotated[str, Label(100)] = Field(description="Text of the link, 1 to 100 characters.")


class IntegrationPublish(Change, ManifestPart):
    """A manifest. It replaces the one before, but pictures and secrets stay where none are sent.

    Fields that nothing here knows are kept without effect, with a warning: at most 100, of 20,000 bytes
    together.
    """

    runtime: IntegrationRuntime = Field(
        default="v1", description="Version of the interface that the script was written for."
    )
    icon: Picture = absent("Picture in base64: PNG, JPEG, GIF, WebP, AVIF or SVG, at most 1 MB.")
    title: IntegrationTitle = Field(description="Title, 2 to 30 characters.")
    description: Description = Field(description="Short description, at most 100 characters.")
    summary: Annotated[str, StringConstraints(max_length=2048)] = Field(
        default="", description="Long description in Markdown, at most 2,048 characters."
    )
    preview_images: Annotated[list[Picture], Field(max_length=3)] = absent(
        "Pictures of the integration in use, in base64, at most 3 of 1 MB each."
    )
    visibility: IntegrationVisibility = Field(default="private", description="Who may find and install it.")
    target: IntegrationTarget = Field(default="all", description="Where it can be installed.")
    scopes: Annotated[list[IntegrationScope], Field(max_length=ITEMS)] = Field(
        description="Scopes that the integration asks for where it is installed."
    )
    categories: Annotated[list[IntegrationCategory], Field(max_length=ITEMS)] = Field(
        default_factory=list, description="Categories that it is found by."
    )
    blocks: Annotated[list[IntegrationBlock], Field(max_length=ITEMS), AfterValidator(_told_apart)] = Field(
        default_factory=list, description="Kinds of blocks that it adds to pages, at most 100."
    )
    content_sources: Annotated[
        list[IntegrationContentSource], Field(max_length=ITEMS), AfterValidator(_told_apart)
    ] = Field(default_factory=list, description="Sources of computed content, at most 100.")
    external_links: Annotated[list[IntegrationLink], Field(max_length=5)] = Field(
        default_factory=list, description="Links to show with it, at most 5."
    )
    configurations: IntegrationConfigurations = Field(
        default_factory=IntegrationConfigurations,
        description="Configuration that is asked for where the integration is installed.",
    )
    script: Script = Field(
        description="ES module, bundled: it must not import anything. At most 15,000,000 characters."
    )
    organization: Annotated[str, StringConstraints(min_length=1, max_length=100), Names("Organization")] = (
        Field(description="Id or subdomain of the organization that publishes.")
    )
    secrets: Annotated[dict[PropertyName, SecretValue], Field(max_length=ITEMS)] = absent(
        "Values by name that only the script gets, at most 100 of 10,000 characters each. Never shown again."
    )
    content_security_policy: Policy = absent(
        "Content security policy that its pages and scripts need: as text, or as a map of directives."
    )


class IntegrationSecret(Change):
    """A secret of an integration."""

    value: Annotated[SecretValue, StringConstraints(min_length=1)] = Field(
        description="Value that only the script gets, 1 to 10,000 characters. Never shown again."
    )


ENUMERATIONS = (
    Enumeration(
        "IntegrationRuntime",
        IntegrationRuntime,
        {
            "v1": "First version, the default.",
            "v2": "Second version. Scripts run as with `v1`.",
        },
    ),
    Enumeration(
        "IntegrationVisibility",
        IntegrationVisibility,
        {
            "public": "Everybody finds it and may install it.",
            "private": "Only the organization that published it finds it and may install it.",
            "unlisted": "Whoever knows its name may install it; only the organization that published it finds"
            " it in lists.",
        },
    ),
    Enumeration(
        "IntegrationTarget",
        IntegrationTarget,
        {
            "all": "Organizations, spaces and sites.",
            "site": "Sites.",
            "space": "Spaces.",
            "organization": "Organizations as a whole.",
        },
    ),
    Enumeration(
        "IntegrationCategory",
        IntegrationCategory,
        {
            "analytics": "Analytics.",
            "collaboration": "Collaboration.",
            "content": "Content of pages.",
            "gitsync": "Sync with Git repositories.",
            "marketing": "Marketing.",
            "visitor-auth": "Sign-in of visitors.",
            "other": "Anything else.",
        },
    ),
    Enumeration(
        "IntegrationScope",
        IntegrationScope,
        {
            "space:content:read": "Read pages, files, revisions, change requests and links, and search; "
            "receive events about new content.",
            "space:content:write": "Change content, import, and write change requests without merging them.",
            "space:metadata:read": "Read and list spaces; receive events about changes of their visibility.",
            "space:metadata:write": "Change the title and icon of a space.",
            "space:git:sync": "Sync with a repository; receive events about syncs.",
            "page:feedback:read": "Receive events about feedback on pages.",
            "site:metadata:read": "Read sites, their structure and their looks.",
            "site:views:read": "Receive events about views of a site.",
            "site:script:inject": "Put a script into the pages of a site.",
            "site:script:cookies": "Set cookies by the script in the pages of a site.",
            "site:visitor:auth": "Sign in visitors of a site; read the key of their tokens.",
            "site:visitor:claims": "State claims of visitors. Opens nothing at present.",
            "site:adaptive:read": "Read the schema of visitors' claims.",
            "site:adaptive:write": "Change the schema of visitors' claims.",
            "conversations:ingest": "Send conversations. Opens nothing at present.",
            "openapi:read": "Read OpenAPI specifications.",
            "openapi:write": "Create, change and delete OpenAPI specifications.",
            "space:views:read": "Deprecated form of `site:views:read`, with events of an older type.",
            "space:script:inject": "Deprecated form of `site:script:inject`, without effect.",
            "space:script:cookies": "Deprecated form of `site:script:cookies`, without effect.",
            "space:visitor:auth": "Deprecated form of `site:visitor:auth`, without effect.",
        },
    ),
)

"""Integrations: what third parties have published."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Column, Names, Permissions, Shape, Table, UrlOut
from app.models.integration_configurations import IntegrationConfigurations
from app.models.manifests import (
    Domain,
    IntegrationBlock,
    IntegrationCategory,
    IntegrationContentSource,
    IntegrationLink,
    IntegrationRuntime,
    IntegrationScope,
    IntegrationTarget,
    IntegrationVisibility,
)
from app.models.organizations import OrganizationOut
from app.models.queries import PageQuery, QueryBool


class Integration(Table, table=True):
    """A published integration. `manifest` holds what is only shown; the rest is asked by or judged.

    One that was deleted has given its name back and stays until its last events are delivered.
    """

    __table_args__ = (Index(None, "organization_id", "id"), Index(None, "visibility", "id"))

    id: str = Field(sa_type=Key, primary_key=True)
    name: str = Field(sa_type=Key, unique=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id")  # whom its tokens act as
    version: int
    runtime: str
    title: str
    description: str
    searched: str  # title, name and description without case
    target: str
    visibility: str
    verified: bool
    scopes: list[str] = Field(sa_type=Json)
    categories: list[str] = Field(sa_type=Json)
    block_domains: list[str] = Field(sa_type=Json)
    has_blocks: bool
    has_content_sources: bool
    manifest: dict[str, Any] = Field(sa_type=Json)
    secrets: str  # sealed
    tunnel_url: str | None = None
    tunnel_all: bool
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)
    deleted_at: datetime | None = Field(default=None, sa_type=Instant)


class IntegrationVersion(Table, table=True):
    """A published version: the script that runs."""

    __tablename__ = "integration_version"

    integration_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="integration.id", ondelete="CASCADE"
    )
    version: int = Field(primary_key=True)
    runtime: str
    script: str
    published_by: str = Field(sa_type=Key, index=True)
    created_at: datetime = Field(sa_type=Instant)


class IntegrationToken(Table, table=True):
    """A token with which a script calls back as the integration, for an hour: only its hash is kept."""

    __tablename__ = "integration_token"
    __table_args__ = (Index(None, "expires_at"),)

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    integration_id: str = Field(sa_type=Key, foreign_key="integration.id", ondelete="CASCADE", index=True)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)


class IntegrationAsset(Table, table=True):
    """A picture of an integration, served by the hash of its bytes."""

    __tablename__ = "integration_asset"
    __table_args__ = (Index(None, "blob_id"),)

    integration_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="integration.id", ondelete="CASCADE"
    )
    blob_id: str = Field(sa_type=Key, primary_key=True, foreign_key="blob.id")
    content_type: str
    size: int


class SearchedQuery(PageQuery):
    """A list that can be searched."""

    search: str | None = Field(
        default=None,
        max_length=100,
        description="Lists only integrations whose title, name or description contains this text, in any"
        " case.",
    )


class IntegrationsQuery(SearchedQuery):
    """Query parameters that select the integrations to list."""

    category: IntegrationCategory | None = Field(
        default=None, description="Lists only integrations of this category."
    )
    block_domain: Domain | None = Field(
        default=None, description="Lists only integrations with a block for addresses of this host."
    )
    blocks: QueryBool | None = Field(
        default=None, description="Lists only integrations with blocks if true, only those without if false."
    )
    content_sources: QueryBool | None = Field(
        default=None,
        description="Lists only integrations with content sources if true, only those without if false.",
    )
    owner: Annotated[str, Names("Organization")] | None = Field(
        default=None,
        max_length=100,
        description="Lists only integrations that the organization with this id published.",
    )
    scope: IntegrationScope | None = Field(
        default=None, description="Lists only integrations with this scope."
    )
    target: IntegrationTarget | None = Field(
        default=None, description="Lists only integrations for this target, or for all."
    )


class IntegrationUrls(Shape):
    """Addresses of an integration."""

    location: UrlOut
    icon: UrlOut | None = Field(default=None, description="Address of the icon. Absent if there is none.")
    app: UrlOut
    assets: UrlOut = Field(description="Address that its pictures are below.")
    public_endpoint: UrlOut = Field(description="Public URL that calls its script.")
    public_content_endpoint: UrlOut = Field(description="The same, for what its script shows in frames.")


class IntegrationPermissions(Permissions):
    """The permissions of the caller for an integration."""

    admin: bool = Field(description="Whether the caller may publish a new version, develop and delete it.")
    install: bool = Field(description="Whether the caller may install it in an organization of theirs.")


class ManifestWarning(Shape):
    """A field of a manifest that nothing here knows: it is kept without effect."""

    path: str = Field(description="Place in the manifest: names and indexes between dots.")
    message: str = Field(description="What is said of the field, in a sentence.")
    value: str = Field(description="Value that was sent, as JSON.")


class IntegrationOut(Shape):
    """An integration: an extension that an organization published (specification, Integration)."""

    object: Literal["integration"]
    name: str = Field(description="Name of the integration in URLs.")
    version: int = Field(description="Number of the version. It starts at 1 and grows with each publication.")
    runtime: IntegrationRuntime = Field(
        description="Version of the interface that the script was written for."
    )
    title: str = Field(description="Title of the integration.")
    description: str = Field(description="Short description.")
    summary: str = Field(description="Long description in Markdown. May be empty.")
    preview_images: list[UrlOut] = Field(description="Addresses of pictures of the integration in use.")
    target: IntegrationTarget = Field(description="Where it can be installed.")
    verified: bool = Field(description="Whether the platform has verified it. Always false.")
    visibility: IntegrationVisibility = Field(description="Who may find and install it.")
    scopes: list[IntegrationScope] = Field(description="Scopes that the newest version asks for.")
    categories: list[IntegrationCategory] = Field(description="Categories that it is found by.")
    blocks: list[IntegrationBlock] = Field(description="Kinds of blocks that it adds to pages.")
    content_sources: list[IntegrationContentSource] = Field(description="Sources of computed content.")
    configurations: IntegrationConfigurations = Field(
        description="Configuration that is asked for where the integration is installed."
    )
    external_links: list[IntegrationLink] = Field(description="Links to show with it.")
    owner: OrganizationOut = Field(description="Organization that published it.")
    urls: IntegrationUrls
    permissions: IntegrationPermissions
    content_security_policy: str | None = Field(
        default=None,
        description="Content security policy that its pages and scripts need. Absent if it states none.",
    )
    warnings: list[ManifestWarning] | None = Field(
        default=None,
        description="Fields of the newest manifest that nothing here knows. Absent if there are none, and for"
        " all who may not publish it.",
    )


class IntegrationVersionOut(Shape):
    """A version of an integration: what was published at one time. The newest runs, the last ten are kept."""

    object: Literal["integration-version"]
    version: int = Field(description="Number of the version.")
    runtime: IntegrationRuntime = Field(
        description="Version of the interface that the script was written for."
    )
    script_length: int = Field(description="Length of the script in characters.")
    publisher: Annotated[str, Column("published_by"), Names("User")] = Field(
        description="Person who published it."
    )
    created_at: datetime


class IntegrationSecretsOut(Shape):
    """The secrets of an integration, whose values are never shown."""

    object: Literal["integration-secrets"]
    names: list[str] = Field(description="Names of the secrets, in alphabetical order.")


class IntegrationDevelopmentOut(Shape):
    """The development mode of an integration: while it is on, events are sent to a tunnel instead of the
    script."""

    object: Literal["integration-development"]
    tunnel_url: UrlOut | None = Field(
        default=None,
        alias="tunnelUrl",
        description="Address that events are sent to. Absent while the development mode is off.",
    )
    all: Annotated[bool, Column("tunnel_all")] = Field(
        description="Whether the events of every organization go there, not only those of the organization"
        " that published the integration."
    )

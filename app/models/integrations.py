"""Integrations: what third parties have published."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Permissions, Shape, Table
from app.models.manifests import (
    Domain,
    IntegrationBlock,
    IntegrationCategory,
    IntegrationConfigurations,
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
    """What was published at one time: the script that runs."""

    __tablename__ = "integration_version"

    integration_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="integration.id", ondelete="CASCADE"
    )
    version: int = Field(primary_key=True)
    runtime: str
    script: str
    published_by: str = Field(sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)


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


class IntegrationsQuery(PageQuery):
    """Which integrations to list."""

    search: str | None = Field(
        default=None, max_length=100, description="title, name or description contains"
    )
    category: IntegrationCategory | None = Field(default=None, description="only of this category")
    block_domain: Domain | None = Field(
        default=None, description="only with a block that unfurls this domain"
    )
    blocks: QueryBool | None = Field(default=None, description="only with blocks, or without")
    content_sources: QueryBool | None = Field(
        default=None, description="only with content sources, or without"
    )
    owner: str | None = Field(
        default=None, max_length=100, description="id of the organization that published"
    )
    scope: IntegrationScope | None = Field(default=None, description="only with this scope")
    target: IntegrationTarget | None = Field(default=None, description="only for this target, or for all")


class SearchedQuery(PageQuery):
    """A list that can be searched."""

    search: str | None = Field(
        default=None, max_length=100, description="title, name or description contains"
    )


class IntegrationUrls(Shape):
    """Addresses of an integration; `icon` where it has one."""

    location: str
    icon: str | None = None
    app: str
    assets: str
    public_endpoint: str


class IntegrationPermissions(Permissions):
    """What the caller may do with an integration."""

    admin: bool
    install: bool


class IntegrationOut(Shape):
    """An integration (specification, Integration)."""

    object: Literal["integration"]
    name: str
    version: int
    runtime: IntegrationRuntime
    title: str
    description: str
    summary: str
    preview_images: list[str]
    target: IntegrationTarget
    verified: bool
    visibility: IntegrationVisibility
    scopes: list[IntegrationScope]
    categories: list[IntegrationCategory]
    blocks: list[IntegrationBlock]
    content_sources: list[IntegrationContentSource]
    configurations: IntegrationConfigurations
    external_links: list[IntegrationLink]
    owner: OrganizationOut
    urls: IntegrationUrls
    permissions: IntegrationPermissions
    content_security_policy: str | None = None

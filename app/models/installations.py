"""Installations of integrations: in an organization, on its spaces and on its sites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Shape, Table, absent
from app.models.queries import PageQuery, QueryBool
from app.models.sites import SiteOut
from app.models.spaces import SpaceOut

InstallationStatus = Literal["active", "pending", "paused"]
Selection = Literal["all", "selected"]
ExternalId = Annotated[str, StringConstraints(min_length=1, max_length=255)]
ExternalIds = Annotated[list[ExternalId], Field(max_length=5)]
ConfigurationValues = Annotated[dict[str, Any], Field(max_length=200)]


class Installation(Table, table=True):
    """An integration in an organization; `pending` until its configuration has what the manifest requires.

    `agreed` are the scopes that whoever installed or changed it knew of: others are not in force here.
    """

    __table_args__ = (
        Index(None, "integration_id", "organization_id", unique=True),
        Index(None, "organization_id", "id"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    integration_id: str = Field(sa_type=Key, foreign_key="integration.id")
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    status: str
    space_selection: str
    site_selection: str
    configuration: dict[str, Any] = Field(sa_type=Json)
    external_ids: list[str] = Field(sa_type=Json)
    agreed: list[str] = Field(sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class Placement(Table, table=True):
    """An installation on one space or site (`kind`), with a configuration of its own.

    `script` is what the integration last answered to be put into the site's pages.
    """

    __tablename__ = "installation_placement"
    __table_args__ = (Index(None, "object_id"),)

    installation_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="installation.id", ondelete="CASCADE"
    )
    object_id: str = Field(sa_type=Key, primary_key=True)
    kind: str
    status: str
    configuration: dict[str, Any] = Field(sa_type=Json)
    external_ids: list[str] = Field(sa_type=Json)
    script: str | None = None
    script_hash: str | None = None
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class InstallationToken(Table, table=True):
    """What a script calls back with, for an hour: only its hash is kept."""

    __tablename__ = "installation_token"
    __table_args__ = (Index(None, "expires_at"),)

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    installation_id: str = Field(sa_type=Key, foreign_key="installation.id", ondelete="CASCADE", index=True)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)


class InstallationCreate(Change):
    """Where to install an integration."""

    organization: Annotated[str, StringConstraints(min_length=1, max_length=100)]


class InstallationUpdate(Change):
    """Changes to an installation; `configuration` is replaced as a whole."""

    configuration: ConfigurationValues = absent()
    external_ids: ExternalIds = absent()
    space_selection: Selection = Field(default=None, alias="space_selection")
    site_selection: Selection = Field(default=None, alias="site_selection")


class PlacementUpdate(Change):
    """Changes to an installation on a space or site; `configuration` is replaced as a whole."""

    configuration: ConfigurationValues = absent()
    external_ids: ExternalIds = absent()


class SpacePlacementCreate(Change):
    """The space to install on."""

    space: Annotated[str, StringConstraints(min_length=1, max_length=100)]


class SitePlacementCreate(Change):
    """The site to install on."""

    site_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]


class InstallationsQuery(PageQuery):
    """Which installations to list."""

    external_id: str | None = Field(default=None, max_length=255, description="only with this external id")


class PlacementsQuery(PageQuery):
    """How to list the spaces or sites of an installation."""

    extended: QueryBool = Field(default=False, description="true shows the whole space or site")


class AllPlacementsQuery(PlacementsQuery):
    """Which installations on spaces or sites to list."""

    external_id: str | None = Field(default=None, max_length=255, description="only with this external id")


class InstallationUrls(Shape):
    """Addresses of an installation."""

    location: str
    app: str
    public_endpoint: str


class InstallationTarget(Shape):
    """Where an integration is installed."""

    organization: str


class InstallationOut(Shape):
    """An installation. `configuration` is for those who may install: it may hold somebody's keys."""

    id: str
    integration: Annotated[str, Column("integration_name")]
    status: InstallationStatus
    space_selection: Selection = Field(alias="space_selection")
    site_selection: Selection = Field(alias="site_selection")
    spaces: int
    configuration: dict[str, Any] | None = None
    created_at: datetime
    updated_at: datetime
    urls: InstallationUrls
    external_ids: list[str]
    target: InstallationTarget


class PlacementUrls(Shape):
    """Addresses of an installation on a space or site."""

    location: str
    public_endpoint: str


class PlacementOut(Shape):
    """What installations on spaces and on sites have in common."""

    integration: str
    installation: str
    status: InstallationStatus
    configuration: dict[str, Any] | None = None
    external_ids: list[str]
    urls: PlacementUrls


class IntegrationSpaceInstallationOut(PlacementOut):
    """An installation on a space: its id, or the whole space."""

    space: str | SpaceOut


class IntegrationSiteInstallationOut(PlacementOut):
    """An installation on a site: its id, or the whole site."""

    site: str | SiteOut


class InstallationTokenOut(Shape):
    """A token of an installation, good for an hour."""

    token: str
    expires_at: Annotated[datetime, Column("until")]


ENUMERATIONS = (
    Enumeration(
        "InstallationStatus",
        InstallationStatus,
        {
            "active": "",
            "pending": "",
            "paused": "",
        },
    ),
    Enumeration(
        "InstallationSelection",
        Selection,
        {
            "all": "",
            "selected": "",
        },
    ),
)

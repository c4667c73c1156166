"""Installations of integrations: in an organization, on its spaces and on its sites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import AnyValue, Change, Column, Enumeration, Names, Shape, Table, UrlOut, absent
from app.models.queries import PageQuery, QueryBool
from app.models.sites import SiteOut
from app.models.spaces import SpaceOut

InstallationStatus = Literal["active", "pending", "paused"]
Selection = Literal["all", "selected"]
ExternalId = Annotated[str, StringConstraints(min_length=1, max_length=255)]
ExternalIds = Annotated[list[ExternalId], Field(max_length=5)]
ConfigurationValues = Annotated[dict[str, AnyValue], Field(max_length=200)]
CONFIGURATION = (
    "Values of the configuration by the names of their properties. Shown only to those who may change it,"
    " since it may hold keys."
)
CONFIGURATION_SENT = (
    "Values of the configuration by the names of their properties, at most 200 in 100,000 bytes."
)
EXTERNAL_IDS = "Identifiers of the installation in the external service."
EXTERNAL_IDS_SENT = (
    "Identifiers of the installation in the external service, at most 5 of 255 characters each."
)
PUBLIC_CONTENT_ENDPOINT = "The same, for what the script shows in frames."
PUBLIC_ENDPOINT = "Public URL that calls the script of the integration for this installation."


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
    """A token with which a script calls back, for an hour: only its hash is kept."""

    __tablename__ = "installation_token"
    __table_args__ = (Index(None, "expires_at"),)

    hash: str = Field(sa_type=Key, primary_key=True)
    id: str = Field(sa_type=Key, unique=True)
    installation_id: str = Field(sa_type=Key, foreign_key="installation.id", ondelete="CASCADE", index=True)
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant)


class InstallationCreate(Change):
    """The target of a new installation."""

    organization: Annotated[str, StringConstraints(min_length=1, max_length=100), Names("Organization")] = (
        Field(description="Id of the organization to install the integration in.")
    )


class InstallationUpdate(Change):
    """Changes to an installation; `configuration` is replaced as a whole."""

    configuration: ConfigurationValues = absent(CONFIGURATION_SENT)
    external_ids: ExternalIds = absent(EXTERNAL_IDS_SENT)
    space_selection: Selection = Field(
        default=None, alias="space_selection", description="Spaces that the integration sees."
    )
    site_selection: Selection = Field(
        default=None, alias="site_selection", description="Sites that the integration sees."
    )


class PlacementUpdate(Change):
    """Changes to an installation on a space or site; `configuration` is replaced as a whole."""

    configuration: ConfigurationValues = absent(CONFIGURATION_SENT)
    external_ids: ExternalIds = absent(EXTERNAL_IDS_SENT)


class SpacePlacementCreate(Change):
    """The space to install on."""

    space: Annotated[str, StringConstraints(min_length=1, max_length=100), Names("Space")] = Field(
        description="Id of the space to install the integration on."
    )


class SitePlacementCreate(Change):
    """The site to install on."""

    site_id: Annotated[str, StringConstraints(min_length=1, max_length=100), Names("Site")] = Field(
        description="Id of the site to install the integration on."
    )


class InstallationsQuery(PageQuery):
    """Query parameters that select the installations to list."""

    external_id: str | None = Field(
        default=None, max_length=255, description="Lists only installations with this external id."
    )


class PlacementsQuery(PageQuery):
    """Query parameters of the list of an installation's spaces or sites."""

    extended: QueryBool = Field(
        default=False, description="Whether each space or site is shown whole instead of by its id."
    )


class AllPlacementsQuery(InstallationsQuery, PlacementsQuery):
    """Query parameters that select the installations on spaces or sites to list."""


class InstallationUrls(Shape):
    """Addresses of an installation."""

    location: UrlOut
    app: UrlOut
    public_endpoint: UrlOut = Field(description=PUBLIC_ENDPOINT)
    public_content_endpoint: UrlOut = Field(description=PUBLIC_CONTENT_ENDPOINT)


class InstallationTarget(Shape):
    """The place where an integration is installed."""

    organization: Annotated[str, Names("Organization")] = Field(
        description="Organization that the integration is installed in."
    )


class InstallationOut(Shape):
    """An integration that is installed in an organization."""

    id: str
    integration: Annotated[str, Column("integration_name"), Names("Integration")] = Field(
        description="Integration that is installed, by its name."
    )
    status: InstallationStatus = Field(description="Whether the integration runs in the organization.")
    space_selection: Selection = Field(
        alias="space_selection", description="Spaces that the integration sees."
    )
    site_selection: Selection = Field(alias="site_selection", description="Sites that the integration sees.")
    spaces: int = Field(description="Number of spaces that the caller sees and that it is installed on.")
    configuration: dict[str, AnyValue] | None = Field(default=None, description=CONFIGURATION)
    created_at: datetime
    updated_at: datetime
    urls: InstallationUrls
    external_ids: list[str] = Field(description=EXTERNAL_IDS)
    target: InstallationTarget = Field(description="Where it is installed.")


class PlacementUrls(Shape):
    """Addresses of an installation on a space or site."""

    location: UrlOut
    public_endpoint: UrlOut = Field(description=PUBLIC_ENDPOINT)
    public_content_endpoint: UrlOut = Field(description=PUBLIC_CONTENT_ENDPOINT)


class PlacementOut(Shape):
    """The fields that installations on spaces and on sites have in common."""

    integration: Annotated[str, Names("Integration")] = Field(
        description="Integration that is installed, by its name."
    )
    installation: Annotated[str, Names("IntegrationInstallation")] = Field(
        description="Installation in the organization."
    )
    status: InstallationStatus = Field(description="Whether the integration runs there.")
    configuration: dict[str, AnyValue] | None = Field(default=None, description=CONFIGURATION)
    external_ids: list[str] = Field(description=EXTERNAL_IDS)
    urls: PlacementUrls


class IntegrationSpaceInstallationOut(PlacementOut):
    """An integration that is installed on a space."""

    space: Annotated[str, Names("Space")] | SpaceOut = Field(
        description="Space that it is installed on: its ID, or the whole space in an extended response."
    )


class IntegrationSiteInstallationOut(PlacementOut):
    """An integration that is installed on a site."""

    site: Annotated[str, Names("Site")] | SiteOut = Field(
        description="Site that it is installed on: its ID, or the whole site in an extended response."
    )


class InstallationTokenOut(Shape):
    """A token of an installation, with which its script calls the API."""

    token: str = Field(description="Token to send as `Authorization: Bearer`. It is shown this once.")
    expires_at: Annotated[datetime, Column("until")] = Field(
        description="When the token ends: an hour after it was made."
    )


ENUMERATIONS = (
    Enumeration(
        "InstallationStatus",
        InstallationStatus,
        {
            "active": "Everything required is configured; the integration runs and receives events.",
            "pending": "Something that the configuration requires is missing.",
            "paused": "The operators of the platform have stopped the integration.",
        },
    ),
    Enumeration(
        "InstallationSelection",
        Selection,
        {
            "all": "All of the organization, private ones too.",
            "selected": "Those that the integration is installed on.",
        },
        "Spaces or sites that an integration sees.",
    ),
)

"""GraphQL face of installations: in an organization, on spaces, on sites."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Call, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.integrations import installations, placements
from app.domain.sites import site_integrations
from app.models import publishing
from app.models.installations import (
    InstallationOut,
    InstallationTokenOut,
    InstallationUpdate,
    IntegrationSiteInstallationOut,
    IntegrationSpaceInstallationOut,
    PlacementsQuery,
    PlacementUpdate,
    SitePlacementCreate,
    SpacePlacementCreate,
)
from app.models.integrations import SearchedQuery
from app.present.integrations import installation, on_site, on_space, token
from app.present.integrations import site_scripts as show_scripts

InstallationUpdateInput: Any = input_of(InstallationUpdate)
PlacementUpdateInput: Any = input_of(PlacementUpdate)
SpacePlacementCreateInput: Any = input_of(SpacePlacementCreate)
SitePlacementCreateInput: Any = input_of(SitePlacementCreate)


@output(IntegrationSpaceInstallationOut)
class IntegrationSpaceInstallation:
    """An installation on a space; `space` is its id or, when `extended` is asked for, the whole space."""


@output(IntegrationSiteInstallationOut)
class IntegrationSiteInstallation:
    """An installation on a site; `site` is its id or, when `extended` is asked for, the whole site."""


@output(InstallationTokenOut)
class IntegrationInstallationToken:
    """A token of an installation, good for an hour."""


@output(publishing.PublishedScript)
class PublishedScript:
    """A script that an integration puts into the pages of a site."""


@output(InstallationOut)
class IntegrationInstallation:
    """An integration in an organization."""

    @reads(placements.list_spaces)
    async def space_list(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, extended: bool = False
    ) -> Connection[IntegrationSpaceInstallation]:
        return await pages(
            info,
            placements.list_spaces,
            self["integration"],
            self["id"],
            first=first,
            after=after,
            show=on_space,
            shape=PlacementsQuery,
            extended=extended,
        )

    @reads(placements.list_sites)
    async def site_list(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, extended: bool = False
    ) -> Connection[IntegrationSiteInstallation]:
        return await pages(
            info,
            placements.list_sites,
            self["integration"],
            self["id"],
            first=first,
            after=after,
            show=on_site,
            shape=PlacementsQuery,
            extended=extended,
        )


async def installation_page(
    info: Info, call: Call, organization: str, *, first: int, after: str | None, search: str | None
) -> Any:
    """A page of the installations of an organization."""
    return await pages(
        info,
        call,
        organization,
        first=first,
        after=after,
        show=installation,
        shape=SearchedQuery,
        search=search,
    )


@strawberry.type
class InstallationQuery:
    @reads(installations.get)
    async def installation(self, info: Info, integration_name: str, id: ID) -> IntegrationInstallation | None:
        return await read(info, installations.get, integration_name, id, show=installation)

    @reads(placements.get_on_space)
    async def space_installation(
        self, info: Info, integration_name: str, installation: ID, space: ID
    ) -> IntegrationSpaceInstallation | None:
        call = placements.get_on_space
        return await read(info, call, integration_name, installation, space, show=on_space)

    @reads(placements.get_on_site)
    async def site_installation(
        self, info: Info, integration_name: str, installation: ID, site: ID
    ) -> IntegrationSiteInstallation | None:
        call = placements.get_on_site
        return await read(info, call, integration_name, installation, site, show=on_site)

    @reads(site_integrations.list_in_site)
    async def site_integration_scripts(
        self, info: Info, organization: ID, site: ID
    ) -> list[PublishedScript] | None:
        return await read(info, site_integrations.list_in_site, organization, site, show=show_scripts)


@strawberry.type
class InstallationMutation:
    @writes(installations.update)
    async def update_installation(
        self, info: Info, integration_name: str, id: ID, change: InstallationUpdateInput
    ) -> IntegrationInstallation | None:
        asked = body(InstallationUpdate, change)
        return await write(info, installations.update, integration_name, id, asked, show=installation)

    @writes(installations.uninstall)
    async def uninstall_integration(self, info: Info, integration_name: str, id: ID) -> bool | None:
        return await write(info, installations.uninstall, integration_name, id)

    @writes(installations.create_token)
    async def create_installation_token(
        self, info: Info, integration_name: str, id: ID
    ) -> IntegrationInstallationToken | None:
        return await write(info, installations.create_token, integration_name, id, show=token)

    @writes(placements.install_on_space)
    async def install_on_space(
        self, info: Info, integration_name: str, installation: ID, new: SpacePlacementCreateInput
    ) -> IntegrationSpaceInstallation | None:
        call, asked = placements.install_on_space, body(SpacePlacementCreate, new)
        return await write(info, call, integration_name, installation, asked, show=on_space)

    @writes(placements.update_on_space)
    async def update_space_installation(
        self, info: Info, integration_name: str, installation: ID, space: ID, change: PlacementUpdateInput
    ) -> IntegrationSpaceInstallation | None:
        call, asked = placements.update_on_space, body(PlacementUpdate, change)
        return await write(info, call, integration_name, installation, space, asked, show=on_space)

    @writes(placements.uninstall_from_space)
    async def uninstall_from_space(
        self, info: Info, integration_name: str, installation: ID, space: ID
    ) -> bool | None:
        call = placements.uninstall_from_space
        return await write(info, call, integration_name, installation, space)

    @writes(placements.install_on_site)
    async def install_on_site(
        self, info: Info, integration_name: str, installation: ID, new: SitePlacementCreateInput
    ) -> IntegrationSiteInstallation | None:
        call, asked = placements.install_on_site, body(SitePlacementCreate, new)
        return await write(info, call, integration_name, installation, asked, show=on_site)

    @writes(placements.update_on_site)
    async def update_site_installation(
        self, info: Info, integration_name: str, installation: ID, site: ID, change: PlacementUpdateInput
    ) -> IntegrationSiteInstallation | None:
        call, asked = placements.update_on_site, body(PlacementUpdate, change)
        return await write(info, call, integration_name, installation, site, asked, show=on_site)

    @writes(placements.uninstall_from_site)
    async def uninstall_from_site(
        self, info: Info, integration_name: str, installation: ID, site: ID
    ) -> bool | None:
        call = placements.uninstall_from_site
        return await write(info, call, integration_name, installation, site)

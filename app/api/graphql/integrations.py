"""GraphQL face of integrations."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, plain, read, reads, write, writes
from app.api.graphql.installations import (
    IntegrationInstallation,
    IntegrationSiteInstallation,
    IntegrationSpaceInstallation,
    installation_page,
)
from app.api.graphql.organizations import Organization  # noqa: F401 - declared before the first type that names one
from app.api.graphql.shapes import enum_of, input_of, output
from app.domain.integrations import installations as installed
from app.domain.integrations import integration_events, integration_rows, placements
from app.domain.integrations import integrations as published
from app.models.installations import AllPlacementsQuery, InstallationCreate, InstallationsQuery
from app.models.integration_events import (
    EventDetailOut,
    IntegrationDevelopment,
    IntegrationEventOut,
    IntegrationTask,
)
from app.models.integrations import IntegrationOut, IntegrationsQuery, SearchedQuery
from app.models.manifests import IntegrationCategory, IntegrationPublish, IntegrationScope, IntegrationTarget
from app.present.integrations import event, event_detail, installation, on_site, on_space
from app.present.integrations import integration as show_integration

IntegrationPublishInput: Any = input_of(IntegrationPublish)
InstallationCreateInput: Any = input_of(InstallationCreate)
IntegrationDevelopmentInput: Any = input_of(IntegrationDevelopment)
IntegrationTaskInput: Any = input_of(IntegrationTask)
CategoryEnum: Any = enum_of(IntegrationCategory)
ScopeEnum: Any = enum_of(IntegrationScope)
TargetEnum: Any = enum_of(IntegrationTarget)


@output(IntegrationEventOut)
class IntegrationEvent:
    """Something that an integration was told."""


@output(EventDetailOut)
class IntegrationEventDetail:
    """An event with the trace of its delivery."""


@output(IntegrationOut)
class Integration:
    """What a third party has published."""

    @reads(installed.list_of_integration)
    async def installations(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, external_id: str | None = None
    ) -> Connection[IntegrationInstallation]:
        return await pages(
            info,
            installed.list_of_integration,
            self["name"],
            first=first,
            after=after,
            show=installation,
            shape=InstallationsQuery,
            externalId=external_id,
        )

    @reads(integration_events.list_of_integration)
    async def events(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[IntegrationEvent]:
        call = integration_events.list_of_integration
        return await pages(info, call, self["name"], first=first, after=after, show=event)

    @reads(integration_events.get)
    async def event(self: Any, info: Info, id: ID) -> IntegrationEventDetail | None:
        return await read(info, integration_events.get, self["name"], id, show=event_detail)

    @reads(placements.list_all_spaces)
    async def space_installations(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        external_id: str | None = None,
        extended: bool = False,
    ) -> Connection[IntegrationSpaceInstallation]:
        return await pages(
            info,
            placements.list_all_spaces,
            self["name"],
            first=first,
            after=after,
            show=on_space,
            shape=AllPlacementsQuery,
            externalId=external_id,
            extended=extended,
        )

    @reads(placements.list_all_sites)
    async def site_installations(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        external_id: str | None = None,
        extended: bool = False,
    ) -> Connection[IntegrationSiteInstallation]:
        return await pages(
            info,
            placements.list_all_sites,
            self["name"],
            first=first,
            after=after,
            show=on_site,
            shape=AllPlacementsQuery,
            externalId=external_id,
            extended=extended,
        )


@strawberry.type
class IntegrationQuery:
    @reads(integration_rows.list_integrations)
    async def integrations(
        self,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        search: str | None = None,
        category: CategoryEnum | None = None,
        block_domain: str | None = None,
        blocks: bool | None = None,
        content_sources: bool | None = None,
        owner: str | None = None,
        scope: ScopeEnum | None = None,
        target: TargetEnum | None = None,
    ) -> Connection[Integration]:
        return await pages(
            info,
            integration_rows.list_integrations,
            first=first,
            after=after,
            show=show_integration,
            shape=IntegrationsQuery,
            search=search,
            category=plain(category),
            blockDomain=block_domain,
            blocks=blocks,
            contentSources=content_sources,
            owner=owner,
            scope=plain(scope),
            target=plain(target),
        )

    @reads(published.get)
    async def integration(self, info: Info, integration_name: str) -> Integration | None:
        return await read(info, published.get, integration_name, show=show_integration)

    @reads(integration_rows.list_in_organization)
    async def integrations_for_organization(
        self,
        info: Info,
        organization: ID,
        first: int = FIRST,
        after: str | None = None,
        search: str | None = None,
    ) -> Connection[Integration]:
        return await pages(
            info,
            integration_rows.list_in_organization,
            organization,
            first=first,
            after=after,
            show=show_integration,
            shape=SearchedQuery,
            search=search,
        )

    @reads(installed.list_in_organization)
    async def installations(
        self,
        info: Info,
        organization: ID,
        first: int = FIRST,
        after: str | None = None,
        search: str | None = None,
    ) -> Connection[IntegrationInstallation]:
        call = installed.list_in_organization
        return await installation_page(info, call, organization, first=first, after=after, search=search)

    @reads(placements.list_in_space)
    async def space_integrations(
        self, info: Info, space: ID, first: int = FIRST, after: str | None = None, search: str | None = None
    ) -> Connection[Integration]:
        return await pages(
            info,
            placements.list_in_space,
            space,
            first=first,
            after=after,
            show=show_integration,
            shape=SearchedQuery,
            search=search,
        )

    @reads(placements.list_in_site)
    async def site_integrations(
        self,
        info: Info,
        organization: ID,
        site: ID,
        first: int = FIRST,
        after: str | None = None,
        search: str | None = None,
    ) -> Connection[Integration]:
        return await pages(
            info,
            placements.list_in_site,
            organization,
            site,
            first=first,
            after=after,
            show=show_integration,
            shape=SearchedQuery,
            search=search,
        )


@strawberry.type
class IntegrationMutation:
    @writes(published.publish)
    async def publish_integration(
        self, info: Info, integration_name: str, manifest: IntegrationPublishInput
    ) -> Integration | None:
        asked = body(IntegrationPublish, manifest)
        return await write(info, published.publish, integration_name, asked, show=show_integration)

    @writes(published.unpublish)
    async def unpublish_integration(self, info: Info, integration_name: str) -> bool | None:
        return await write(info, published.unpublish, integration_name)

    @writes(installed.install)
    async def install_integration(
        self, info: Info, integration_name: str, new: InstallationCreateInput
    ) -> IntegrationInstallation | None:
        asked = body(InstallationCreate, new)
        return await write(info, installed.install, integration_name, asked, show=installation)

    @writes(integration_events.redeliver)
    async def redeliver_integration_event(
        self, info: Info, integration_name: str, id: ID
    ) -> IntegrationEventDetail | None:
        return await write(info, integration_events.redeliver, integration_name, id, show=event_detail)

    @writes(published.develop)
    async def develop_integration(
        self, info: Info, integration_name: str, where: IntegrationDevelopmentInput
    ) -> bool | None:
        asked = body(IntegrationDevelopment, where)
        return await write(info, published.develop, integration_name, asked)

    @writes(published.stop_developing)
    async def stop_developing_integration(self, info: Info, integration_name: str) -> bool | None:
        return await write(info, published.stop_developing, integration_name)

    @writes(integration_events.queue_task)
    async def queue_integration_task(
        self, info: Info, integration_name: str, task: IntegrationTaskInput
    ) -> bool | None:
        return await write(info, integration_events.queue_task, integration_name, body(IntegrationTask, task))

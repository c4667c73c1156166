"""GraphQL face of organizations."""

from __future__ import annotations

from functools import wraps
from typing import Any

import strawberry
from strawberry import ID

from app.access.context import Context
from app.api.graphql.audit import Audited
from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.change_requests import OrganizationChangeRequests
from app.api.graphql.collections import Child, Collection
from app.api.graphql.content import OrganizationContent
from app.api.graphql.domains import OrganizationDomains
from app.api.graphql.import_runs import OrganizationImportRuns
from app.api.graphql.invites import OrganizationInvites
from app.api.graphql.member_lists import OrganizationMembers
from app.api.graphql.openapi_specs import OrganizationOpenAPI
from app.api.graphql.shapes import input_of, output
from app.api.graphql.sites import OrganizationSites
from app.api.graphql.spaces import Space
from app.api.graphql.sso import OrganizationSSO
from app.api.graphql.teams import OrganizationTeams
from app.api.graphql.translations import OrganizationTranslations
from app.domain.organizations import organizations
from app.domain.organizations import organizations as directory
from app.domain.spaces import children, collections, spaces
from app.models.collections import CollectionsQuery
from app.models.organizations import (
    OrganizationCreate,
    OrganizationOut,
    OrganizationsOut,
    OrganizationUpdate,
    SubdomainOut,
)
from app.present.organizations import organization as show_organization
from app.present.organizations import organizations as show_organizations
from app.present.organizations import subdomain as show_subdomain
from app.present.spaces import child as show_child
from app.present.spaces import collection as show_collection
from app.present.spaces import space as show_space

OrganizationCreateInput: Any = input_of(OrganizationCreate)
OrganizationUpdateInput: Any = input_of(OrganizationUpdate)


@output(OrganizationOut)
class Organization(
    OrganizationContent,
    OrganizationChangeRequests,
    OrganizationSites,
    OrganizationMembers,
    OrganizationTeams,
    OrganizationInvites,
    Audited,
    OrganizationDomains,
    OrganizationSSO,
    OrganizationOpenAPI,
    OrganizationImportRuns,
    OrganizationTranslations,
):
    """An organization: the owner of content, and the boundary that nothing crosses."""

    @reads(spaces.list_in_organization)
    async def spaces(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Space]:
        call = spaces.list_in_organization
        return await pages(info, call, self["id"], first=first, after=after, show=show_space)

    @reads(collections.list_in_organization)
    async def collections(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, nested: bool = True
    ) -> Connection[Collection]:
        return await pages(
            info,
            collections.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_collection,
            shape=CollectionsQuery,
            nested=nested,
        )

    @reads(children.list_in_organization)
    async def children(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Child]:
        call = children.list_in_organization
        return await pages(info, call, self["id"], first=first, after=after, show=show_child)


@output(OrganizationsOut)
class Organizations:
    """Organizations that are not cut into pages."""


@output(SubdomainOut)
class Subdomain:
    """A subdomain of this installation."""


@strawberry.type
class OrganizationQuery:
    @reads(directory.organizations_of_domain)
    async def organizations_for_email_domain(self, info: Info, email_domain: str) -> Organizations | None:
        return await read(info, directory.organizations_of_domain, email_domain, show=show_organizations)

    @reads(directory.subdomain)
    async def subdomain(self, info: Info, subdomain: str) -> Subdomain | None:
        return await read(info, directory.subdomain, subdomain, show=show_subdomain)

    @reads(organizations.get)
    async def organization(self, info: Info, id: ID) -> Organization | None:
        return await read(info, organizations.get, id, show=show_organization)

    @reads(organizations.list_mine)
    async def organizations(
        self, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Organization]:
        return await pages(info, organizations.list_mine, first=first, after=after, show=show_organization)


@strawberry.type
class OrganizationMutation:
    @writes(organizations.create)
    async def create_organization(self, info: Info, new: OrganizationCreateInput) -> Organization | None:
        @wraps(organizations.create)
        async def create(cx: Context, new: OrganizationCreate) -> Any:
            made = await organizations.create(cx, new)
            info.context.actor = info.context.cx.actor = cx.actor  # the rest of the document is a member too
            return made

        return await write(info, create, body(OrganizationCreate, new), show=show_organization)

    @writes(organizations.update)
    async def update_organization(
        self, info: Info, id: ID, change: OrganizationUpdateInput
    ) -> Organization | None:
        asked = body(OrganizationUpdate, change)
        return await write(info, organizations.update, id, asked, show=show_organization)

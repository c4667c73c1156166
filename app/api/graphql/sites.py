"""GraphQL face of sites and of what they show."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import (
    FIRST,
    Connection,
    Info,
    body,
    listed,
    pages,
    permitted,
    plain,
    read,
    reads,
    write,
    writes,
)
from app.api.graphql.shapes import enum_of, input_of, output
from app.api.graphql.spaces import Space  # noqa: F401 - declared before the first type that holds one
from app.domain.publishing import site_search
from app.domain.sites import site_nodes, sites
from app.models.base import checked
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.searches import SiteSearch, SiteSearchItemOut
from app.models.site_features import SiteType
from app.models.site_items import SiteItemsQuery
from app.models.site_sections import SiteExternalLinkOut, SiteSectionGroupOut, SiteSectionOut
from app.models.site_spaces import SiteSpaceOut, SiteSpacesQuery
from app.models.site_structure import SiteStructureOut
from app.models.sites import SiteCreate, SiteOut, SitesQuery, SiteUpdate
from app.present.references import site_search_item
from app.present.site_items import site_section, site_section_group, site_space, site_structure
from app.present.sites import site as show_site

SiteCreateInput: Any = input_of(SiteCreate)
SiteUpdateInput: Any = input_of(SiteUpdate)
SiteSearchInput: Any = input_of(SiteSearch, "SiteSearchInput")
SiteTypeEnum: Any = enum_of(SiteType)


@output(SiteSpaceOut)
class SiteSpace:
    """A space of a site."""


@output(SiteSectionOut)
class SiteSection:
    """A section of a site."""


@output(SiteExternalLinkOut)
class SiteExternalLink:
    """A link in the navigation of a site."""


@output(SiteSectionGroupOut)
class SiteSectionGroup:
    """A group of sections."""


@output(SiteStructureOut)
class SiteStructure:
    """All that a site shows."""


@output(SiteSearchItemOut)
class SiteSearchItem:
    """A page of a site that matches."""


@output(SiteOut)
class Site:
    """A docs site: what publishes spaces."""

    @reads(site_nodes.get)
    async def structure(self: Any, info: Info, share_key: str | None = None) -> SiteStructure:
        asked = checked(ShareKeyQuery, {"shareKey": share_key}, strict=False)
        return await read(info, site_nodes.get, *_named(self), asked, show=site_structure)

    @reads(site_nodes.list_sections)
    async def sections(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, share_key: str | None = None
    ) -> Connection[SiteSection]:
        return await pages(
            info,
            site_nodes.list_sections,
            *_named(self),
            first=first,
            after=after,
            show=site_section,
            shape=SiteItemsQuery,
            shareKey=share_key,
        )

    @reads(site_nodes.list_groups)
    async def section_groups(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[SiteSectionGroup]:
        call = site_nodes.list_groups
        return await pages(info, call, *_named(self), first=first, after=after, show=site_section_group)

    @reads(site_nodes.list_spaces)
    async def site_space_list(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        share_key: str | None = None,
        default: bool | None = None,
    ) -> Connection[SiteSpace]:
        return await pages(
            info,
            site_nodes.list_spaces,
            *_named(self),
            first=first,
            after=after,
            show=site_space,
            shape=SiteSpacesQuery,
            shareKey=share_key,
            default=default,
        )

    @reads(site_search.search)
    async def search(
        self: Any, info: Info, question: SiteSearchInput, first: int = FIRST, after: str | None = None
    ) -> Connection[SiteSearchItem]:
        permitted(info, site_search.search)
        asked = checked(PageQuery, {"limit": first, "page": after}, strict=False)
        arguments = (*_named(self), asked, body(SiteSearch, question))
        return await listed(info, site_search.search, *arguments, show=site_search_item)  # type: ignore[return-value]


def _named(site: Any) -> tuple[str, str]:
    """A site's organization and its id, which its addresses say."""
    return site["urls"]["location"].split("/")[-3], site["id"]


@strawberry.type
class OrganizationSites:
    """The sites of an organization."""

    @reads(sites.list_in_organization)
    async def sites(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        space: str | None = None,
        title: str | None = None,
        published: bool | None = None,
        type: SiteTypeEnum | None = None,
    ) -> Connection[Site]:
        return await pages(
            info,
            sites.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_site,
            shape=SitesQuery,
            space=space,
            title=title,
            published=published,
            type=plain(type),
        )


@strawberry.type
class SiteQuery:
    @reads(sites.get)
    async def site(self, info: Info, organization: ID, id: ID) -> Site | None:
        return await read(info, sites.get, organization, id, show=show_site)


@strawberry.type
class SiteMutation:
    @writes(sites.create)
    async def create_site(self, info: Info, organization: ID, new: SiteCreateInput) -> Site | None:
        return await write(info, sites.create, organization, body(SiteCreate, new), show=show_site)

    @writes(sites.update)
    async def update_site(self, info: Info, organization: ID, id: ID, change: SiteUpdateInput) -> Site | None:
        asked = body(SiteUpdate, change)
        return await write(info, sites.update, organization, id, asked, show=show_site)

    @writes(sites.publish)
    async def publish_site(self, info: Info, organization: ID, id: ID) -> Site | None:
        return await write(info, sites.publish, organization, id, show=show_site)

    @writes(sites.unpublish)
    async def unpublish_site(self, info: Info, organization: ID, id: ID) -> Site | None:
        return await write(info, sites.unpublish, organization, id, show=show_site)

    @writes(sites.delete_site)
    async def delete_site(self, info: Info, organization: ID, id: ID) -> bool | None:
        return await write(info, sites.delete_site, organization, id)

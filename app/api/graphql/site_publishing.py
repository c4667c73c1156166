"""GraphQL face of how sites are published: to whom, where redirects lead, how they look."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.api.graphql.sites import Site, SiteStructure  # noqa: F401 - declared before what holds them
from app.domain.publishing import published_sites
from app.domain.sites import (
    adaptive_schemas,
    customizations,
    previews,
    publishing_auth,
    redirects,
    share_links,
)
from app.models.base import checked
from app.models.customizations import CustomizationOut, CustomizationOverride, CustomizationSettings
from app.models.publishing import (
    AdaptiveSchemaUpdate,
    PreviewOut,
    PreviewQuery,
    PublishedContentSiteOut,
    PublishingAuthOut,
    PublishingAuthUpdate,
    ShareLinkCreate,
    ShareLinkOut,
    ShareLinksQuery,
    ShareLinkUpdate,
    SiteAdaptiveSchemaOut,
    TemplateConditionsOut,
)
from app.models.queries import ShareKeyQuery
from app.models.redirects import (
    RedirectCreate,
    RedirectOut,
    RedirectQuery,
    RedirectsOut,
    RedirectsPut,
    RedirectUpdate,
    ResolvedRedirectOut,
)
from app.models.searches import PublishedUrl, PublishedUrlOut
from app.present.sites import (
    adaptive_schema,
    customization,
    preview,
    published_site,
    published_url,
    redirect,
    resolved,
    share_link,
    template_conditions,
)
from app.present.sites import publishing_auth as auth
from app.present.sites import redirects as many_redirects

AdaptiveSchemaInput: Any = input_of(AdaptiveSchemaUpdate, "AdaptiveSchemaInput")
CustomizationInput: Any = input_of(CustomizationSettings, "SiteCustomizationInput")
OverrideInput: Any = input_of(CustomizationOverride, "SiteCustomizationOverrideInput")
PublishingAuthInput: Any = input_of(PublishingAuthUpdate, "PublishingAuthInput")
RedirectCreateInput: Any = input_of(RedirectCreate, "SiteRedirectCreateInput")
RedirectUpdateInput: Any = input_of(RedirectUpdate, "SiteRedirectUpdateInput")
RedirectsInput: Any = input_of(RedirectsPut, "SiteRedirectsInput")
ShareLinkCreateInput: Any = input_of(ShareLinkCreate)
ShareLinkUpdateInput: Any = input_of(ShareLinkUpdate)
PublishedUrlInput: Any = input_of(PublishedUrl, "PublishedUrlInput")


@output(SiteAdaptiveSchemaOut)
class SiteAdaptiveSchema:
    """The schema of what a site may know of its visitors."""


@output(TemplateConditionsOut)
class TemplateConditions:
    """Conditions derived from a site's schema."""


@output(CustomizationOut)
class SiteCustomization:
    """How a site, or one of its spaces, looks."""


@output(PublishedContentSiteOut)
class PublishedContentSite:
    """Everything that is needed to show a published site."""


@output(PublishingAuthOut)
class PublishingAuth:
    """How visitors of a site sign in."""


@output(PreviewOut)
class SitePreview:
    """An address at which a site can be looked at before it is published."""


@output(ShareLinkOut)
class ShareLink:
    """A share link of a site."""


@output(RedirectOut)
class SiteRedirect:
    """A redirect of a site."""


@output(RedirectsOut)
class SiteRedirects:
    """What became of redirects that came together."""


@output(ResolvedRedirectOut)
class ResolvedRedirect:
    """The redirect of a path, and the address it leads to."""


@output(PublishedUrlOut)
class PublishedContentAt:
    """What is published at an address."""


@strawberry.type
class SitePublishingQuery:
    @reads(adaptive_schemas.get)
    async def site_adaptive_schema(self, info: Info, organization: ID, site: ID) -> SiteAdaptiveSchema | None:
        return await read(info, adaptive_schemas.get, organization, site, show=adaptive_schema)

    @reads(adaptive_schemas.list_template_conditions)
    async def site_template_conditions(
        self, info: Info, organization: ID, site: ID
    ) -> TemplateConditions | None:
        call = adaptive_schemas.list_template_conditions
        return await read(info, call, organization, site, show=template_conditions)

    @reads(published_sites.get)
    async def published_site(
        self, info: Info, organization: ID, site: ID, share_key: str | None = None
    ) -> PublishedContentSite | None:
        asked = checked(ShareKeyQuery, {"shareKey": share_key}, strict=False)
        return await read(info, published_sites.get, organization, site, asked, show=published_site)

    @reads(share_links.list_in_site)
    async def site_share_links(
        self,
        info: Info,
        organization: ID,
        site: ID,
        first: int = FIRST,
        after: str | None = None,
        search: str | None = None,
    ) -> Connection[ShareLink]:
        return await pages(
            info,
            share_links.list_in_site,
            organization,
            site,
            first=first,
            after=after,
            show=share_link,
            shape=ShareLinksQuery,
            search=search,
        )

    @reads(publishing_auth.get)
    async def publishing_auth(self, info: Info, organization: ID, site: ID) -> PublishingAuth | None:
        return await read(info, publishing_auth.get, organization, site, show=auth)

    @reads(previews.offer)
    async def site_preview(
        self,
        info: Info,
        organization: ID,
        site: ID,
        site_space: str | None = None,
        claims: str | None = None,
        draft: bool = True,
        target: str | None = None,
    ) -> SitePreview | None:
        told = {"siteSpace": site_space, "claims": claims, "draft": draft, "target": target}
        asked = checked(PreviewQuery, told, strict=False)
        return await read(info, previews.offer, organization, site, asked, show=preview)

    @reads(customizations.get)
    async def site_customization(self, info: Info, organization: ID, site: ID) -> SiteCustomization | None:
        return await read(info, customizations.get, organization, site, show=customization)

    @reads(customizations.get_of_space)
    async def site_space_customization(
        self, info: Info, organization: ID, site: ID, site_space: ID
    ) -> SiteCustomization | None:
        call = customizations.get_of_space
        return await read(info, call, organization, site, site_space, show=customization)

    @reads(redirects.list_in_site)
    async def site_redirects(
        self, info: Info, organization: ID, site: ID, first: int = FIRST, after: str | None = None
    ) -> Connection[SiteRedirect]:
        call = redirects.list_in_site
        return await pages(info, call, organization, site, first=first, after=after, show=redirect)

    @reads(redirects.resolve)
    async def site_redirect(
        self, info: Info, organization: ID, site: ID, source: str, share_key: str | None = None
    ) -> ResolvedRedirect | None:
        asked = checked(RedirectQuery, {"source": source, "shareKey": share_key}, strict=False)
        return await read(info, redirects.resolve, organization, site, asked, show=resolved)

    @reads(published_sites.resolve_url)
    async def published_url(self, info: Info, question: PublishedUrlInput) -> PublishedContentAt | None:
        return await read(info, published_sites.resolve_url, body(PublishedUrl, question), show=published_url)


@strawberry.type
class SitePublishingMutation:
    @writes(adaptive_schemas.update)
    async def update_site_adaptive_schema(
        self, info: Info, organization: ID, site: ID, change: AdaptiveSchemaInput
    ) -> SiteAdaptiveSchema | None:
        asked = body(AdaptiveSchemaUpdate, change)
        return await write(info, adaptive_schemas.update, organization, site, asked, show=adaptive_schema)

    @writes(share_links.create)
    async def create_share_link(
        self, info: Info, organization: ID, site: ID, new: ShareLinkCreateInput
    ) -> ShareLink | None:
        asked = body(ShareLinkCreate, new)
        return await write(info, share_links.create, organization, site, asked, show=share_link)

    @writes(share_links.update)
    async def update_share_link(
        self, info: Info, organization: ID, site: ID, id: ID, change: ShareLinkUpdateInput
    ) -> ShareLink | None:
        asked = body(ShareLinkUpdate, change)
        return await write(info, share_links.update, organization, site, id, asked, show=share_link)

    @writes(share_links.delete)
    async def delete_share_link(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, share_links.delete, organization, site, id)

    @writes(publishing_auth.update)
    async def update_publishing_auth(
        self, info: Info, organization: ID, site: ID, change: PublishingAuthInput
    ) -> PublishingAuth | None:
        asked = body(PublishingAuthUpdate, change)
        return await write(info, publishing_auth.update, organization, site, asked, show=auth)

    @writes(publishing_auth.regenerate)
    async def regenerate_publishing_auth(
        self, info: Info, organization: ID, site: ID
    ) -> PublishingAuth | None:
        return await write(info, publishing_auth.regenerate, organization, site, show=auth)

    @writes(customizations.put)
    async def set_site_customization(
        self, info: Info, organization: ID, site: ID, settings: CustomizationInput
    ) -> SiteCustomization | None:
        asked = body(CustomizationSettings, settings)
        return await write(info, customizations.put, organization, site, asked, show=customization)

    @writes(customizations.change_of_space)
    async def override_site_space_customization(
        self, info: Info, organization: ID, site: ID, id: ID, change: OverrideInput
    ) -> SiteCustomization | None:
        call, asked = customizations.change_of_space, body(CustomizationOverride, change)
        return await write(info, call, organization, site, id, asked, show=customization)

    @writes(customizations.reset_of_space)
    async def reset_site_space_customization(
        self, info: Info, organization: ID, site: ID, id: ID
    ) -> bool | None:
        return await write(info, customizations.reset_of_space, organization, site, id)

    @writes(redirects.create)
    async def create_site_redirect(
        self, info: Info, organization: ID, site: ID, new: RedirectCreateInput
    ) -> SiteRedirect | None:
        asked = body(RedirectCreate, new)
        return await write(info, redirects.create, organization, site, asked, show=redirect)

    @writes(redirects.put)
    async def upsert_site_redirects(
        self, info: Info, organization: ID, site: ID, new: RedirectsInput
    ) -> SiteRedirects | None:
        asked = body(RedirectsPut, new)
        return await write(info, redirects.put, organization, site, asked, show=many_redirects)

    @writes(redirects.update)
    async def update_site_redirect(
        self, info: Info, organization: ID, site: ID, id: ID, change: RedirectUpdateInput
    ) -> SiteRedirect | None:
        asked = body(RedirectUpdate, change)
        return await write(info, redirects.update, organization, site, id, asked, show=redirect)

    @writes(redirects.delete)
    async def delete_site_redirect(self, info: Info, organization: ID, site: ID, id: ID) -> bool | None:
        return await write(info, redirects.delete, organization, site, id)

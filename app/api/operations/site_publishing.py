"""REST rows of how sites are published: to whom, where redirects lead, how they look, what is found there."""

from __future__ import annotations

from app.api.operation import ask, family, get, listing, patch, post, put, remove
from app.domain.sites import (
    adaptive_schemas,
    customizations,
    previews,
    publishing_auth,
    redirects,
    share_links,
)
from app.domain.visiting import published_sites, published_urls, site_searching
from app.models.adaptive_schemas import AdaptiveSchemaUpdate
from app.models.customizations import CustomizationOverride, CustomizationSettings
from app.models.publishing import PreviewQuery, PublishingAuthUpdate
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.redirects import RedirectCreate, RedirectQuery, RedirectsPut, RedirectUpdate
from app.models.share_links import ShareLinkCreate, ShareLinksQuery, ShareLinkUpdate
from app.models.site_searches import PublishedUrl, SiteSearch
from app.present.adaptive_schemas import adaptive_schema, template_conditions
from app.present.customizations import customization
from app.present.publishing import preview, published_site
from app.present.publishing import publishing_auth as auth
from app.present.redirects import redirect, resolved
from app.present.redirects import redirects as many_redirects
from app.present.share_links import share_link
from app.present.site_searches import published_url, site_search_item

T = "/orgs/{organizationId}/sites/{siteId}"
SCHEMA = f"{T}/adaptive-schema"
SHARE = f"{T}/share-links"
SHARED = f"{SHARE}/{{shareLinkId}}"
AUTH = f"{T}/publishing/auth"
REDIRECTS = f"{T}/redirects"
REDIRECT = f"{REDIRECTS}/{{siteRedirectId}}"
LOOKS = f"{T}/customization"
LOOKS_OF_SPACE = f"{T}/site-spaces/{{siteSpaceId}}/customization"

OPERATIONS = [
    *family(
        "Sites",
        get("getSiteAdaptiveSchema", SCHEMA, adaptive_schemas.get, show=adaptive_schema),
        put(
            "updateSiteAdaptiveSchema",
            SCHEMA,
            adaptive_schemas.update,
            body=AdaptiveSchemaUpdate,
            show=adaptive_schema,
        ),
        get(
            "listSiteAdaptiveTemplateConditions",
            f"{SCHEMA}/template-conditions",
            adaptive_schemas.list_template_conditions,
            show=template_conditions,
        ),
        get(
            "getPublishedContentSite",
            f"{T}/published",
            published_sites.get,
            query=ShareKeyQuery,
            show=published_site,
        ),
    ),
    *family(
        "Site publishing",
        listing(
            "listSiteShareLinks", SHARE, share_links.list_in_site, query=ShareLinksQuery, show=share_link
        ),
        post(
            "createSiteShareLink",
            SHARE,
            share_links.create,
            body=ShareLinkCreate,
            show=share_link,
            status=201,
        ),
        patch("updateSiteShareLinkById", SHARED, share_links.update, body=ShareLinkUpdate, show=share_link),
        remove("deleteSiteShareLinkById", SHARED, share_links.delete),
        get("getSitePublishingAuth", AUTH, publishing_auth.get, show=auth, secret=True),
        patch("updateSitePublishingAuth", AUTH, publishing_auth.update, body=PublishingAuthUpdate, show=auth),
        post("regenerateSitePublishingAuth", f"{AUTH}/regenerate", publishing_auth.regenerate, show=auth),
        get(
            "getSitePublishingPreview",
            f"{T}/publishing/preview",
            previews.offer,
            query=PreviewQuery,
            show=preview,
            secret=True,
        ),
        ask(
            "searchSiteContent",
            f"{T}/search",
            site_searching.search,
            query=PageQuery,
            body=SiteSearch,
            show=site_search_item,
            paged=True,
        ),
        ask(
            "resolvePublishedUrl",
            "/urls/published",
            published_urls.resolve,
            body=PublishedUrl,
            show=published_url,
        ),
    ),
    *family(
        "Site customization",
        get("getSiteCustomization", LOOKS, customizations.get, show=customization),
        put(
            "updateSiteCustomization",
            LOOKS,
            customizations.put,
            body=CustomizationSettings,
            show=customization,
        ),
        get(
            "getSiteSpaceCustomization",
            LOOKS_OF_SPACE,
            customizations.get_of_space,
            show=customization,
        ),
        patch(
            "overrideSiteSpaceCustomization",
            LOOKS_OF_SPACE,
            customizations.change_of_space,
            body=CustomizationOverride,
            show=customization,
        ),
        remove("deleteSiteSpaceCustomization", LOOKS_OF_SPACE, customizations.reset_of_space),
    ),
    *family(
        "Site redirects",
        listing("listSiteRedirects", REDIRECTS, redirects.list_in_site, show=redirect),
        post(
            "createSiteRedirect", REDIRECTS, redirects.create, body=RedirectCreate, show=redirect, status=201
        ),
        put("upsertSiteRedirects", REDIRECTS, redirects.put, body=RedirectsPut, show=many_redirects),
        patch("updateSiteRedirectById", REDIRECT, redirects.update, body=RedirectUpdate, show=redirect),
        remove("deleteSiteRedirectById", REDIRECT, redirects.delete),
        get(
            "getSiteRedirectBySource", f"{T}/redirect", redirects.resolve, query=RedirectQuery, show=resolved
        ),
    ),
]

"""Operations on how sites are published: access, redirects, customization and search."""

from __future__ import annotations

from app.api.operation import ask, family, get, listing, patch, post, put, remove
from app.domain.publishing import published_sites, site_search
from app.domain.sites import customizations, page_feedback, previews, redirects, visitor_access
from app.models.page_feedback import FeedbackQuery
from app.models.publishing import (
    AdaptiveSchemaUpdate,
    CustomizationOverride,
    CustomizationPreview,
    CustomizationSettings,
    PreviewQuery,
    PublishingAuthUpdate,
    ShareLinkCreate,
    ShareLinksQuery,
    ShareLinkUpdate,
)
from app.models.queries import PageQuery, ShareKeyQuery
from app.models.redirects import RedirectCreate, RedirectQuery, RedirectsPut, RedirectsQuery, RedirectUpdate
from app.models.searches import PublishedUrl, SearchTotals, SiteSearch
from app.present.references import site_search_item
from app.present.sites import (
    adaptive_schema,
    customization,
    feedback,
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

SITE = "/orgs/{organizationId}/sites/{siteId}"
SCHEMA = f"{SITE}/adaptive-schema"
SHARE = f"{SITE}/share-links"
SHARED = f"{SHARE}/{{shareLinkId}}"
AUTH = f"{SITE}/publishing/auth"
REDIRECTS = f"{SITE}/redirects"
FEEDBACK = f"{SITE}/page-feedback"
FEEDBACK_OF_ONE = f"{FEEDBACK}/{{pageFeedbackId}}"
REDIRECT = f"{REDIRECTS}/{{siteRedirectId}}"
LOOKS = f"{SITE}/customization"
LOOKS_OF_SPACE = f"{SITE}/site-spaces/{{siteSpaceId}}/customization"

OPERATIONS = [
    *family(
        "Sites",
        get(
            "getSiteAdaptiveSchema",
            SCHEMA,
            visitor_access.get_adaptive_schema,
            show=adaptive_schema,
            field="Site.adaptiveSchema",
            permission="site:viewAdaptiveSchema",
            scope="site:adaptive:read",
        ),
        put(
            "updateSiteAdaptiveSchema",
            SCHEMA,
            visitor_access.update_adaptive_schema,
            body=AdaptiveSchemaUpdate,
            show=adaptive_schema,
            field="updateSiteAdaptiveSchema",
            permission="site:editAdaptiveSchema",
            scope="site:adaptive:write",
        ),
        get(
            "listSiteAdaptiveTemplateConditions",
            f"{SCHEMA}/template-conditions",
            visitor_access.list_template_conditions,
            show=template_conditions,
            field="Site.templateConditions",
            permission="site:viewAdaptiveSchema",
            scope="site:adaptive:read",
        ),
        get(
            "getPublishedContentSite",
            f"{SITE}/published",
            published_sites.get,
            query=ShareKeyQuery,
            show=published_site,
            field="Site.publishedContent",
            permission="site:readPublished",
            scope="site:metadata:read",
        ),
    ),
    *family(
        "Site publishing",
        listing(
            "listSiteShareLinks",
            SHARE,
            visitor_access.list_share_links,
            query=ShareLinksQuery,
            show=share_link,
            field="Site.shareLinks",
            permission="site:admin",
        ),
        post(
            "createSiteShareLink",
            SHARE,
            visitor_access.create_share_link,
            body=ShareLinkCreate,
            show=share_link,
            status=201,
            field="createShareLink",
            permission="site:admin",
        ),
        patch(
            "updateSiteShareLinkById",
            SHARED,
            visitor_access.update_share_link,
            body=ShareLinkUpdate,
            show=share_link,
            field="updateShareLink",
            permission="site:admin",
        ),
        remove(
            "deleteSiteShareLinkById",
            SHARED,
            visitor_access.delete_share_link,
            field="deleteShareLink",
            permission="site:admin",
        ),
        get(
            "getSitePublishingAuth",
            AUTH,
            visitor_access.get_publishing_auth,
            show=auth,
            secret=True,
            field="Site.publishingAuth",
            permission="site:admin",
            scope="site:visitor:auth",
        ),
        patch(
            "updateSitePublishingAuth",
            AUTH,
            visitor_access.update_publishing_auth,
            body=PublishingAuthUpdate,
            show=auth,
            field="updatePublishingAuth",
            permission="site:admin",
        ),
        post(
            "regenerateSitePublishingAuth",
            f"{AUTH}/regenerate",
            visitor_access.regenerate_key,
            show=auth,
            field="regeneratePublishingAuth",
            permission="site:admin",
        ),
        get(
            "getSitePublishingPreview",
            f"{SITE}/publishing/preview",
            previews.offer,
            query=PreviewQuery,
            show=preview,
            secret=True,
            field="Site.preview",
            permission="site:edit+space:view",
        ),
        ask(
            "searchSiteContent",
            f"{SITE}/search",
            site_search.search,
            query=PageQuery,
            body=SiteSearch,
            show=site_search_item,
            extra=SearchTotals,
            paged=True,
            field="Site.search",
            permission="site:readPublished",
        ),
        ask(
            "resolvePublishedUrl",
            "/urls/published",
            published_sites.resolve_url,
            body=PublishedUrl,
            show=published_url,
            field="Query.publishedUrl",
            permission="site:readPublished",
        ),
    ),
    *family(
        "Site customization",
        get(
            "getSiteCustomization",
            LOOKS,
            customizations.get,
            show=customization,
            field="Site.customization",
            permission="site:view",
            scope="site:metadata:read",
        ),
        put(
            "updateSiteCustomization",
            LOOKS,
            customizations.put,
            body=CustomizationSettings,
            show=customization,
            field="updateSiteCustomization",
            permission="site:edit",
        ),
        get(
            "getSiteSpaceCustomization",
            LOOKS_OF_SPACE,
            customizations.get_of_space,
            show=customization,
            field="SiteSpace.customization",
            permission="site:view+space:view",
            scope="site:metadata:read",
        ),
        patch(
            "overrideSiteSpaceCustomization",
            LOOKS_OF_SPACE,
            customizations.change_of_space,
            body=CustomizationOverride,
            show=customization,
            field="overrideSiteSpaceCustomization",
            permission="site:edit+space:view",
        ),
        remove(
            "deleteSiteSpaceCustomization",
            LOOKS_OF_SPACE,
            customizations.reset_of_space,
            field="resetSiteSpaceCustomization",
            permission="site:edit+space:view",
        ),
        ask(
            "previewSiteCustomization",
            f"{LOOKS}/preview",
            previews.offer_look,
            body=CustomizationPreview,
            show=preview,
            secret=True,
            field="Site.customizationPreview",
            permission="site:edit+space:view",
        ),
    ),
    *family(
        "Site redirects",
        listing(
            "listSiteRedirects",
            REDIRECTS,
            redirects.list_in_site,
            query=RedirectsQuery,
            show=redirect,
            field="Site.redirects",
            permission="site:view",
        ),
        post(
            "createSiteRedirect",
            REDIRECTS,
            redirects.create,
            body=RedirectCreate,
            show=redirect,
            status=201,
            field="createSiteRedirect",
            permission="site:edit",
        ),
        put(
            "upsertSiteRedirects",
            REDIRECTS,
            redirects.put,
            body=RedirectsPut,
            show=many_redirects,
            field="upsertSiteRedirects",
            permission="site:edit",
        ),
        patch(
            "updateSiteRedirectById",
            REDIRECT,
            redirects.update,
            body=RedirectUpdate,
            show=redirect,
            field="updateSiteRedirect",
            permission="site:edit",
        ),
        remove(
            "deleteSiteRedirectById",
            REDIRECT,
            redirects.delete,
            field="deleteSiteRedirect",
            permission="site:edit",
        ),
        get(
            "getSiteRedirectBySource",
            f"{SITE}/redirect",
            redirects.resolve,
            query=RedirectQuery,
            show=resolved,
            field="Site.redirect",
            permission="site:view+space:view",
        ),
    ),
    *family(
        "Page feedback",
        listing(
            "listSitePageFeedback",
            FEEDBACK,
            page_feedback.list_in_site,
            query=FeedbackQuery,
            show=feedback,
            field="Site.feedback",
            permission="site:edit",
        ),
        get(
            "getSitePageFeedbackById",
            FEEDBACK_OF_ONE,
            page_feedback.get,
            show=feedback,
            field="Site.pageFeedback",
            permission="site:edit",
        ),
        remove(
            "deleteSitePageFeedbackById",
            FEEDBACK_OF_ONE,
            page_feedback.delete,
            field="deleteSitePageFeedback",
            permission="site:edit",
        ),
    ),
]

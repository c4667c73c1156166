"""Operations on sites."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.sites import sites
from app.models.sites import SiteCreate, SitesQuery, SiteUpdate
from app.present.sites import site

SITES = "/orgs/{organizationId}/sites"
SITE = f"{SITES}/{{siteId}}"

OPERATIONS = [
    *family(
        "Sites",
        listing(
            "listSites",
            SITES,
            sites.list_in_organization,
            query=SitesQuery,
            show=site,
            field="Organization.sites",
            permission="organization:view",
            scope="site:metadata:read",
        ),
        post(
            "createSite",
            SITES,
            sites.create,
            body=SiteCreate,
            show=site,
            status=201,
            field="createSite",
            permission="organization:createContent",
        ),
        get(
            "getSiteById",
            SITE,
            sites.get,
            show=site,
            field="Organization.site",
            permission="site:readPublished",
            scope="site:metadata:read",
        ),
        remove(
            "deleteSiteById",
            SITE,
            sites.delete_site,
            field="deleteSite",
            permission="site:delete",
        ),
        patch(
            "updateSiteById",
            SITE,
            sites.update,
            body=SiteUpdate,
            show=site,
            field="updateSite",
            permission="site:admin",
        ),
    ),
    *family(
        "Site publishing",
        post(
            "publishSite",
            f"{SITE}/publish",
            sites.publish,
            show=site,
            field="publishSite",
            permission="site:admin",
        ),
        post(
            "unpublishSite",
            f"{SITE}/unpublish",
            sites.unpublish,
            show=site,
            field="unpublishSite",
            permission="site:admin",
        ),
    ),
]

"""REST rows of sites."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.sites import sites
from app.models.sites import SiteCreate, SitesQuery, SiteUpdate
from app.present.sites import site

SITES = "/orgs/{organizationId}/sites"
T = f"{SITES}/{{siteId}}"

OPERATIONS = [
    *family(
        "Sites",
        listing("listSites", SITES, sites.list_in_organization, query=SitesQuery, show=site),
        post("createSite", SITES, sites.create, body=SiteCreate, show=site, status=201),
        get("getSiteById", T, sites.get, show=site),
        remove("deleteSiteById", T, sites.delete_site),
        patch("updateSiteById", T, sites.update, body=SiteUpdate, show=site),
    ),
    *family(
        "Site publishing",
        post("publishSite", f"{T}/publish", sites.publish, show=site),
        post("unpublishSite", f"{T}/unpublish", sites.unpublish, show=site),
    ),
]

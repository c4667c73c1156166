"""Operations on the statistics of sites."""

from __future__ import annotations

from app.api.operation import family, get, listing
from app.domain.sites import site_statistics
from app.models.site_statistics import (
    BreakdownQuery,
    SearchedTermQuery,
    StatisticsListQuery,
    StatisticsQuery,
)
from app.present.site_statistics import broken_url, page_views, searched_term, statistics, view_share

STATISTICS = "/orgs/{organizationId}/sites/{siteId}/statistics"

OPERATIONS = family(
    "Site statistics",
    get(
        "getSiteStatistics",
        STATISTICS,
        site_statistics.get,
        query=StatisticsQuery,
        show=statistics,
        field="Site.statistics",
        permission="site:edit",
    ),
    listing(
        "listSitePageViews",
        f"{STATISTICS}/pages",
        site_statistics.list_pages,
        query=StatisticsListQuery,
        show=page_views,
        field="Site.pageViews",
        permission="site:edit",
    ),
    listing(
        "listSiteSearchedTerms",
        f"{STATISTICS}/searches",
        site_statistics.list_searches,
        query=SearchedTermQuery,
        show=searched_term,
        field="Site.searchedTerms",
        permission="site:edit",
    ),
    listing(
        "listSiteBrokenUrls",
        f"{STATISTICS}/broken-urls",
        site_statistics.list_broken_urls,
        query=StatisticsListQuery,
        show=broken_url,
        field="Site.brokenUrls",
        permission="site:edit",
    ),
    listing(
        "listSiteViewShares",
        f"{STATISTICS}/breakdown",
        site_statistics.list_breakdown,
        query=BreakdownQuery,
        show=view_share,
        field="Site.viewShares",
        permission="site:edit",
    ),
)

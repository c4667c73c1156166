"""What a search of a site found, and what is published at an address, as callers see it."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.publishing.published_urls import Found
from app.domain.publishing.site_search import SiteHit
from app.domain.site_addresses import addresses
from app.models.site_searches import PublishedUrlOut, SiteSearchItemOut
from app.present import links
from app.present.searches import search_item
from app.present.shape import shows


@shows(SiteSearchItemOut)
def site_search_item(cx: Context, found: SiteHit) -> dict[str, Any]:
    """A page that matches, with its address on the site."""
    row = found.hit.page
    out = search_item(cx, found.hit)
    urls = {**out["urls"], **links.published_page(cx, found.site, row)}
    return {**out, "siteSpace": row.item_id, "space": found.hit.space.id, "urls": urls}


@shows(PublishedUrlOut)
def published_url(cx: Context, found: Found) -> dict[str, Any]:
    """What is published at an address; an address to go on to is whole."""
    out: dict[str, Any] = {"organization": found.site.organization_id, "site": found.site.id}
    if found.target is not None:
        return {**out, "target": addresses.whole(cx.settings, found.target), "redirect": True}
    named = {
        "siteSection": found.section,
        "siteSpace": found.site_space,
        "space": found.space,
        "page": found.page,
        "basePath": found.base_path,
        "pathname": found.pathname,
    }
    return out | {name: value for name, value in named.items() if value is not None}

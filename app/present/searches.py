"""Search results of content and of sites as callers see them (specification, Content reference lists)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.search.page_search import PageHit, SectionRow, SpaceHit
from app.models.searches import OrganizationSearchItemOut, SearchItemOut, SiteSearchItemOut
from app.present import links
from app.present.shape import Presenter, presenter, shows

if TYPE_CHECKING:
    from app.domain.publishing.site_search import SiteHit


def _section(cx: Context, hit: PageHit, section: SectionRow) -> dict[str, Any]:
    place = f"#{section.anchor}" if section.anchor else ""
    return {
        "id": str(section.id),
        "title": section.heading or hit.page.title,
        "path": f"{hit.page.path}{place}",
        "body": hit.excerpts[section.id],
        "urls": {"app": links.page(cx, hit, hit.page.path)["app"] + place},
    }


search_item: Presenter[Context, PageHit] = presenter(
    SearchItemOut,
    of="page",
    score=lambda _cx, hit: round(-hit.page.score, 6),
    sections=lambda cx, hit: [_section(cx, hit, section) for section in hit.sections],
    urls=lambda cx, hit: links.page(cx, hit, hit.page.path),
)


@shows(OrganizationSearchItemOut)
def organization_search_item(cx: Context, hit: SpaceHit) -> dict[str, Any]:
    """Return a space with its pages that match."""
    return {
        "type": "space",
        "id": hit.space.id,
        "title": hit.space.title,
        "pages": [search_item(cx, page) for page in hit.pages],
    }


@shows(SiteSearchItemOut)
def site_search_item(cx: Context, found: SiteHit) -> dict[str, Any]:
    """Return a page that matches, with its address on the site."""
    row = found.hit.page
    out = search_item(cx, found.hit)
    urls = {**out["urls"], **links.published_page(cx, found.site, row)}
    return {**out, "siteSpace": row.item_id, "space": found.hit.space.id, "urls": urls}

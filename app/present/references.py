"""Links, backlinks, search results and what is at an address, as callers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.domain.content.link_lists import LinkedSpace, ListedLink
from app.domain.publishing.content_urls import ContentAtUrl, Embed
from app.domain.search.matching import SectionRow
from app.domain.search.page_search import PageHit, SpaceHit
from app.models.links import ContentAtUrlOut, LinkOut, Reference, UrlEmbedOut
from app.models.revisions import ReusableVersion
from app.models.searches import OrganizationSearchItemOut, SearchItemOut, SiteSearchItemOut
from app.present import links
from app.present.discussions import change_request
from app.present.organizations import organization
from app.present.pages import bare_files, bare_page
from app.present.shape import Presenter, presenter, shows
from app.present.spaces import collection, space

if TYPE_CHECKING:
    from app.domain.publishing.site_search import SiteHit


@shows(LinkOut)
def link(cx: Context, linked: ListedLink) -> dict[str, Any]:
    """Return a link: as it is written, what it leads to, and where it stands."""
    row = linked.link
    out: dict[str, Any] = {
        "status": row.status,
        "relation": row.relation,
        "href": row.href,
        "locationReferences": [backlink(cx, linked)],
    }
    if linked.block is not None:
        out["block"] = linked.block
    target = _target(cx, linked)
    if row.status == "broken":
        out["reason"] = "missing-anchor" if target else "missing-target"
    return {**out, "targetReference": target} if target else out


@shows(Reference)
def backlink(cx: Context, linked: ListedLink) -> dict[str, Any]:
    """Return the place where a link stands: a block of a page or of a reusable content."""
    out = _surroundings(cx, linked.home)
    if linked.page is not None:
        out = {"kind": "page", **out, "page": bare_page(cx, linked.home, linked.page)}
    elif linked.reusable is not None:
        out = {"kind": "reusable-content", **out, "reusableContent": _reusable(linked.reusable)}
    if linked.block is not None:
        out["internalLocation"] = {"type": "node", "node": linked.block}
    return out


def _target(cx: Context, linked: ListedLink) -> dict[str, Any] | None:
    row, there = linked.link, linked.there
    if row.target_kind == "url":
        return {"kind": "url", "url": row.href}
    around = _surroundings(cx, there)
    if linked.to_page is not None:
        target = {"kind": row.target_kind, **around, "page": bare_page(cx, there, linked.to_page)}
        return {**target, "anchor": row.target_anchor} if row.target_kind == "anchor" else target
    if linked.to_file is not None:
        return {"kind": "file", **around, "file": bare_files(cx, there, [linked.to_file])[0]}
    if linked.to_reusable is not None:
        return {"kind": "reusable-content", **around, "reusableContent": _reusable(linked.to_reusable)}
    return {"kind": "space", **around} if row.target_kind == "space" and row.status == "ok" else None


def _reusable(row: ReusableVersion) -> dict[str, Any]:
    return {"id": row.reusable_id, "title": row.title}


def _surroundings(cx: Context, home: LinkedSpace) -> dict[str, Any]:
    return {
        "organization": organization(cx, home.organization),
        "space": space(cx, home.space),
        "versionContext": _version(home),
    }


def _version(home: LinkedSpace) -> dict[str, Any]:
    if home.at is None:
        return {"type": "revision", "revision": home.space.revision_id}
    return {"type": home.at.kind, home.at.kind: home.at.id}


@shows(ContentAtUrlOut)
def content_at_url(cx: Context, found: ContentAtUrl) -> dict[str, Any]:
    """Return the content at an address; a page comes without those under it."""
    if found.collection is not None:
        return {"collection": collection(cx, found.collection)}
    out: dict[str, Any] = {"space": space(cx, found.space)}
    if found.request is not None:
        out["changeRequest"] = change_request(cx, found.request)
    elif found.at is not None:
        out["revision"] = found.at.id
    if found.page is not None:
        out["page"] = bare_page(cx, found, found.page)
    return out


@shows(UrlEmbedOut)
def embed(_cx: Context, found: Embed) -> dict[str, Any]:
    """Return how an address is shown; what its page does not say is left out."""
    out = {"url": found.url, "title": found.title, "site": found.site}
    if found.integration is not None:
        return {**out, "type": "integration", "integration": found.integration, "block": found.block}
    told = {"description": found.description, "icon": found.icon}
    return {**out, "type": "link", **{name: value for name, value in told.items() if value}}


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

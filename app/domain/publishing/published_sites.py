"""A site as visitors see it, and what is published at an address: section, space and page, or a redirect.

Visitors see what is online, without drafts and without what their claims do not open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import ColumnElement, Select, exists, select

from app.access.context import Context
from app.access.fetch import (
    level_on,
    may,
    permit,
    reads_as_visitor,
    seeing_everything,
    seeing_everything_inside,
    seeing_inside,
)
from app.access.rights import READ_PUBLISHED, Level, allowed
from app.domain.content import published
from app.domain.content.content import PAGE_VERSIONS
from app.domain.publishing import visitors, visits
from app.domain.site_addresses import addresses, publication
from app.domain.site_addresses.site_rows import (
    SITE_ITEMS,
    SITES,
    SPACES,
    find,
    number_of_spaces,
    reading,
    sight,
    site_columns,
    source,
)
from app.domain.sites import customizations, redirects, site_integrations, site_nodes
from app.domain.sites.customizations import looks_column
from app.domain.sites.moved_paths import moved_column, space_at
from app.domain.sites.site_nodes import SiteNode, SiteTree, tree_columns
from app.formats.expressions.conditions import holds
from app.kit.database.sql import among, nested
from app.kit.database.statements import Statement, query, rows
from app.kit.errors import SEND_A_TOKEN, Invalid, NotFound, Unauthenticated
from app.kit.settings import Settings
from app.models.queries import ShareKeyQuery
from app.models.searches import PublishedUrl
from app.models.site_items import SiteItem
from app.models.sites import Site

NOTHING_KNOWN: Mapping[str, Any] = {}
_SITE: Statement[Any] = query(
    Site,
    lambda: reading(
        number_of_spaces(),
        looks_column(),
        site_integrations.scripts_column(),
        publication.share_link_column(),
        *tree_columns(),
    ),
)

MOST_LISTED = 50


def _shows_something() -> ColumnElement[bool]:
    there = (
        SITE_ITEMS.c.site_id == SITES.c.id,
        SPACES.c.id == SITE_ITEMS.c.space_id,
        SPACES.c.deleted_at.is_(None),
    )
    return exists().where(*there).correlate(SITES)


_PUBLIC: Statement[Any] = query(
    Site,
    lambda: (
        select(*site_columns())
        .select_from(source())
        .where(SITES.c.published, SITES.c.visibility == "public", _shows_something())
        .order_by(SITES.c.title_folded, SITES.c.id)
        .limit(MOST_LISTED)
    ),
)


@dataclass(slots=True, frozen=True)
class Published:
    """A published site's tree with its looks, those of the spaces that look different, and scripts."""

    tree: SiteTree
    looks: dict[str, Any]
    looks_of_spaces: dict[str, Any]
    scripts: Sequence[dict[str, Any]] = ()


async def list_public(cx: Context) -> list[tuple[str, str]]:
    """Return titles and addresses of published sites that anybody may visit: the first of all, by title."""
    found = await cx.db.all(_PUBLIC)
    return [(site.title, addresses.whole(cx.settings, addresses.of_site(site))) for site in found]


async def get(cx: Context, organization_id: str, site_id: str, query: ShareKeyQuery) -> Published:
    """Get a published site with its structure and looks, as a visitor of whom nothing is known sees it.

    Whoever may edit the site gets it before it is published too. Without a token nothing is shown of a public
    site that has a condition.
    """
    asked = {"key_hash": publication.share_key_hash(cx, query.share_key or "")}
    site, is_visitor = await find_as_visitor(cx, organization_id, site_id, _SITE, **asked)
    if not site.published and not allowed("site", "edit", level_on(cx, Site, site) or Level.NONE):
        raise NotFound("The site is not published.")
    key = query.share_key if site.opened_by else None
    planted = site_nodes.planted(site, key)
    tree = open_to_all(planted) if is_visitor else shown_to(planted, NOTHING_KNOWN)
    shown = {node.row.id for node in site_nodes.every(tree.roots)}
    differing = [row.item_id for row in site.looks if row.item_id in shown]
    looks = {item: customizations.of_space(site, item) for item in differing}
    scripts = site_integrations.shown(cx, site_id, site.scripts_)
    return Published(tree, customizations.of_site(site), looks, scripts)


async def find_as_visitor(
    cx: Context, organization_id: str, site_id: str, using: Statement[Any], **values: Any
) -> tuple[Any, bool]:
    """Return a site with what it shows, as far as the caller sees it, or a public site with all of that.

    Tells also whether the caller reads it only because it is public: then they may be shown what is
    `open_to_all`, and no more. Raises like `find`.
    """
    is_known = organization_id in cx.actor.memberships
    seen = sight(cx, organization_id) if is_known else seeing_everything()
    site = await find(cx, organization_id, site_id, can=READ_PUBLISHED, using=using, **values, **seen)
    is_visitor = reads_as_visitor(cx, Site, site)
    if is_visitor and is_known:
        seen = seeing_everything()
        site = await find(cx, organization_id, site_id, can=READ_PUBLISHED, using=using, **values, **seen)
    return site, is_visitor


def open_to_all(tree: SiteTree) -> SiteTree:
    """Return the tree with what is shown whoever comes: without drafts, and without what has a condition."""
    roots = _shown(tree.roots, lambda row: not row.draft and not row.condition)
    return SiteTree(tree.site, roots, tree.share_key)


def shown_to(
    tree: SiteTree, claims: Mapping[str, Any], *, drafts: bool = False, without: Collection[str] = ()
) -> SiteTree:
    """Return the tree without drafts, without what a condition hides, and without what is empty by that.

    A preview may show `drafts`, and never what it was made `without`.
    """

    def is_shown(row: SiteItem) -> bool:
        hidden = (row.draft and not drafts) or row.id in without
        return not hidden and (not row.condition or holds(row.condition, dict(claims)))

    return SiteTree(tree.site, _shown(tree.roots, is_shown), tree.share_key)


def _shown(nodes: Sequence[SiteNode], is_shown: Callable[[Any], bool]) -> list[SiteNode]:
    kept = []
    for node in nodes:
        if not is_shown(node.row):
            continue
        inside = _shown(node.children, is_shown)
        if inside or node.kind in ("site-space", "site-external-link"):
            kept.append(SiteNode(node.site, node.row, inside, node.share_key))
    return kept


MOST_PARTS = 30


@dataclass(slots=True, frozen=True)
class PublishedContent:
    """The meaning of an address: an address to go on to, or the parts of the site that it means."""

    site: Any
    target: str | None = None
    section: str | None = None
    site_space: str | None = None
    space: str | None = None
    page: str | None = None
    base_path: str | None = None
    pathname: str | None = None


def _site(which: Callable[[], Any]) -> Select[Any]:
    spaces = select(SITE_ITEMS.c.space_id).where(SITE_ITEMS.c.site_id == SITES.c.id).correlate(SITES)
    pages = select(PAGE_VERSIONS.c.line_id, PAGE_VERSIONS.c.page_id, PAGE_VERSIONS.c.path).where(
        PAGE_VERSIONS.c.line_id.in_(spaces),
        among(PAGE_VERSIONS.c.path, "paths"),
        PAGE_VERSIONS.c.valid_to.is_(None),
    )
    return (
        select(
            *site_columns(inner=("visitor_key", "fallback_url")),
            *tree_columns(inside=True),
            moved_column(),
            nested(pages.correlate(SITES), "pages"),
            nested(redirects.candidates(), "candidates"),
        )
        .select_from(source())
        .where(SITES.c.published, which())
    )


_AT_NAMES = rows(partial(_site, visits.by_names))
_AT_HOST = rows(partial(_site, visits.by_host))


async def resolve_url(cx: Context, asked: PublishedUrl) -> PublishedContent:
    """Tell what is published at an address; raises NotFound where that is nothing the caller may know of."""
    wanted = _parts(cx.settings, asked.url)
    found = await cx.db.all(_AT_HOST if wanted.host else _AT_NAMES, **wanted.values, **seeing_inside(cx))
    seen = [site for site in found if _is_known(cx, site)]
    if not seen and cx.actor.is_nobody:
        raise Unauthenticated(SEND_A_TOKEN)
    if not seen:
        raise NotFound("Nothing is published at this address.")
    site, parts = wanted.choose(seen)
    if reads_as_visitor(cx, Site, site):
        return await _resolve_public(cx, asked, wanted, site)
    tree = site_nodes.planted(site)
    if asked.visitor is not None:
        claims = visitors.of(cx, site, asked.visitor)
        if claims is None and asked.redirect_on_error and site.fallback_url:
            return PublishedContent(site, target=site.fallback_url)
        if claims is None:
            raise Invalid("The token does not belong to this site, or has expired.", path="visitor.jwtToken")
        tree = shown_to(tree, claims)
    return _at(cx.settings, tree, parts)


def _is_known(cx: Context, site: Any) -> bool:
    return level_on(cx, Site, site) is not None or may(cx, Site, site, can=READ_PUBLISHED)


async def _resolve_public(
    cx: Context, asked: PublishedUrl, wanted: visits.SiteRequest, site: Any
) -> PublishedContent:
    """Tell what everybody finds at an address of a public site."""
    permit(cx, Site, site, can=READ_PUBLISHED if asked.visitor is None else "view")
    seen = seeing_everything_inside(site.organization_id)
    found = await cx.db.all(_AT_HOST if wanted.host else _AT_NAMES, **wanted.values, **seen)
    whole, parts = wanted.choose([each for each in found if each.id == site.id] or [site])
    at = _at(cx.settings, open_to_all(site_nodes.planted(whole)), parts)
    is_closed = at.space and at.page and await published.is_closed(cx, at.space, (at.pathname or "")[1:])
    return replace(at, page=None) if is_closed else at


def _parts(settings: Settings, url: str) -> visits.SiteRequest:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host:
        raise Invalid("This must be a complete URL.", path="url")
    names = [unquote(part) for part in parts.path.split("/") if part]
    if len(names) > MOST_PARTS or any("\x00" in name for name in names):
        raise Invalid("This is not the address of a page.", path="url")
    for base in map(urlsplit, (settings.sites_base, f"{settings.base_url}/sites")):
        prefix = [part for part in base.path.split("/") if part]
        if (host, port) == ((base.hostname or "").lower(), base.port) and names[: len(prefix)] == prefix:
            organization, site, *rest = [*names[len(prefix) :], "", ""]
            return visits.SiteRequest([part for part in rest if part], organization, site)
    return visits.SiteRequest(names, host=host)


def _at(settings: Settings, tree: SiteTree, parts: Sequence[str]) -> PublishedContent:
    node, rests = space_at(tree, list(parts))
    if node is None:
        return _redirected(tree, parts) or PublishedContent(tree.site)
    space = node.row.space_id
    pages = {p.path: p.page_id for p in tree.site.pages if p.line_id == space}
    paths = ["/".join(rest) for rest in rests]
    path = next((path for path in paths if path in pages), paths[-1])
    page = pages.get(path)
    if path and page is None and (redirect := _redirected(tree, parts)):
        return redirect
    address = addresses.whole(settings, addresses.of_space(tree.site, node.row))
    return PublishedContent(
        tree.site,
        section=node.row.parent_id,
        site_space=node.row.id,
        space=space,
        page=page,
        base_path=urlsplit(address).path or "/",
        pathname=f"/{path}",
    )


def _redirected(tree: SiteTree, parts: Sequence[str]) -> PublishedContent | None:
    found = redirects.leads(tree, parts)
    return PublishedContent(tree.site, target=found[1]) if found else None

"""What is published at an address: the site, the section and the space of it, the page, or a redirect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Select, select

from app.access.context import Context
from app.access.fetch import level_on, seeing_inside
from app.domain.content.content import p_
from app.domain.publishing import visitors, visits
from app.domain.publishing.published_sites import shown_to
from app.domain.site_addresses import addresses
from app.domain.site_addresses.site_rows import i_, site_columns, source, t_
from app.domain.sites import redirects, site_nodes
from app.domain.sites.moved_pages import moved_column, space_at
from app.domain.sites.site_nodes import Tree, tree_columns
from app.kit.database.sql import among, nested
from app.kit.database.statements import rows
from app.kit.errors import Forbidden, Invalid, NotFound
from app.kit.settings import Settings
from app.models.site_searches import PublishedUrl
from app.models.sites import Site

MOST_PARTS = 30


@dataclass(slots=True, frozen=True)
class Found:
    """What is at an address: an address to go on to, or the parts of the site that it means."""

    site: Any
    target: str | None = None
    section: str | None = None
    site_space: str | None = None
    space: str | None = None
    page: str | None = None
    base_path: str | None = None
    pathname: str | None = None


def _site(which: Callable[[], Any]) -> Select[Any]:
    spaces = select(i_.c.space_id).where(i_.c.site_id == t_.c.id).correlate(t_)
    pages = select(p_.c.line_id, p_.c.page_id, p_.c.path).where(
        p_.c.line_id.in_(spaces), among(p_.c.path, "paths"), p_.c.valid_to.is_(None)
    )
    return (
        select(
            *site_columns(inner=("visitor_key", "fallback_url")),
            *tree_columns(inside=True),
            moved_column(),
            nested(pages.correlate(t_), "pages"),
            nested(redirects.candidates(), "candidates"),
        )
        .select_from(source())
        .where(t_.c.published, which())
    )


_AT_NAMES = rows(partial(_site, visits.by_names))
_AT_HOST = rows(partial(_site, visits.by_host))


async def resolve(cx: Context, asked: PublishedUrl) -> Found:
    """Tell what is published at an address; raises NotFound where that is nothing the caller may know of."""
    wanted = _parts(cx.settings, asked.url)
    found = await cx.db.all(_AT_HOST if wanted.host else _AT_NAMES, **wanted.values, **seeing_inside(cx))
    seen = [site for site in found if level_on(cx, Site, site) is not None]
    if not seen:
        raise NotFound("Nothing is published at this address.")
    site, parts = wanted.choose(seen)
    membership = cx.actor.memberships[site.organization_id]
    if membership.closed:
        raise Forbidden(membership.closed)
    tree = site_nodes.planted(site)
    if asked.visitor is not None:
        claims = visitors.of(cx, site, asked.visitor)
        if claims is None and asked.redirect_on_error and site.fallback_url:
            return Found(site, target=site.fallback_url)
        if claims is None:
            raise Invalid("The token is none of this site, or is over.", path="visitor.jwtToken")
        tree = shown_to(tree, claims)
    return _at(cx.settings, tree, parts)


def _parts(settings: Settings, url: str) -> visits.Asked:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host:
        raise Invalid("This must be a whole address.", path="url")
    names = [unquote(part) for part in parts.path.split("/") if part]
    if len(names) > MOST_PARTS or any("\x00" in name for name in names):
        raise Invalid("This is no address of a page.", path="url")
    for base in map(urlsplit, (settings.sites_base, f"{settings.base_url}/sites")):
        prefix = [part for part in base.path.split("/") if part]
        if (host, port) == ((base.hostname or "").lower(), base.port) and names[: len(prefix)] == prefix:
            organization, site, *rest = [*names[len(prefix) :], "", ""]
            return visits.Asked([part for part in rest if part], organization, site)
    return visits.Asked(names, host=host)


def _at(settings: Settings, tree: Tree, parts: Sequence[str]) -> Found:
    node, rests = space_at(tree, list(parts))
    if node is None:
        return _redirected(tree, parts) or Found(tree.site)
    space = node.row.space_id
    pages = {p.path: p.page_id for p in tree.site.pages if p.line_id == space}
    paths = ["/".join(rest) for rest in rests]
    path = next((path for path in paths if path in pages), paths[-1])
    page = pages.get(path)
    if path and page is None and (redirect := _redirected(tree, parts)):
        return redirect
    address = addresses.whole(settings, addresses.of_space(tree.site, node.row))
    return Found(
        tree.site,
        section=node.row.parent_id,
        site_space=node.row.id,
        space=space,
        page=page,
        base_path=urlsplit(address).path or "/",
        pathname=f"/{path}",
    )


def _redirected(tree: Tree, parts: Sequence[str]) -> Found | None:
    found = redirects.leads(tree, parts)
    return Found(tree.site, target=found[1]) if found else None

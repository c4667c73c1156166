"""Endpoints of a site below `~/`: styles, search, page tree, sign-out, MCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.types import Receive, Scope

from app.domain.sites import customizations
from app.kit import workers
from app.kit.errors import MethodNotAllowed, NotFound
from app.site_reader import (
    integration_blocks,
    offline,
    page_cards,
    page_feedback,
    pages,
    request_url,
    responses,
    search,
    sign_in,
    site_navigation,
    texts,
)
from app.site_reader.rendering import assets, theme
from app.site_reader.responses import FOR_EVER, INERT, JSON, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.sign_in import Credentials
from app.site_reader.state import ReaderState
from app.site_reader.visit import Visit

READS = ("GET", "HEAD")
METHODS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("~", "mcp"): ("POST",),
    ("~", "sign-out"): (*READS, "POST"),
    ("~", "block"): (*READS, "POST"),
    ("~", "feedback"): ("POST",),
}
ICON = "image/svg+xml"
STYLE = "text/css; charset=utf-8"
MOST_BRANCHES = 1000
_made: dict[tuple[str, str], SiteResponse] = {}


def check_method(method: str, parts: list[str]) -> None:
    """Refuse what is not done at such an address."""
    allowed = METHODS.get(tuple(parts[:2]), READS)
    if method not in allowed:
        raise MethodNotAllowed(list(allowed))


def static(parts: list[str]) -> SiteResponse | None:
    """Answer with a file of the reader itself, below any address; it is the same for every site."""
    if parts[-4:-2] != ["~", "static"]:
        return None
    *_, given, name = parts
    asset = assets.asset(name)
    if asset is None:
        raise NotFound("There is nothing at this address.")
    key = (name, asset.key)
    if key not in _made:
        written = EncodedBody.of(asset.content)
        _made[key] = SiteResponse(written, media=asset.content_type, policy=INERT, cache=FOR_EVER)
    if given == asset.key:
        return _made[key]
    return SiteResponse(_made[key].written, media=asset.content_type, cache="no-cache")


async def respond(
    state: ReaderState,
    visit: Visit,
    parts: list[str],
    scope: Scope,
    receive: Receive,
    credentials: Credentials,
) -> SiteResponse:
    """Answer what is asked for by this name; raises NotFound."""
    query = credentials.query
    match parts:
        case ["looks", item, name]:
            return _looks(visit, item, name)
        case ["search"]:
            state.runtime.throttle.take("search", scope)
            wants_json = (
                "application/json" in request_url.header(scope, b"accept") or query.get("format") == "json"
            )
            return await search.respond(state, visit, query, wants_json=wants_json)
        case ["tree"]:
            return await _tree(state, visit, query, scope)
        case ["pdf", item, page_id]:
            return await pages.pdf(state, visit, item, page_id)
        case ["cards", item, page_id, name]:
            state.runtime.throttle.take("search", scope)
            return await page_cards.respond(state, visit, item, page_id, name)
        case ["diagrams", item, page_id, name]:
            from app.site_reader import diagrams

            state.runtime.throttle.take("search", scope)
            return await diagrams.respond(state, visit, item, page_id, name)
        case ["block", item, page_id, key]:
            return await integration_blocks.respond(
                state, visit, integration_blocks.BlockAddress(item, page_id, key), scope, receive
            )
        case ["feedback"]:
            return await page_feedback.report(state, visit, scope, receive)
        case ["feedback", item, page_id]:
            return await page_feedback.respond(state, visit, item, page_id, scope, receive)
        case [offline.PAGE] if visit.preview is None and offline.is_offered(visit.site):
            return _offline(visit)
        case ["sign-out"]:
            return await _sign_out(visit, scope)
        case ["mcp"] if visit.site.agents_context != "excluded":
            await workers.load("app.site_reader.mcp")
            from app.site_reader import mcp

            state.runtime.throttle.take("search", scope)
            return await mcp.respond(state, visit, scope, receive)
    raise NotFound("There is nothing at this address.")


def _looks(visit: Visit, item: str, name: str) -> SiteResponse:
    """Answer with the styles or icon of the site, or of one of its spaces that looks different."""
    site = visit.site
    kept = customizations.of_site(site)
    if item != "site":
        if site_navigation.space_by_id(visit.tree, item) is None:
            raise NotFound("There is nothing at this address.")
        kept = customizations.of_space(site, item)
    key, _, kind = name.rpartition(".")
    if kind not in ("css", "svg"):
        raise NotFound("There is nothing at this address.")
    text = theme.stylesheet(kept) if kind == "css" else str(theme.favicon(kept, site.icon, site.title))
    current = key == theme.key(kept) and kind == "css"
    cache = FOR_EVER if current else "public, max-age=300"
    if visit.is_private:
        cache = "private, max-age=3600"
    policy = INERT if kind == "css" else "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return SiteResponse(
        EncodedBody.of(text), media=STYLE if kind == "css" else ICON, policy=policy, cache=cache
    )


async def _tree(state: ReaderState, visit: Visit, query: Mapping[str, str], scope: Scope) -> SiteResponse:
    """Answer with what is directly below a page, for a tree that opens where somebody looks: as JSON, or as
    the list that stands there to who asks for HTML.
    """
    page_id = query.get("page") or None
    space = await site_navigation.visible_space(state, visit, query.get("space", ""))
    if space is None or (page_id is not None and space.tree.get(page_id) is None):
        raise NotFound("There is nothing at this address.")
    cache = PRIVATE if visit.is_private else responses.SHARED
    if request_url.header(scope, b"accept").startswith("text/html"):
        from app.site_reader.rendering import navigation

        written = EncodedBody.of(navigation.branches(space.tree.level(page_id)))
        return SiteResponse(written, cache=cache).header("vary", "Accept")
    branches = [
        {
            "id": row.page_id,
            "title": row.link_title or row.title,
            "href": space.tree.href(row),
            "kind": row.kind,
            "more": bool(space.tree.below(row.page_id)),
        }
        for row in space.tree.below(page_id)[:MOST_BRANCHES]
    ]
    written = EncodedBody.of(orjson.dumps({"pages": branches}))
    return SiteResponse(written, media=JSON, cache=cache).header("vary", "Accept")


def _offline(visit: Visit) -> SiteResponse:
    """Answer with the page that is shown where there is neither a network nor the page that is asked for."""
    from app.site_reader.rendering.page import offline_html

    view = site_navigation.site_view(visit, None)
    with texts.spoken(view.language):
        written = EncodedBody.of(offline_html(view))
    policy = responses.page_policy(visit.cx.settings, visit.base)
    made = SiteResponse(written, policy=policy, cache=responses.SHARED)
    return made.header("x-robots-tag", "noindex")


async def _sign_out(visit: Visit, scope: Any) -> SiteResponse:
    """Forget the visitor; a page elsewhere cannot have them do it, unless they click there.

    They may be on a page of the site that is in a sandbox, which is elsewhere to the browser.
    """
    clicked = request_url.header(scope, b"sec-fetch-user") == "?1"
    if request_url.header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and not clicked:
        raise NotFound("There is nothing at this address.")
    sent_on = await sign_in.sign_out_redirect(visit.cx, visit.site)
    made = sent_on or responses.redirect(visit.site.logout_url or visit.address, status=303)
    return sign_in.forget(made, visit)

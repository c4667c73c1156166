"""What a site has besides pages, below `~/`: its styles, its search, its tree, a way out, and MCP."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.types import Receive, Scope

from app.domain.sites import customizations
from app.kit.errors import MethodNotAllowed, NotFound
from app.site_reader import answers, integration_blocks, pages, request_url, search, sign_in, site_navigation
from app.site_reader.answers import INERT, JSON, PRIVATE, Answer, Written
from app.site_reader.rendering import head, theme
from app.site_reader.sign_in import Credentials
from app.site_reader.state import State
from app.site_reader.visit import Visit

FOR_EVER = "public, max-age=31536000, immutable"
READS = ("GET", "HEAD")
METHODS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("~", "mcp"): ("POST",),
    ("~", "sign-out"): (*READS, "POST"),
    ("~", "block"): (*READS, "POST"),
}
ICON = "image/svg+xml"
STYLE = "text/css; charset=utf-8"
MOST_BRANCHES = 1000
_made: dict[tuple[str, str], Answer] = {}


def check_method(method: str, parts: list[str]) -> None:
    """Refuse what is not done at such an address."""
    allowed = METHODS.get(tuple(parts[:2]), READS)
    if method not in allowed:
        raise MethodNotAllowed(list(allowed))


def static(parts: list[str]) -> Answer | None:
    """A file of the reader itself, below any address; it is the same for every site, so nothing is asked."""
    if parts[-4:-2] != ["~", "static"]:
        return None
    *_, given, name = parts
    asset = head.asset(name)
    if asset is None:
        raise NotFound("There is nothing at this address.")
    key = (name, asset.key)
    if key not in _made:
        written = Written.of(asset.content)
        _made[key] = Answer(written, media=asset.content_type, policy=INERT, cache=FOR_EVER)
    if given == asset.key:
        return _made[key]
    return Answer(_made[key].written, media=asset.content_type, cache="no-cache")


async def answer(
    state: State,
    visit: Visit,
    parts: list[str],
    scope: Scope,
    receive: Receive,
    credentials: Credentials,
) -> Answer:
    """What is asked for by this name; raises NotFound."""
    query = credentials.query
    match parts:
        case ["looks", item, name]:
            return _looks(visit, item, name)
        case ["search"]:
            state.runtime.throttle.take("search", scope)
            wants_json = (
                "application/json" in request_url.header(scope, b"accept") or query.get("format") == "json"
            )
            variant = query.get("space", "")
            return await search.answer(
                state, visit, query.get("q", ""), wants_json=wants_json, variant=variant
            )
        case ["tree"]:
            return await _tree(state, visit, query.get("space", ""), query.get("page") or None)
        case ["pdf", item, page_id]:
            return await pages.pdf(state.desks, visit, item, page_id)
        case ["block", item, page_id, key]:
            return await integration_blocks.answer(
                state, visit, integration_blocks.Named(item, page_id, key), scope, receive
            )
        case ["sign-out"]:
            return await _sign_out(visit, scope)
        case ["mcp"] if visit.site.agents_context != "excluded":
            from app.site_reader import mcp

            state.runtime.throttle.take("search", scope)
            return await mcp.answer(state, visit, scope, receive)
    raise NotFound("There is nothing at this address.")


def _looks(visit: Visit, item: str, name: str) -> Answer:
    """The styles and the icon of the site, or of one of its spaces that looks different."""
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
    return Answer(Written.of(text), media=STYLE if kind == "css" else ICON, policy=policy, cache=cache)


async def _tree(state: State, visit: Visit, item: str, page_id: str | None) -> Answer:
    """What is directly below a page, for a tree that opens where somebody looks."""
    node = site_navigation.space_by_id(visit.tree, item)
    desk = await state.desks.at(visit, node) if node else None
    if desk is None or (page_id is not None and desk.tree.get(page_id) is None):
        raise NotFound("There is nothing at this address.")
    branches = [
        {
            "id": row.page_id,
            "title": row.link_title or row.title,
            "href": desk.tree.href(row),
            "kind": row.kind,
            "more": bool(desk.tree.below(row.page_id)),
        }
        for row in desk.tree.below(page_id)[:MOST_BRANCHES]
    ]
    cache = PRIVATE if visit.is_private else answers.SHARED
    return Answer(Written.of(orjson.dumps({"pages": branches})), media=JSON, cache=cache)


async def _sign_out(visit: Visit, scope: Any) -> Answer:
    """Forget the visitor; a page elsewhere cannot have them do it, unless they click there.

    They may be on a page of the site that is in a sandbox, which is elsewhere to the browser.
    """
    clicked = request_url.header(scope, b"sec-fetch-user") == "?1"
    if request_url.header(scope, b"sec-fetch-site") in ("cross-site", "same-site") and not clicked:
        raise NotFound("There is nothing at this address.")
    sent_on = await sign_in.sent_out(visit.cx, visit.site)
    made = sent_on or answers.redirect(visit.site.logout_url or visit.address, status=303)
    return sign_in.forget(made, visit)

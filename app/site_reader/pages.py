"""Pages of a site: found by their path, read for the visitor, written once for all who read the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import orjson

from app.domain.sites import site_blocks, site_listeners
from app.kit import workers
from app.kit.errors import OverBudget
from app.site_reader import (
    answers,
    apis,
    integration_blocks,
    languages,
    prints,
    redirects,
    scripts,
    site_navigation,
)
from app.site_reader.answers import MARKDOWN, PRIVATE, SHARED, Answer, Written
from app.site_reader.link_resolution import BodyLinks
from app.site_reader.page_content import markdown_of, read_document, stock_for, text_of, too_large
from app.site_reader.rendering.view_models import Reading
from app.site_reader.site_navigation import Place
from app.site_reader.state import State
from app.site_reader.visit import Desk, Visit, quoted

LONG = 5_000  # characters that a block about an API counts for


async def answer(state: State, visit: Visit) -> Answer:
    """The page at the visited address, where it moved to, or what there is instead."""
    place = site_navigation.located(visit.tree, visit.parts)
    desk = await state.desks.at(visit, place.node) if place else None
    if place is None or desk is None:
        return await redirects.elsewhere(state, visit, None, None)
    place = settled(desk, place)
    row = page_at(desk, place.rest)
    if row is None:
        if markdown := await _markdown(state, visit, desk, place):
            return markdown
        return await redirects.elsewhere(state, visit, place, desk)
    href = desk.tree.href(row)
    if href != (visit.base + quoted(visit.parts) or "/"):
        return answers.redirect(href)
    return await _page(state, visit, place, desk, row)


async def _page(state: State, visit: Visit, place: Place, desk: Desk, row: Any) -> Answer:
    key = ("page", row.page_id, place.node.row.id, state_of(visit))
    made = await state.cache.once(key, lambda: _written(state, visit, place, desk, row))
    assert made is not None
    return made


async def _written(state: State, visit: Visit, place: Place, desk: Desk, row: Any) -> Answer:
    text = await text_of(visit, row)
    stock = await stock_for(state, visit, desk, text.body)
    document = await read_document(visit, desk, row, text)
    links = BodyLinks(stock, row.source or "")
    reading = _reading(visit, place, desk, row, document, links)
    switched, alternates = await languages.of_page(state, visit, place, desk, row)
    given = scripts.of_visit(visit)
    added = scripts.injected(visit.cx.settings, visit.base, given, own_host=visit.own_host)
    site = replace(reading.site, languages=switched, scripts=added.addresses)
    reading = replace(
        reading,
        site=site,
        alternates=alternates,
        apis=await apis.of_page(visit, document, links),
        offer=site_blocks.offered(visit.site, desk.shelf.space_id),
        asking=integration_blocks.address(visit, desk, row),
    )
    size = len(text.body) + stock.length + LONG * len(reading.apis)
    try:
        written = await workers.run(size, _html, reading)
    except OverBudget:
        written = await workers.run(0, _html, replace(reading, document=too_large()))
    watched = visit.preview is None and site_listeners.is_watched(visit.site)
    made = Answer(written, policy=added.policy, cache=cache_of(visit), watched=watched)
    return made.header("x-robots-tag", "noindex") if is_kept_from_robots(row) else made


def _reading(visit: Visit, place: Place, desk: Desk, row: Any, document: Any, links: BodyLinks) -> Reading:
    """A page as the visitor reads it."""
    href = desk.tree.href(row)
    site = languages.view_of(visit, place)
    return Reading(
        site=site,
        tree=desk.tree,
        page=row,
        document=document,
        links=links,
        canonical=visit.origin + (href if href != "/" else "/"),
        markdown_href=markdown_href(visit, desk, row),
        pdf_href=prints.href(visit, desk, row),
        noindex=not visit.is_indexed or is_kept_from_robots(row),
        language=desk.shelf.language,
    )


async def _markdown(state: State, visit: Visit, desk: Desk, place: Place) -> Answer | None:
    """A page as Markdown, at its address with `.md` at the end; hidden pages are for people only."""
    if not place.rest:
        return None
    *parts, last = place.rest
    if not last.endswith(".md") or visit.site.agents_context == "excluded":
        return None
    row = page_at(desk, [*parts, last.removesuffix(".md")])
    if row is None and not parts and last == "index.md":
        row = desk.tree.home
    if row is None or not is_listed(desk, row):
        return None
    text = await markdown_of(state, visit, desk, row, await text_of(visit, row))
    made = Answer(Written.of(text), media=MARKDOWN, cache=cache_of(visit))
    return made.header("link", f'<{visit.origin}{desk.tree.href(row)}>; rel="canonical"')


def page_at(desk: Desk, rest: list[str]) -> Any | None:
    """The page of a path, if the visitor may see it; the first one at the address of the space."""
    if not rest:
        return desk.tree.home
    row = desk.shelf.indexes.paths.get("/".join(rest))
    if row is None or row.kind == "link":
        return None
    seen = desk.tree.get(row.page_id)
    return seen if seen is not None and desk.tree.href(seen) else None


def settled(desk: Desk, place: Place) -> Place:
    """The place as it is meant: a page wins over the name of the space or section that is the default."""
    *above, last = place.whole or [""]
    is_page = page_at(desk, place.whole) or page_at(desk, [*above, last.removesuffix(".md")])
    return replace(place, rest=place.whole) if is_page is not None else place


def is_listed(desk: Desk, row: Any) -> bool:
    """Whether a page is told of: neither hidden nor below what is."""
    return not row.hidden and not any(above.hidden for above in desk.tree.above(row.page_id))


def is_kept_from_robots(row: Any) -> bool:
    """Whether search engines and the like are to leave a page alone."""
    return bool(row.hidden or row.no_index or row.no_robots_index)


def markdown_href(visit: Visit, desk: Desk, row: Any) -> str | None:
    """Where a page is read as Markdown."""
    if visit.site.agents_context == "excluded" or row.kind != "document" or not is_listed(desk, row):
        return None
    return f"{desk.tree.base}/{quoted(row.path.split('/'))[1:]}.md"


def cache_of(visit: Visit) -> str:
    """Who may keep an answer."""
    return PRIVATE if visit.is_private else SHARED


def state_of(visit: Visit) -> Hashable:
    """All that an answer is made from besides what was asked for: content by its revisions, what the site
    shows and how it looks, and for whom."""
    site = visit.site
    who = (visit.known, visit.visitor.kind, visit.signing.key)
    state = (visit.address, site.title, site.visibility, site.agents_context, *who)
    shown = tuple(
        (
            row.id,
            row.position,
            row.path,
            row.title,
            row.icon,
            row.description,
            row.condition,
            row.draft,
            row.is_default,
        )
        for row in (*site.holders, *site.spaces)
    )
    urls = tuple(row.url for row in site.holders)
    spaces = tuple((row.space_title, row.revision_id, row.language) for row in site.spaces)
    looks = orjson.dumps([site.icon, [[row.item_id, row.settings] for row in site.looks]])
    specs = tuple(sorted((row.slug, row.source_url or "", row.last_version) for row in site.specs))
    added = (orjson.dumps(scripts.of_visit(visit)), visit.own_host, site_listeners.is_watched(site))
    return (state, shown, urls, spaces, looks, specs, added, site_blocks.state_of(site))


def _html(reading: Reading) -> Written:
    from app.site_reader.rendering.page import page_html

    return Written.of(page_html(reading)).zipped_if_long()

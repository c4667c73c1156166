"""Pages of a site: found by their path, read for the visitor, written once for all who read the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.domain.printing import printing
from app.domain.printing.printing import Edition, Offer
from app.domain.sites import customizations, site_blocks, site_integrations
from app.kit import workers
from app.kit.errors import NotFound, OverBudget
from app.present import links
from app.site_reader import (
    answers,
    integration_blocks,
    redirects,
    scripts,
    site_navigation,
)
from app.site_reader.answers import MARKDOWN, Answer, Written
from app.site_reader.link_resolution import BodyLinks
from app.site_reader.page_content import (
    markdown_of,
    openapi_views,
    read_document,
    stock_for,
    text_of,
    too_large,
)
from app.site_reader.rendering import theme
from app.site_reader.rendering.view_models import Reading
from app.site_reader.site_navigation import Place
from app.site_reader.state import State, cache_control, cache_key
from app.site_reader.visit import Desk, Desks, Visit, quoted

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
    key = ("page", row.page_id, place.node.row.id, cache_key(visit))
    made = await state.cache.once(key, lambda: _written(state, visit, place, desk, row))
    assert made is not None
    return made


async def _written(state: State, visit: Visit, place: Place, desk: Desk, row: Any) -> Answer:
    text = await text_of(visit, row)
    stock = await stock_for(state, visit, desk, text.body)
    document = await read_document(visit, desk, row, text)
    links = BodyLinks(stock, row.source or "")
    reading = _reading(visit, place, desk, row, document, links)
    switched, alternates = await site_navigation.translated_page(state, visit, place, desk, row)
    given = scripts.of_visit(visit)
    added = scripts.injected(visit.cx.settings, visit.base, given, own_host=visit.own_host)
    site = replace(reading.site, languages=switched, scripts=added.addresses)
    reading = replace(
        reading,
        site=site,
        alternates=alternates,
        apis=await openapi_views(visit, document, links),
        offer=site_blocks.offered(visit.site, desk.shelf.space_id),
        asking=integration_blocks.address(visit, desk, row),
    )
    size = len(text.body) + stock.length + LONG * len(reading.apis)
    try:
        written = await workers.run(size, _html, reading)
    except OverBudget:
        written = await workers.run(0, _html, replace(reading, document=too_large()))
    watched = visit.preview is None and site_integrations.is_watched(visit.site)
    made = Answer(written, policy=added.policy, cache=cache_control(visit), watched=watched)
    return made.header("x-robots-tag", "noindex") if is_kept_from_robots(row) else made


def _reading(visit: Visit, place: Place, desk: Desk, row: Any, document: Any, links: BodyLinks) -> Reading:
    """A page as the visitor reads it."""
    href = desk.tree.href(row)
    site = site_navigation.view_of(visit, place)
    return Reading(
        site=site,
        tree=desk.tree,
        page=row,
        document=document,
        links=links,
        canonical=visit.origin + (href if href != "/" else "/"),
        markdown_href=markdown_href(visit, desk, row),
        pdf_href=pdf_href(visit, desk, row),
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
    made = Answer(Written.of(text), media=MARKDOWN, cache=cache_control(visit))
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


def _html(reading: Reading) -> Written:
    from app.site_reader.rendering.page import page_html

    return Written.of(page_html(reading)).zipped_if_long()


def pdf_href(visit: Visit, desk: Desk, row: Any) -> str | None:
    """Where a page is had as a PDF, where the site offers that and documents can be set here."""
    item = desk.node.row.id
    is_offered = row.kind == "document" and theme.is_on(customizations.of_space(visit.site, item), "pdf")
    if not is_offered or not printing.is_installed():
        return None
    return f"{visit.base}/~/pdf/{item}/{row.page_id}"


async def pdf(desks: Desks, visit: Visit, item: str, page_id: str) -> Answer:
    """Send a visitor on to the PDF of a page; raises NotFound where there is none for them."""
    node = site_navigation.space_by_id(visit.tree, item)
    desk = await desks.at(visit, node) if node else None
    row = desk.tree.get(page_id) if desk else None
    if desk is None or row is None or pdf_href(visit, desk, row) is None:
        raise NotFound("There is nothing at this address.")
    edition = Edition(desk.shelf.space_id, desk.shelf.revision_id, page=page_id, only=True)
    return answers.redirect(links.pdf(visit.cx, Offer(edition, f"{row.title}.pdf")))

"""Pages of a site: found by their path, read for the visitor, written once for all who read the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from app.domain.pdf import pdf_exports
from app.domain.pdf.pdf_exports import PdfAddress, PdfSelection
from app.domain.sites import customizations, site_integrations
from app.formats.openapi.origins import sources
from app.kit import workers
from app.kit.errors import NotFound, OverBudget
from app.models.pages import PageVersion
from app.models.site_looks import PLACE
from app.present import signed_links
from app.site_reader import (
    block_sizes,
    counting,
    diagrams,
    integration_blocks,
    page_cards,
    page_feedback,
    responses,
    site_navigation,
)
from app.site_reader.counting import PageOpened
from app.site_reader.link_resolution import BodyLinkResolver
from app.site_reader.page_content import (
    link_context,
    markdown_of,
    openapi_views,
    read_document,
    servers_of,
    text_of,
    too_large,
)
from app.site_reader.rendering import theme
from app.site_reader.rendering.render_context import PageView
from app.site_reader.responses import MARKDOWN, EncodedBody, SiteResponse
from app.site_reader.site_navigation import SiteLocation
from app.site_reader.state import ReaderState, cache_control, cache_key, page_scripts, scripts_of_visit
from app.site_reader.visit import VisibleSpace, Visit, quoted

LONG = 5_000  # characters that a block about an API counts for


async def respond(state: ReaderState, visit: Visit) -> SiteResponse:
    """Answer with the page at the visited address, where it moved to, or what there is instead."""
    location = site_navigation.locate(visit.tree, visit.parts)
    space = await state.spaces.at(visit, location.node) if location else None
    if location is None or space is None:
        return await site_navigation.redirected(state, visit, None, None)
    location = resolve_default(space, location)
    row = page_at(space, location.rest)
    if row is None:
        if markdown := await _markdown(state, visit, space, location):
            return markdown
        return await site_navigation.redirected(state, visit, location, space)
    href = space.tree.href(row)
    if href != (visit.base + quoted(visit.parts) or "/"):
        return responses.redirect(href)
    if visit.markdown and (made := await _as_markdown(state, visit, space, row)):
        return made
    return await _page(state, visit, location, space, row)


async def _page(
    state: ReaderState, visit: Visit, location: SiteLocation, space: VisibleSpace, row: PageVersion
) -> SiteResponse:
    key = ("page", row.page_id, location.node.row.id, cache_key(visit))
    made = await state.cache.once(key, lambda: _written(state, visit, location, space, row))
    assert made is not None
    return made


async def _written(
    state: ReaderState, visit: Visit, location: SiteLocation, space: VisibleSpace, row: PageVersion
) -> SiteResponse:
    text = await text_of(visit, row)
    context = await link_context(state, visit, space, text.body)
    document = await read_document(visit, space, row, text)
    links = BodyLinkResolver(context, row.source or "")
    view = _page_view(visit, location, space, row, document, links)
    elsewhere = await site_navigation.page_elsewhere(state, visit, location, space, row)
    given = scripts_of_visit(visit)
    apis = await openapi_views(visit, document, links)
    tries = visit.preview is None
    added = page_scripts(
        visit.cx.settings,
        visit.base,
        given,
        own_host=visit.own_host,
        is_framed=visit.preview is not None,
        has_blocks=bool(visit.site.blocks_),
        servers=sources(servers_of(apis)) if tries else (),
    )
    site = replace(
        view.site, variants=elsewhere.variants, languages=elsewhere.languages, scripts=added.addresses
    )
    view = replace(
        view,
        site=site,
        alternates=elsewhere.alternates,
        apis=apis,
        tries=tries,
        offer=site_integrations.offered(visit.site, space.snapshot.space_id),
        ratio=block_sizes.ratio,
        asking=integration_blocks.address(visit, space, row),
        diagrams=diagrams.address(visit, space, row),
        diagram_sizes=await diagrams.sizes(state, document, links),
        feedback_href=None if visit.preview else page_feedback.href(visit, space, row),
    )
    size = len(text.body) + context.length + LONG * len(view.apis)
    try:
        written = await workers.run(size, _html, view)
    except OverBudget:
        written = await workers.run(0, _html, replace(view, document=too_large()))
    watched = visit.preview is None and site_integrations.is_watched(visit.site)
    page = page_feedback.viewed(visit, space, row) if watched else None
    read = _read(visit, space, row, is_for_agents=False)
    made = SiteResponse(written, policy=added.policy, cache=cache_control(visit), viewed=page, counted=read)
    made.header("vary", "Accept")
    return made.header("x-robots-tag", "noindex") if is_kept_from_robots(row) else made


def _read(visit: Visit, space: VisibleSpace, row: PageVersion, *, is_for_agents: bool) -> PageOpened | None:
    """Return what is counted when a page is sent."""
    if not counting.is_counted(visit, space.node.row.id):
        return None
    return PageOpened(visit.site.id, space.snapshot.space_id, row.page_id, is_for_agents)


def _page_view(
    visit: Visit,
    location: SiteLocation,
    space: VisibleSpace,
    row: PageVersion,
    document: Any,
    links: BodyLinkResolver,
) -> PageView:
    """Return a page as the visitor reads it."""
    href = space.tree.href(row)
    site = site_navigation.site_view(visit, location)
    return PageView(
        site=site,
        tree=space.tree,
        page=row,
        document=document,
        links=links,
        canonical=visit.origin + (href if href != "/" else "/"),
        markdown_href=markdown_href(visit, space, row),
        pdf_href=pdf_href(visit, space, row),
        noindex=not visit.is_indexed or is_kept_from_robots(row),
        tree_href=tree_href(visit, space),
        feed_href=f"{visit.base}/feed.xml",
        card_href=visit.origin + card if (card := page_cards.href(visit, space, row)) else None,
        edit_href=edit_href(visit, space, row),
        assistants=assistants(visit, space, row),
    )


async def _markdown(
    state: ReaderState, visit: Visit, space: VisibleSpace, location: SiteLocation
) -> SiteResponse | None:
    """Answer with a page as Markdown, at its address with `.md`."""
    if not location.rest:
        return None
    *parts, last = location.rest
    if not last.endswith(".md"):
        return None
    row = page_at(space, [*parts, last.removesuffix(".md")])
    if row is None and not parts and last == "index.md":
        row = space.tree.home
    return await _as_markdown(state, visit, space, row) if row is not None else None


async def _as_markdown(
    state: ReaderState, visit: Visit, space: VisibleSpace, row: PageVersion
) -> SiteResponse | None:
    """Answer with a page as Markdown; hidden ones are for people only."""
    if visit.site.agents_context == "excluded" or not is_listed(space, row):
        return None
    text = await markdown_of(state, visit, space, row, await text_of(visit, row))
    read = _read(visit, space, row, is_for_agents=True)
    made = SiteResponse(EncodedBody.of(text), media=MARKDOWN, cache=cache_control(visit), counted=read)
    made.header("vary", "Accept")
    return made.header("link", f'<{visit.origin}{space.tree.href(row)}>; rel="canonical"')


def tree_href(visit: Visit, space: VisibleSpace) -> str:
    """Return the address at which is asked for what is below a page of a space."""
    return f"{visit.base}/~/tree?space={space.node.row.id}"


def page_at(space: VisibleSpace, rest: list[str]) -> Any | None:
    """Return the page of a path, if the visitor may see it; the first one at the address of the space."""
    if not rest:
        return space.tree.home
    row = space.snapshot.indexes.paths.get("/".join(rest))
    if row is None or row.kind == "link":
        return None
    seen = space.tree.get(row.page_id)
    return seen if seen is not None and space.tree.href(seen) else None


def resolve_default(space: VisibleSpace, location: SiteLocation) -> SiteLocation:
    """Return the location as it is meant: a page wins over the name of the default space or section."""
    *above, last = location.whole or [""]
    is_page = page_at(space, location.whole) or page_at(space, [*above, last.removesuffix(".md")])
    return replace(location, rest=location.whole) if is_page is not None else location


def is_listed(space: VisibleSpace, row: PageVersion) -> bool:
    """Return whether a page is listed: it is neither hidden nor below what is."""
    return not row.hidden and not any(above.hidden for above in space.tree.above(row.page_id))


def is_kept_from_robots(row: PageVersion) -> bool:
    """Return whether search engines and the like are to leave a page alone."""
    return bool(row.hidden or row.no_index or row.no_robots_index)


def markdown_href(visit: Visit, space: VisibleSpace, row: PageVersion) -> str | None:
    """Return where a page is read as Markdown; None where programs are not told of it."""
    if visit.site.agents_context == "excluded" or row.kind != "document" or not is_listed(space, row):
        return None
    return f"{space.tree.base}/{quoted(row.path.split('/'))[1:]}.md"


def edit_href(visit: Visit, space: VisibleSpace, row: PageVersion) -> str | None:
    """Return the address of a page in the editor of the console; None where the site does not offer it."""
    looks = customizations.of_space(visit.site, space.node.row.id)
    if (looks.get("editLink") or {}).get("enabled") is not True or row.kind != "document":
        return None
    place = f"/o/{visit.site.organization_id}/s/{space.snapshot.space_id}/~/edit"
    return f"{visit.cx.settings.app_base}{place}{quoted(row.path.split('/'))}"


def assistants(visit: Visit, space: VisibleSpace, row: PageVersion) -> list[tuple[str, str]]:
    """Return the assistants of a site by their titles, each with the address that opens it with a page."""
    markdown = markdown_href(visit, space, row)
    given = customizations.of_space(visit.site, space.node.row.id).get("assistants")
    if markdown is None or not isinstance(given, dict):
        return []
    at = quote(visit.origin + markdown, safe="")
    return [(str(each["title"]), str(each["url"]).replace(PLACE, at)) for each in given.get("links") or []]


def _html(view: PageView) -> EncodedBody:
    from app.site_reader.rendering.page import page_html

    return EncodedBody.of(page_html(view)).zipped_if_long()


def pdf_href(visit: Visit, space: VisibleSpace, row: PageVersion) -> str | None:
    """Return the address of a page as a PDF; None where the site offers none or none can be made here."""
    item = space.node.row.id
    is_offered = row.kind == "document" and theme.is_on(customizations.of_space(visit.site, item), "pdf")
    if not is_offered or not pdf_exports.is_installed():
        return None
    return f"{visit.base}/~/pdf/{item}/{row.page_id}"


async def pdf(state: ReaderState, visit: Visit, item: str, page_id: str) -> SiteResponse:
    """Send a visitor on to the PDF of a page; raises NotFound where there is none for them."""
    space = await site_navigation.visible_space(state, visit, item)
    row = space.tree.get(page_id) if space else None
    if space is None or row is None or pdf_href(visit, space, row) is None:
        raise NotFound("There is nothing at this address.")
    edition = PdfSelection(space.snapshot.space_id, space.snapshot.revision_id, page=page_id, only=True)
    return responses.redirect(signed_links.pdf(visit.cx, PdfAddress(edition, f"{row.title}.pdf")))

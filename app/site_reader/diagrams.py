"""The diagrams of a page as pictures: drawn when a visitor's browser first asks for one, then kept.

A diagram has an address of its page with the name of what it shows. It is drawn for who may read it there.
The first ones of a page are drawn when it is written, so that it has room for them and nothing moves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from cachetools import LRUCache

from app.formats.diagrams import drawing
from app.formats.diagrams.drawing import NotDrawn
from app.kit import workers
from app.kit.errors import NotFound, OverBudget, Unavailable
from app.models.pages import PageVersion
from app.present.html_links import blocks_of
from app.site_reader import site_navigation
from app.site_reader.link_resolution import BodyLinkResolver
from app.site_reader.page_content import document_of
from app.site_reader.responses import FOR_EVER, PRIVATE, SHARED, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

SVG = "image/svg+xml"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
THEMES = {"light": False, "dark": True}
FIRST = 4  # diagrams of a page that are drawn when it is written
MOST_SIZES = 10_000
AT_ONCE = 2  # processes that draw
MOST_WAITING = 40
_turns = asyncio.Semaphore(AT_ONCE)
_waiting: set[object] = set()
_sizes: LRUCache[str, tuple[int, int]] = LRUCache(MOST_SIZES)


def address(visit: Visit, space: VisibleSpace, row: PageVersion) -> str:
    """Return what the addresses of a page's diagrams begin with; "" where none can be drawn."""
    if not drawing.is_installed():
        return ""
    return f"{visit.base}/~/diagrams/{space.node.row.id}/{row.page_id}"


async def sizes(state: ReaderState, document: Any, links: BodyLinkResolver) -> Mapping[str, tuple[int, int]]:
    """Return how large the diagrams of a page are in pixels, by their names, as far as that is known."""
    if document is None or not drawing.is_installed():
        return {}
    try:
        sources = await workers.run(links.context.size(document), _every, document, links)
    except OverBudget:  # so is the page
        return {}
    for key, source in list(sources.items())[:FIRST]:
        if key not in _sizes:
            try:
                await _picture(state, key, source, "light")
            except Unavailable:
                break
    return {key: _sizes[key] for key in sources if key in _sizes}


async def respond(state: ReaderState, visit: Visit, item: str, page_id: str, name: str) -> SiteResponse:
    """Answer with a diagram of a page; raises NotFound, Unavailable where many are being drawn."""
    key, _, theme = name.removesuffix(".svg").rpartition("-")
    space = await site_navigation.visible_space(state, visit, item)
    row = space.tree.get(page_id) if space else None
    if space is None or row is None or theme not in THEMES or not address(visit, space, row):
        raise NotFound("There is nothing at this address.")
    source = await _source(state, visit, space, row, key)
    if source is None:
        raise NotFound("There is nothing at this address.")
    made = await _picture(state, key, source, theme)
    if not visit.is_private:
        return made
    return SiteResponse(made.written, media=SVG, policy=POLICY, cache=PRIVATE)


async def _source(
    state: ReaderState, visit: Visit, space: VisibleSpace, row: PageVersion, key: str
) -> str | None:
    """Return the text of a diagram that the visitor reads on a page; None where there is none such."""
    document, context = await document_of(state, visit, space, row)
    if document is None:
        return None
    links = BodyLinkResolver(context, row.source or "")
    return await workers.run(context.size(document), _found, document, links, key)


def _found(document: Any, links: BodyLinkResolver, key: str) -> str | None:
    return _every(document, links).get(key)


def _every(document: Any, links: BodyLinkResolver) -> dict[str, str]:
    """Return the texts of the diagrams of a page by their names."""
    sources = map(drawing.source_in, blocks_of(document["nodes"], links))
    return {drawing.key(source): source for source in sources if source is not None}


async def _picture(state: ReaderState, key: str, source: str, theme: str) -> SiteResponse:
    made = await state.cache.once(("diagram", key, theme), lambda: _drawn(key, source, dark=THEMES[theme]))
    assert made is not None
    return made


async def _drawn(key: str, source: str, *, dark: bool) -> SiteResponse:
    if len(_waiting) >= MOST_WAITING:
        raise Unavailable("Many diagrams are being drawn. Try again shortly.")
    mark, cache = object(), FOR_EVER
    _waiting.add(mark)
    try:
        async with _turns:
            made = await asyncio.to_thread(drawing.draw, source, dark=dark)
    except NotDrawn as refused:
        made, cache = drawing.refusal(str(refused), dark=dark), SHARED
    finally:
        _waiting.discard(mark)
    _sizes[key] = made.width, made.height
    return SiteResponse(EncodedBody.of(made.svg), media=SVG, policy=POLICY, cache=cache)

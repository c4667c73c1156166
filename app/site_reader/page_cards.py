"""The picture of a link to a page: drawn when a service first asks for it, then kept with the pages."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from app.domain.pdf import pdf_exports
from app.domain.sites import customizations
from app.formats.markdown.safe_html import sendable
from app.kit import workers
from app.kit.errors import NotFound, Unavailable
from app.models.pages import PageVersion
from app.site_reader import site_navigation, texts
from app.site_reader.rendering import theme
from app.site_reader.rendering.markup import words
from app.site_reader.responses import FOR_EVER, SHARED, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

if TYPE_CHECKING:
    from app.formats.pdf.link_cards import LinkCard

PNG = "image/png"
AT_ONCE = 2  # processes that draw
MOST_WAITING = 20
_turns = asyncio.Semaphore(AT_ONCE)
_waiting: set[object] = set()


def href(visit: Visit, space: VisibleSpace, row: PageVersion) -> str | None:
    """Return the address of the picture of a page; None where nobody could fetch it, or none can be drawn."""
    if visit.is_private or row.kind == "group" or not pdf_exports.is_installed():
        return None
    key = _key(_card(visit, space, row))
    return f"{visit.base}/~/cards/{space.node.row.id}/{row.page_id}/{key}.png"


async def respond(state: ReaderState, visit: Visit, item: str, page_id: str, name: str) -> SiteResponse:
    """Answer with the picture of a page; raises NotFound, Unavailable where many are being drawn."""
    space = await site_navigation.visible_space(state, visit, item)
    row = space.tree.get(page_id) if space else None
    if space is None or row is None or href(visit, space, row) is None:
        raise NotFound("There is nothing at this address.")
    card = _card(visit, space, row)
    key = _key(card)
    made = await state.cache.once(("card", key), lambda: _drawn(visit, card))
    assert made is not None
    if name == f"{key}.png":
        return made
    return SiteResponse(made.written, media=PNG, cache=SHARED)  # it has changed since it was linked to


def _card(visit: Visit, space: VisibleSpace, row: PageVersion) -> LinkCard:
    from app.formats.pdf.link_cards import LinkCard

    language = space.snapshot.language
    above = space.tree.above(row.page_id)
    place = " / ".join(words(each.link_title or each.title, 60) for each in above[-3:])
    return LinkCard(
        title=sendable(words(row.title, 120)),
        about=sendable(words(row.description or "", 150)),
        place=sendable(words(place, 90)),
        site=sendable(words(visit.site.title, 60)),
        color=theme.primary(customizations.of_space(visit.site, space.node.row.id)),
        language=language.partition("-")[0][:3].lower(),
        rtl=texts.direction(language) == "rtl",
    )


def _key(card: LinkCard) -> str:
    return blake2b(orjson.dumps(asdict(card)), digest_size=8).hexdigest()


async def _drawn(visit: Visit, card: LinkCard) -> SiteResponse:
    if len(_waiting) >= MOST_WAITING:
        raise Unavailable("Many pictures are being drawn. Try again shortly.")
    await workers.load("app.formats.pdf.renderer")
    from app.formats.pdf import link_cards
    from app.formats.pdf.renderer import NotPrinted

    fonts = Path(visit.cx.settings.pdf_fonts) if visit.cx.settings.pdf_fonts else None
    mark = object()
    _waiting.add(mark)
    try:
        async with _turns:
            drawn = await asyncio.to_thread(link_cards.draw, card, fonts)
    except NotPrinted:
        raise NotFound("This page has no picture.") from None
    finally:
        _waiting.discard(mark)
    return SiteResponse(EncodedBody.of(drawn, zipped=False), media=PNG, cache=FOR_EVER)

"""Pages of a site: found by their path, read for the visitor, written once for all who read the same."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from app.content.conditional import NO_TEXT, Text
from app.content.dialect.tags import INCLUDE
from app.domain.content import pages, shelves
from app.domain.sites import site_blocks, site_listeners
from app.domain.visiting import visits
from app.kit import workers
from app.kit.errors import OverBudget
from app.reader import answers, apis, contributed, languages, leading, places, prints, scripts
from app.reader.answers import MARKDOWN, PRIVATE, SHARED, Answer
from app.reader.caching import Written
from app.reader.linking import BodyLinks, Stock
from app.reader.markdown import written_out
from app.reader.places import Place
from app.reader.reading import Reading, SiteView
from app.reader.visiting import Desk, Visit, quoted

if TYPE_CHECKING:
    from app.reader.serving import Reader

_OTHERS = re.compile(r"/spaces/(\w{1,40})/pages/", re.ASCII)
MOST_OTHERS = 10
MOST_INCLUDED = 500  # reusable contents that a page's may be among
LONG = 5_000  # characters that a block about an API counts for
TOO_LARGE = Text("This page is too large to be shown here.", conditional=False)


class Pages:
    """Answers with pages."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def answer(self, visit: Visit) -> Answer:
        """The page at the visited address, where it moved to, or what there is instead."""
        place = places.located(visit.tree, visit.parts)
        desk = await self._reader.desks.at(visit, place.node) if place else None
        if place is None or desk is None:
            return await leading.elsewhere(self._reader, visit, None, None)
        place = settled(desk, place)
        row = page_at(desk, place.rest)
        if row is None:
            if markdown := await self._markdown(visit, desk, place):
                return markdown
            return await leading.elsewhere(self._reader, visit, place, desk)
        href = desk.tree.href(row)
        if href != (visit.base + quoted(visit.parts) or "/"):
            return answers.redirect(href)
        return await self._page(visit, place, desk, row)

    async def _page(self, visit: Visit, place: Place, desk: Desk, row: Any) -> Answer:
        key = ("page", row.page_id, place.node.row.id, state_of(visit))
        made = await self._reader.cache.once(key, lambda: self._written(visit, place, desk, row))
        assert made is not None
        return made

    async def _written(self, visit: Visit, place: Place, desk: Desk, row: Any) -> Answer:
        text = await self.text(visit, row)
        stock = await self._stock_for(visit, desk, text.body)
        document = await self._document(visit, desk, row, text)
        links = BodyLinks(stock, row.source or "")
        reading = self.reading(visit, place, desk, row, document, links)
        switched, alternates = await languages.of_page(self._reader, visit, place, desk, row)
        given = scripts.of_visit(visit)
        added = scripts.injected(visit.cx.settings, visit.base, given, own_host=visit.own_host)
        site = replace(reading.site, languages=switched, scripts=added.addresses)
        reading = replace(
            reading,
            site=site,
            alternates=alternates,
            apis=await apis.of_page(visit, document, links),
            offer=site_blocks.offered(visit.site, desk.shelf.space_id),
            asking=contributed.address(visit, desk, row),
        )
        size = len(text.body) + stock.length + LONG * len(reading.apis)
        try:
            written = await workers.run(size, _html, reading)
        except OverBudget:
            written = await workers.run(0, _html, replace(reading, document=_too_large()))
        watched = visit.preview is None and site_listeners.is_watched(visit.site)
        made = Answer(written, policy=added.policy, cache=cache_of(visit), watched=watched)
        return made.header("x-robots-tag", "noindex") if is_kept_from_robots(row) else made

    def reading(
        self, visit: Visit, place: Place, desk: Desk, row: Any, document: Any, links: BodyLinks
    ) -> Reading:
        """A page as the visitor reads it."""
        href = desk.tree.href(row)
        site = self.view(visit, place)
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

    def view(self, visit: Visit, place: Place | None) -> SiteView:
        """The site around."""
        private = visit.site.visibility not in ("public", "unlisted")
        signed_in = visit.visitor.kind == "signed-in"
        view = places.view_of(visit.tree, visit.base, place, private=private, signed_in=signed_in)
        return replace(view, languages=languages.switch(visit, place)) if place else view

    async def _stock_for(self, visit: Visit, desk: Desk, text: str) -> Stock:
        """What the links in a text of a space lead to, and what it may include."""
        texts: dict[str, Text] = {}
        if INCLUDE.search(text):
            wanted = [each.document_id for each in desk.shelf.reusable[:MOST_INCLUDED]]
            texts = await shelves.texts(visit.cx, wanted)
        spaces = {
            node.row.space_id: visit.base + visits.below(visit.site, node.row) or "/"
            for node in reversed(places.spaces_of(visit.tree))
        }
        scope = {
            "space": {"vars": dict(desk.shelf.variables)},
            "visitor": {"claims": dict(visit.claims)},
            "page": {"vars": {}},
        }
        others = await self._others(visit, desk, text)
        return Stock(desk.shelf, desk.tree, visit.signing.address, scope, spaces, texts, others)

    async def _others(self, visit: Visit, desk: Desk, text: str) -> dict[str, Desk]:
        """The other spaces of the site with pages that a text links to."""
        named = dict.fromkeys(_OTHERS.findall(text))
        nodes = {node.row.space_id: node for node in reversed(places.spaces_of(visit.tree))} if named else {}
        found = {}
        for space_id in list(named)[:MOST_OTHERS]:
            if space_id in nodes and space_id != desk.shelf.space_id:
                other = await self._reader.desks.at(visit, nodes[space_id])
                if other is not None:
                    found[space_id] = other
        return found

    async def text(self, visit: Visit, row: Any) -> Text:
        """The body of a page as it was written."""
        if row.document_id is None:
            return NO_TEXT
        return (await shelves.texts(visit.cx, [row.document_id])).get(row.document_id, NO_TEXT)

    async def document(self, visit: Visit, desk: Desk, row: Any) -> tuple[Any, Stock]:
        """What a page says as the visitor may read it, and what its addresses lead to."""
        text = await self.text(visit, row)
        stock = await self._stock_for(visit, desk, text.body)
        return await self._document(visit, desk, row, text), stock

    async def _document(self, visit: Visit, desk: Desk, row: Any, text: Text) -> Any:
        if row.document_id is None:
            return None
        try:
            if len(text.body) <= pages.LARGEST:
                scope = scope_of(visit, desk, row)
                return await workers.run(len(text.body), pages.document_for, text, scope)
        except OverBudget:
            pass
        return _too_large()

    async def _markdown(self, visit: Visit, desk: Desk, place: Place) -> Answer | None:
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
        text = await self.markdown(visit, desk, row, await self.text(visit, row))
        made = Answer(Written.of(text), media=MARKDOWN, cache=cache_of(visit))
        return made.header("link", f'<{visit.origin}{desk.tree.href(row)}>; rel="canonical"')

    async def markdown(self, visit: Visit, desk: Desk, row: Any, text: Text) -> str:
        """A page with this text as Markdown, evaluated for the visitor, its links as whole addresses."""
        stock = await self._stock_for(visit, desk, text.body)
        scope = scope_of(visit, desk, row)
        try:
            if len(text.body) <= pages.LARGEST:
                size = len(text.body) + stock.length
                return await workers.run(size, _markdown, text, scope, stock, row, visit.origin)
        except OverBudget:
            pass
        return _markdown(TOO_LARGE, scope, stock, row, visit.origin)


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


def scope_of(visit: Visit, desk: Desk, row: Any) -> dict[str, Any]:
    """What expressions on a page may refer to."""
    return {
        "space": {"vars": dict(desk.shelf.variables)},
        "page": {"vars": row.variables or {}, "title": row.title},
        "visitor": {"claims": dict(visit.claims)},
    }


def _html(reading: Reading) -> Written:
    from app.reader.page import page_html

    return Written.of(page_html(reading)).zipped_if_long()


def _too_large() -> Any:
    return pages.structured(TOO_LARGE.body)


def _markdown(text: Text, scope: dict[str, Any], stock: Stock, row: Any, origin: str) -> str:
    written = written_out(text, scope, BodyLinks(stock, row.source or ""), origin)
    if not written.startswith("# "):
        about = f"{row.description}\n\n" if row.description else ""
        written = f"# {row.title}\n\n{about}{written}"
    return written.rstrip() + "\n"

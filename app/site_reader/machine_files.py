"""A site for programs: llms.txt, llms-full.txt, sitemap.xml, feed.xml and robots.txt.

They tell of what anybody who reads the site may read, and of no page that is hidden or kept from robots. A
site that is not public has no sitemap, and one that agents are to leave alone has no llms.txt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape

from app.domain.content import snapshots
from app.formats.markdown.passages import NO_TEXT
from app.formats.markdown.safe_html import sendable
from app.kit import workers
from app.kit.deadlines import check
from app.models.pages import PageVersion
from app.site_reader import counting, pages, site_navigation
from app.site_reader.counting import PageOpened
from app.site_reader.page_content import markdown_of
from app.site_reader.responses import ATOM, TEXT, XML, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState, cache_control, cache_key
from app.site_reader.visit import PAGE, VisibleSpace, Visit

MOST_ADDRESSES = 50_000  # in one sitemap, by its definition
MOST_TEXT = 5_000_000  # characters of llms-full.txt
TEXTS_AT_ONCE = 200
SEPARATOR = "\n---\n\n"
SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"
ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 50  # of the feed
XHTML = "http://www.w3.org/1999/xhtml"
_SITEMAP = re.compile(r"sitemap(?:-([1-9][0-9]{0,3}))?\.xml")


async def respond(state: ReaderState, visit: Visit, name: str) -> SiteResponse | None:
    """Answer with the file of this name; None for any other name, and where the site has no such file."""
    if not name.endswith((".txt", ".xml")):
        return None
    key = (name, cache_key(visit))
    return await state.cache.once(key, lambda: _made(state, visit, name))


async def _made(state: ReaderState, visit: Visit, name: str) -> SiteResponse | None:
    if name == "robots.txt":
        return _answer(visit, _robots(visit), TEXT)
    if name == "feed.xml":
        spaces = [space async for space in site_navigation.visible_spaces(state, visit)]
        return _answer(visit, await workers.run(_size(spaces), _feed_text, visit, spaces), ATOM)
    if numbered := _SITEMAP.fullmatch(name):
        return await _sitemap(state, visit, int(numbered[1]) if numbered[1] else None)
    if name in ("llms.txt", "llms-full.txt") and visit.site.agents_context != "excluded":
        made = await (_index(state, visit) if name == "llms.txt" else _everything(state, visit))
        answer = _answer(visit, await workers.run(len(made), _written, made), TEXT)
        if counting.is_counted(visit):
            answer.counted = PageOpened(visit.site.id, is_for_agents=True)
        return answer
    return None


def _answer(visit: Visit, text: str | EncodedBody, media: str) -> SiteResponse:
    written = text if isinstance(text, EncodedBody) else EncodedBody.of(text)
    return SiteResponse(written, media=media, cache=cache_control(visit))


def _written(text: str) -> EncodedBody:
    return EncodedBody.of(text).zipped_if_long()


def listed_pages(space: VisibleSpace) -> list[Any]:
    """Return the pages of a space that programs are told of, in order."""
    return [row for row in space.tree.in_order() if not pages.is_kept_from_robots(row)]


def _robots(visit: Visit) -> str:
    if not visit.is_indexed:
        return "User-agent: *\nDisallow: /\n"
    looks = [
        f"Allow: {visit.base}/~/{name}/" for name in ("static", "looks", "cards", "diagrams")
    ]  # pages are judged with them
    lines = ["User-agent: *", f"Allow: {visit.base or '/'}", *looks, f"Disallow: {visit.base}/~/", ""]
    return "\n".join([*lines, f"Sitemap: {visit.address}/sitemap.xml", ""])


async def _sitemap(state: ReaderState, visit: Visit, number: int | None) -> SiteResponse | None:
    if not visit.is_indexed:
        return None
    spaces = [space async for space in site_navigation.visible_spaces(state, visit)]
    text = await workers.run(_size(spaces), _sitemap_text, visit, spaces, number)
    return _answer(visit, text, XML) if text is not None else None


def _size(spaces: Iterable[VisibleSpace]) -> int:
    return sum(len(space.tree) for space in spaces) * PAGE


def _sitemap_text(visit: Visit, spaces: list[VisibleSpace], number: int | None) -> EncodedBody | None:
    rows = [(space, row) for space in spaces for row in listed_pages(space)]
    parts = max(1, -(-len(rows) // MOST_ADDRESSES))
    if number is None and parts > 1:
        names = (escape(f"{visit.address}/sitemap-{n}.xml") for n in range(1, parts + 1))
        inside = "\n".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
        return _written(_xml("sitemapindex", inside))
    number = number or 1
    if not 1 <= number <= parts:
        return None
    beside = {space.node.row.id: _translated(visit, space, spaces) for space in spaces}
    shown = []
    for space, row in rows[(number - 1) * MOST_ADDRESSES : number * MOST_ADDRESSES]:
        check()
        place, family = escape(visit.origin + space.tree.href(row)), beside[space.node.row.id]
        others = _alternates(visit, space, row, family) if family else ""
        shown.append(f"<url><loc>{place}</loc><lastmod>{row.updated_at.date()}</lastmod>{others}</url>")
    return _written(_xml("urlset", "\n".join(shown)))


def _feed_text(visit: Visit, spaces: list[VisibleSpace]) -> EncodedBody:
    """Return the pages that were changed last as a feed (RFC 4287)."""
    rows = [(space, row) for space in spaces for row in listed_pages(space)]
    latest = sorted(rows, key=lambda each: (each[1].updated_at, each[1].page_id), reverse=True)[:MOST_ENTRIES]
    own = f"{visit.address}/feed.xml"
    when = latest[0][1].updated_at if latest else visit.cx.now
    made = [
        f"<title>{escape(one_line(visit.site.title))}</title>",
        f"<id>{escape(own)}</id>",
        f"<updated>{when.isoformat()}</updated>",
        f'<link rel="self" href="{_quoted(own)}"/>',
        f'<link href="{_quoted(visit.address)}"/>',
        f"<author><name>{escape(one_line(visit.site.title))}</name></author>",
    ]
    for space, row in latest:
        check()
        place = visit.origin + space.tree.href(row)
        about = f"<summary>{escape(one_line(row.description))}</summary>" if row.description else ""
        made.append(
            f"<entry><title>{escape(one_line(row.title))}</title><id>{escape(place)}</id>"
            f'<updated>{row.updated_at.isoformat()}</updated><link href="{_quoted(place)}"/>{about}</entry>'
        )
    inside = "\n".join(made)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="{ATOM_NAMESPACE}">\n{inside}\n</feed>\n'
    return _written(sendable(text))


def _quoted(address: str) -> str:
    return escape(address, {'"': "&quot;"})


def _translated(
    visit: Visit, space: VisibleSpace, spaces: list[VisibleSpace]
) -> list[tuple[str, VisibleSpace]]:
    """Return the translations of a space with their languages, itself among them."""
    known = {each.node.row.id: each for each in spaces}
    family = site_navigation.space_translations(visit, space.node)
    return [(each.language, known[each.item_id]) for each in family if each.item_id in known]


def _alternates(
    visit: Visit, space: VisibleSpace, row: PageVersion, beside: list[tuple[str, VisibleSpace]]
) -> str:
    """Return links to the page in every language that has it, for search engines."""
    made = []
    for language, other in beside:
        same = pages.page_at(other, [] if row is space.tree.home else row.path.split("/"))
        if same is not None and not pages.is_kept_from_robots(same):
            href = escape(visit.origin + other.tree.href(same), {'"': "&quot;"})
            made.append(f'<xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>')
    return "".join(made) if len(made) > 1 else ""


def _xml(name: str, inside: str) -> str:
    also = f' xmlns:xhtml="{XHTML}"' if "<xhtml:" in inside else ""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{name} xmlns="{SITEMAPS}"{also}>\n{inside}\n</{name}>\n'


async def _index(state: ReaderState, visit: Visit) -> str:
    """Return the site's pages by title, as links to their Markdown (llmstxt.org)."""
    spaces = [space async for space in site_navigation.visible_spaces(state, visit)]
    return await workers.run(_size(spaces), _index_text, visit, spaces)


def _index_text(visit: Visit, spaces: list[VisibleSpace]) -> str:
    lines = [f"# {one_line(visit.site.title)}", ""]
    for space in spaces:
        lines += [f"## {one_line(site_navigation.title_of(space.node))}", ""]
        for row in listed_pages(space):
            check()
            href = pages.markdown_href(visit, space, row)
            if href is not None:
                about = f": {bracketed(row.description)}" if row.description else ""
                lines.append(f"- [{bracketed(row.title)}]({visit.origin}{href}){about}")
        lines.append("")
    lines += [f"Everything as one text: {visit.address}/llms-full.txt", ""]
    return "\n".join(lines)


async def _everything(state: ReaderState, visit: Visit) -> str:
    """Return all pages as Markdown, one after another, up to a size."""
    made: list[str] = []
    size = 0
    async for space in site_navigation.visible_spaces(state, visit):
        rows = [row for row in listed_pages(space) if pages.markdown_href(visit, space, row)]
        for first in range(0, len(rows), TEXTS_AT_ONCE):
            some = rows[first : first + TEXTS_AT_ONCE]
            texts = await snapshots.texts(visit.cx, [row.document_id for row in some if row.document_id])
            for row in some:
                text = await markdown_of(state, visit, space, row, texts.get(row.document_id, NO_TEXT))
                made.append(f"{text}\nSource: {visit.origin}{space.tree.href(row)}\n")
                size += len(text)
                if size > MOST_TEXT:
                    made.append(f"More pages are listed at {visit.address}/llms.txt\n")
                    return SEPARATOR.join(made)
    return SEPARATOR.join(made) or f"# {one_line(visit.site.title)}\n"


def one_line(text: str) -> str:
    """Return a text of somebody's as part of a line."""
    return " ".join(text.split())


def bracketed(text: str) -> str:
    """Return a text as part of a line of Markdown, where it is to be no link."""
    return one_line(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")

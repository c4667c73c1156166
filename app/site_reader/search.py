"""Searching a site: as somebody types, as a page for those without a script, and for programs.

What is found is what the visitor may read: pages that are shown to them, and of what a page shows on
conditions only what stands under those that hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from app.domain.publishing import visitor_search
from app.domain.publishing.visitor_search import SearchedSpaces
from app.domain.search import matching
from app.domain.search.page_search import excerpts
from app.formats.text import search_queries, search_text
from app.site_reader import counting, pages, responses, site_navigation, texts
from app.site_reader.counting import SearchMade
from app.site_reader.rendering.markup import NOTHING, words
from app.site_reader.rendering.render_context import FoundPages, SearchHit, SearchView, SectionHit, SiteView
from app.site_reader.responses import HTML, JSON, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

SHOWN = 20  # pages
SECTIONS = 3  # of one page
LONGEST = 512
_NO_SECTION = SectionHit("", "", "")


async def respond(
    state: ReaderState, visit: Visit, asked: Mapping[str, str], *, wants_json: bool
) -> SiteResponse:
    """Answer a search: `q` is looked for, `space` is read, `only` that is searched, and `start` pages of
    what is found are passed over.
    """
    query, item = asked.get("q", "")[:LONGEST].strip(), asked.get("space", "")
    item = item if site_navigation.space_by_id(visit.tree, item) else ""
    only = bool(item and asked.get("only"))
    start = start_of(asked.get("start", ""))
    found = await find(state, visit, query, item, only=only, start=start)
    count = found.count
    from app.site_reader.rendering import feedback
    from app.site_reader.rendering.search_page import found_text, search_html

    language = site_navigation.language_of(visit.tree, item)
    if wants_json:
        view = SiteView(visit.site.title, visit.base, {})
        with texts.spoken(language):
            said = found_text(SearchView(view, query, found, start=start))
            lacking = NOTHING if count else feedback.missing(visit.missing_href, query=query)
        told = {"count": count, "hits": found.hits, "said": said} | ({"missing": lacking} if lacking else {})
        made = SiteResponse(EncodedBody.of(orjson.dumps(told)), media=JSON)
    else:
        view = replace(site_navigation.site_view(visit, None), variant=item, only=only, language=language)
        policy = responses.page_policy(visit.cx.settings, visit.base, is_framed=visit.preview is not None)
        asked_for = {"q": query, "space": item, "only": "here" if only else ""}
        before = turn(visit.base, asked_for, max(min(start, count) - SHOWN, 0)) if start and count else ""
        after = turn(visit.base, asked_for, start + SHOWN) if start + SHOWN < count else ""
        searched = SearchView(
            view,
            query,
            found,
            start=start,
            before=before,
            after=after,
            missing_href=visit.missing_href,
        )
        with texts.spoken(language):
            written = EncodedBody.of(search_html(searched))
        made = SiteResponse(written, policy=policy, media=HTML)
    if query and not start and counting.is_counted(visit):
        made.counted = SearchMade(visit.site.id, query, is_found=count > 0)
    made.cache = PRIVATE if visit.is_private else "no-store"
    return made.header("vary", "Accept").header("x-robots-tag", "noindex")


def start_of(given: str) -> int:
    """Return how many pages of what is found are passed over; 0 for what is no number."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 5 else 0


def turn(base: str, said: dict[str, str], start: int) -> str:
    """Return the address of the same search from another place on."""
    given = {name: value for name, value in said.items() if value}
    return f"{base}/~/search?{urlencode({**given, 'start': start})}"


async def find(
    state: ReaderState,
    visit: Visit,
    query: str,
    item: str = "",
    *,
    only: bool = False,
    start: int = 0,
    most: int = SHOWN,
) -> FoundPages:
    """Find the pages that match, and how many there are. Those of the space that is read are preferred, and
    those of its variants and of other languages come last."""
    if not query:
        return FoundPages()
    spaces = {space.snapshot.space_id: space async for space in site_navigation.visible_spaces(state, visit)}
    searched = _searched(visit, spaces, item, only=only)
    search = await visitor_search.rank(visit.cx, searched, search_text.terms(query))
    seen = [row for row in search.ranked if _is_found(spaces, row)]
    shown = await visitor_search.sections_of(visit.cx, search, seen[start : start + most])
    best = [(row, matching.best(row)[:SECTIONS]) for row in shown]
    phrases = search_queries.phrases(search.places)
    cut = await excerpts([section for _, sections in best for section in sections], phrases)
    hits = [_hit(spaces, row, sections, cut, phrases) for row, sections in best]
    return FoundPages(hits, len(seen), search.is_partial)


def _searched(visit: Visit, spaces: dict[str, VisibleSpace], item: str, *, only: bool) -> SearchedSpaces:
    here = site_navigation.space_by_id(visit.tree, item)
    near = [here.row.space_id] if here and here.row.space_id in spaces else []
    beside = [node.row.space_id for node in site_navigation.beside(visit.tree, item) if here]
    language = here.row.language if here else None
    others = [
        space_id
        for space_id, space in spaces.items()
        if space_id in beside or (language and space.node.row.language not in (None, language))
    ]
    later = [space_id for space_id in others if space_id not in near]
    return SearchedSpaces(
        visit.site.organization_id, near if only else list(spaces), near, later, visit.claims
    )


def _is_found(spaces: dict[str, VisibleSpace], row: Any) -> bool:
    space = spaces.get(row.space_id)
    page = space.tree.get(row.page_id) if space else None
    return page is not None and space is not None and pages.is_listed(space, page) and not page.no_index


def _hit(
    spaces: dict[str, VisibleSpace],
    row: Any,
    sections: Sequence[Any],
    cut: dict[int, str],
    phrases: list[list[str]],
) -> SearchHit:
    """Return a page with its sections: what has no heading of its own is the page's."""
    space = spaces[row.space_id]
    page = space.tree.get(row.page_id)
    title = words(page.title) if page else ""
    href = space.tree.href(page)
    made = [_section(href, title, section, cut[section.id], phrases) for section in sections]
    own = next((each for each in made if not each.heading), _NO_SECTION)
    below = [each for each in made if each.heading]
    excerpt = own.excerpt or ("" if below else row.description or "")
    parts = search_text.marked(excerpt, phrases)
    place = site_navigation.title_of(space.node) if len(spaces) > 1 else ""
    return SearchHit(title, href, search_text.marked(title, phrases), excerpt, parts, place, below)


def _section(href: str, title: str, section: Any, excerpt: str, phrases: list[list[str]]) -> SectionHit:
    heading = words(section.heading or "")
    heading = "" if heading == title else heading
    there = f"{href}#{quote(section.anchor)}" if section.anchor and heading else href
    return SectionHit(
        heading, there, excerpt, search_text.marked(heading, phrases), search_text.marked(excerpt, phrases)
    )

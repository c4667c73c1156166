"""Searching a site: as somebody types, as a page for those without a script, and for programs.

What is found is what the visitor may read: pages that are shown to them, and of what a page shows on
conditions only what stands under those that hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

import orjson

from app.domain.publishing import conditional_sections, site_search
from app.domain.search.page_search import excerpts
from app.formats.text import search_text
from app.site_reader import pages, responses, site_navigation
from app.site_reader.rendering.render_context import SearchHit, SearchView
from app.site_reader.responses import HTML, JSON, PRIVATE, EncodedBody, SiteResponse
from app.site_reader.state import ReaderState
from app.site_reader.visit import VisibleSpace, Visit

SHOWN = 20
SECTIONS = 3  # of one page
LONGEST = 512


async def respond(
    state: ReaderState, visit: Visit, query: str, *, wants_json: bool, variant: str = ""
) -> SiteResponse:
    """Answer a search, with what is in the variant that somebody reads before the others."""
    query = query[:LONGEST].strip()
    variant = variant if len(site_navigation.beside(visit.tree, variant)) > 1 else ""
    hits = await find(state, visit, query, variant) if query else []
    if wants_json:
        made = SiteResponse(EncodedBody.of(orjson.dumps({"hits": hits})), media=JSON)
    else:
        from app.site_reader.rendering.page import search_html

        view = replace(site_navigation.site_view(visit, None), variant=variant)
        policy = responses.page_policy(visit.cx.settings, visit.base, is_framed=visit.preview is not None)
        made = SiteResponse(
            EncodedBody.of(search_html(SearchView(view, query, hits))), policy=policy, media=HTML
        )
    made.cache = PRIVATE if visit.is_private else "no-store"
    return made.header("vary", "Accept").header("x-robots-tag", "noindex")


async def find(
    state: ReaderState, visit: Visit, query: str, variant: str = "", most: int = SHOWN
) -> list[SearchHit]:
    """Find the places that match, the best first; those in what is beside a variant after all others."""
    spaces = {space.snapshot.space_id: space async for space in site_navigation.visible_spaces(state, visit)}
    variants = site_navigation.beside(visit.tree, variant)
    later = {node.row.space_id for node in variants if node.row.id != variant}
    turns = [[each for each in spaces if (each in later) == is_later] for is_later in (False, True)]
    terms, organization_id = search_text.terms(query), visit.site.organization_id
    holding = await conditional_sections.holding(visit.cx, organization_id, list(spaces), terms, visit.claims)
    rows: list[Any] = []
    for ids in turns:
        if ids and len(rows) < most:
            some = await site_search.find_pages(visit.cx, organization_id, ids, terms, holding)
            rows += [row for row in some if _is_found(spaces, row)]
    shown = [(row, section) for row in rows[:most] for section in row.sections[:SECTIONS]][: most * 2]
    cut = await excerpts([section for _, section in shown], terms)
    return [_hit(spaces, row, section, cut[section.id]) for row, section in shown]


def _is_found(spaces: dict[str, VisibleSpace], row: Any) -> bool:
    space = spaces.get(row.space_id)
    page = space.tree.get(row.page_id) if space else None
    return page is not None and space is not None and pages.is_listed(space, page) and not page.no_index


def _hit(spaces: dict[str, VisibleSpace], row: Any, section: Any, excerpt: str) -> SearchHit:
    space = spaces[row.space_id]
    page = space.tree.get(row.page_id)
    href = space.tree.href(page) + (f"#{quote(section.anchor)}" if section.anchor else "")
    place = site_navigation.title_of(space.node) if len(spaces) > 1 else ""
    return SearchHit(page.title if page else "", href, section.heading or "", excerpt, place)

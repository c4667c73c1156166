"""Searching a site: as somebody types, as a page for those without a script, and for programs.

What is found is what the visitor may read: pages that are shown to them, and of what a page shows on
conditions only what stands under those that hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

import orjson

from app.domain.content.searching import excerpts
from app.domain.publishing import conditional_sections, site_search
from app.formats import folding
from app.site_reader import answers, pages, site_navigation
from app.site_reader.answers import HTML, JSON, PRIVATE, Answer, Written
from app.site_reader.rendering.view_models import Hit, Searched
from app.site_reader.state import State
from app.site_reader.visit import Desk, Visit

SHOWN = 20
SECTIONS = 3  # of one page
LONGEST = 512


async def answer(state: State, visit: Visit, query: str, *, wants_json: bool, variant: str = "") -> Answer:
    """What a search finds, in the variant that somebody reads before the others."""
    query = query[:LONGEST].strip()
    variant = variant if len(site_navigation.beside(visit.tree, variant)) > 1 else ""
    hits = await found(state, visit, query, variant) if query else []
    if wants_json:
        made = Answer(Written.of(orjson.dumps({"hits": [_shown(hit) for hit in hits]})), media=JSON)
    else:
        from app.site_reader.rendering.special_pages import search_html

        view = replace(site_navigation.view_of(visit, None), variant=variant)
        policy = answers.page_policy(visit.cx.settings, visit.base)
        made = Answer(Written.of(search_html(Searched(view, query, hits))), policy=policy, media=HTML)
    made.cache = PRIVATE if visit.is_private else "no-store"
    return made.header("vary", "Accept").header("x-robots-tag", "noindex")


async def found(state: State, visit: Visit, query: str, variant: str = "", most: int = SHOWN) -> list[Hit]:
    """The places that match, the best first; those in what is beside a variant after all others."""
    desks = await _desks(state, visit)
    later = {
        node.row.space_id for node in site_navigation.beside(visit.tree, variant) if node.row.id != variant
    }
    turns = [[space for space in desks if (space in later) == is_later] for is_later in (False, True)]
    terms, organization_id = folding.terms(query), visit.site.organization_id
    holding = await conditional_sections.holding(visit.cx, organization_id, list(desks), terms, visit.claims)
    rows: list[Any] = []
    for spaces in turns:
        if spaces and len(rows) < most:
            some = await site_search.find_pages(visit.cx, organization_id, spaces, terms, holding)
            rows += [row for row in some if _is_found(desks, row)]
    shown = [(row, section) for row in rows[:most] for section in row.sections[:SECTIONS]][: most * 2]
    cut = await excerpts([section for _, section in shown], terms)
    return [_hit(desks, row, section, cut[section.id]) for row, section in shown]


async def _desks(state: State, visit: Visit) -> dict[str, Desk]:
    made: dict[str, Desk] = {}
    for node in site_navigation.spaces_of(visit.tree):
        if node.row.space_id not in made:
            desk = await state.desks.at(visit, node)
            if desk is not None:
                made[node.row.space_id] = desk
    return made


def _is_found(desks: dict[str, Desk], row: Any) -> bool:
    desk = desks.get(row.space_id)
    page = desk.tree.get(row.page_id) if desk else None
    return page is not None and desk is not None and pages.is_listed(desk, page) and not page.no_index


def _hit(desks: dict[str, Desk], row: Any, section: Any, excerpt: str) -> Hit:
    desk = desks[row.space_id]
    page = desk.tree.get(row.page_id)
    href = desk.tree.href(page) + (f"#{quote(section.anchor)}" if section.anchor else "")
    place = site_navigation.title_of(desk.node) if len(desks) > 1 else ""
    return Hit(page.title if page else "", href, section.heading or "", excerpt, place)


def _shown(hit: Hit) -> dict[str, str]:
    return {
        "title": hit.title,
        "href": hit.href,
        "heading": hit.heading,
        "excerpt": hit.excerpt,
        "place": hit.place,
    }

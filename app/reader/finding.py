"""Searching a site: as somebody types, as a page for those without a script, and for programs.

What is found is what the visitor may read: pages that are shown to them, and of a page that shows parts on
conditions only the parts that they see.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from app.content import folding
from app.content.evaluate import evaluate_markdown
from app.content.scan import scan
from app.domain.visiting import site_finding
from app.reader import answers, pages, places
from app.reader.answers import HTML, JSON, PRIVATE, Answer
from app.reader.caching import Written
from app.reader.reading import Hit, Searched
from app.reader.visiting import Desk, Visit

if TYPE_CHECKING:
    from app.reader.serving import Reader

SHOWN = 20
SECTIONS = 3  # of one page
LONGEST = 512
LARGEST = 200_000  # characters of a body with conditions that is read again for a search


async def answer(reader: Reader, visit: Visit, query: str, *, wants_json: bool, variant: str = "") -> Answer:
    """What a search finds, in the variant that somebody reads before the others."""
    query = query[:LONGEST].strip()
    variant = variant if len(places.beside(visit.tree, variant)) > 1 else ""
    hits = await found(reader, visit, query, variant) if query else []
    if wants_json:
        made = Answer(Written.of(orjson.dumps({"hits": [_shown(hit) for hit in hits]})), media=JSON)
    else:
        from app.reader.refusals import search_html

        view = replace(reader.pages.view(visit, None), variant=variant)
        policy = answers.page_policy(visit.cx.settings, visit.base)
        made = Answer(Written.of(search_html(Searched(view, query, hits))), policy=policy, media=HTML)
    made.cache = PRIVATE if visit.is_private else "no-store"
    return made.header("vary", "Accept").header("x-robots-tag", "noindex")


async def found(reader: Reader, visit: Visit, query: str, variant: str = "", most: int = SHOWN) -> list[Hit]:
    """The places that match, the best first; those in what is beside a variant after all others."""
    desks = await _desks(reader, visit)
    later = {node.row.space_id for node in places.beside(visit.tree, variant) if node.row.id != variant}
    turns = [[space for space in desks if (space in later) == is_later] for is_later in (False, True)]
    rows: list[Any] = []
    for spaces in turns:
        if spaces and len(rows) < most:
            some = await site_finding.pages(visit.cx, visit.site.organization_id, spaces, query)
            rows += [row for row in some if _is_found(desks, row)]
    rows = rows[:most]
    guarded = await site_finding.guarded(visit.cx, list(desks), [row.page_id for row in rows])
    terms = folding.terms(query)
    hits: list[Hit] = []
    for row in rows:
        desk = desks[row.space_id]
        if row.page_id in guarded:
            hits += _guarded(visit, desk, row, guarded[row.page_id], terms)
        else:
            hits += [
                _hit(desks, desk, row, s.heading, s.anchor, s.body, terms) for s in row.sections[:SECTIONS]
            ]
    return hits[: most * 2]


async def _desks(reader: Reader, visit: Visit) -> dict[str, Desk]:
    made: dict[str, Desk] = {}
    for node in places.spaces_of(visit.tree):
        if node.row.space_id not in made:
            desk = await reader.desks.at(visit, node)
            if desk is not None:
                made[node.row.space_id] = desk
    return made


def _is_found(desks: dict[str, Desk], row: Any) -> bool:
    desk = desks.get(row.space_id)
    page = desk.tree.get(row.page_id) if desk else None
    return page is not None and desk is not None and pages.is_listed(desk, page) and not page.no_index


def _guarded(visit: Visit, desk: Desk, row: Any, text: str, terms: list[list[str]]) -> list[Hit]:
    """Of a page with conditions, the sections that still match when it is read for this visitor."""
    page = desk.tree.get(row.page_id)
    if len(text) > LARGEST or page is None:
        return []
    made = []
    for section in scan(evaluate_markdown(text, pages.scope_of(visit, desk, page))).sections:
        heading = section.heading.text if section.heading else ""
        words = f" {folding.indexable(f'{page.title} {heading} {section.text}')}"
        if all(f" {' '.join(term)}" in words for term in terms):
            anchor = section.heading.anchor if section.heading else None
            made.append(_hit({}, desk, row, heading, anchor, section.text, terms))
    return made[:SECTIONS]


def _hit(
    desks: dict[str, Desk],
    desk: Desk,
    row: Any,
    heading: str | None,
    anchor: str | None,
    body: str,
    terms: list[list[str]],
) -> Hit:
    page = desk.tree.get(row.page_id)
    href = desk.tree.href(page) + (f"#{quote(anchor)}" if anchor else "")
    place = places.title_of(desk.node) if len(desks) > 1 else ""
    return Hit(page.title if page else "", href, heading or "", folding.excerpt(body, terms), place)


def _shown(hit: Hit) -> dict[str, str]:
    return {
        "title": hit.title,
        "href": hit.href,
        "heading": hit.heading,
        "excerpt": hit.excerpt,
        "place": hit.place,
    }

"""Searching the pages of a site: of the spaces it shows that the caller sees, or that a visitor would.

For a visitor, conditions of the site's items decide which spaces are searched, and those of pages, with
`hidden`, which pages: what is below a page that is not shown is not found either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import CTE, ColumnElement, Integer, Label, Select, and_, exists, func, or_, select

from app.access.context import Context
from app.access.fetch import permit, reads_as_visitor, seeing_everything, visible
from app.access.rights import READ_PUBLISHED
from app.domain.content.content import PAGE_VERSIONS
from app.domain.publishing import conditional_sections, visitors
from app.domain.publishing.conditional_sections import for_visitors
from app.domain.publishing.published_sites import find_as_visitor, open_to_all, shown_to
from app.domain.search import full_text_engines
from app.domain.search.matching import SearchQueryParts, is_now, matching
from app.domain.search.page_search import PageHit, page_hits, understood
from app.domain.search.vocabulary import Vocabulary
from app.domain.site_addresses.site_rows import (
    SITE_ITEMS,
    SITES,
    SPACES,
    SiteRow,
    beside,
    find,
    page_of,
    reading,
    section_,
    sight,
    source,
)
from app.domain.sites.site_nodes import every, planted, tree_columns
from app.formats.expressions.conditions import holds
from app.formats.text import search_text
from app.formats.text.search_queries import Places
from app.kit import deadlines, workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import EachEngine, Statement, given, query, shown
from app.kit.errors import Invalid
from app.models.queries import PageQuery
from app.models.searches import SiteSearch, Visitor
from app.models.sites import Site
from app.models.spaces import Space

DEFAULTS, CHOSEN, ALL = 0, 1, 2
_MODES = {"default": DEFAULTS, "specific": CHOSEN, "all": ALL}
_named_item, _above = SITE_ITEMS.alias("named_item"), PAGE_VERSIONS.alias("above_page")


class SitePageRow(Protocol):
    """A page that matches, with the space that it is in on the site and the section of that."""

    path: str
    item_id: str
    item_path: str
    is_default: bool
    section_path: str | None
    section_default: bool | None


@dataclass(slots=True, frozen=True)
class SiteHit:
    """A page that matches, and where the site shows it."""

    site: SiteRow
    hit: PageHit


def _listing(engine: str) -> Listing[Any]:
    anybody = given("visitor", Integer()) == 0
    which = given("which", Integer())
    chosen = or_(
        which == ALL, and_(which == DEFAULTS, SITE_ITEMS.c.is_default), among(SITE_ITEMS.c.id, "chosen")
    )
    is_shown = or_(anybody, among(SITE_ITEMS.c.id, "shown"))
    seen = SPACES.c.deleted_at.is_(None), visible(Space), chosen, is_shown
    searched = select(SITE_ITEMS.c.space_id).join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id)
    searched = searched.where(SITE_ITEMS.c.site_id == given("inside"), *seen)
    search = SearchQueryParts(engine, lambda space_id: space_id.in_(searched), or_(anybody, for_visitors()))
    space = select(*shown(Space)).where(SPACES.c.id == SITE_ITEMS.c.space_id).correlate(SITE_ITEMS)

    is_found = or_(anybody, and_(~_is_hidden(searched), ~PAGE_VERSIONS.c.no_index))

    def rows() -> Select[Any]:
        return (
            search.ranked_pages()
            .join(PAGE_VERSIONS, is_now(search.pages))
            .join(SITE_ITEMS, SITE_ITEMS.c.space_id == search.pages.c.space_id)
            .join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id)
            .add_columns(SITE_ITEMS.c.id)
            .where(SITE_ITEMS.c.site_id == given("inside"), *seen)
            .where(is_found)
        )

    def completed(found: CTE) -> Select[Any]:
        return (
            search.completed(found)
            .join(SITE_ITEMS, SITE_ITEMS.c.id == found.c.id)
            .outerjoin(section_, section_.c.id == SITE_ITEMS.c.parent_id)
            .add_columns(
                found.c.id,
                found.c.id.label("item_id"),
                SITE_ITEMS.c.path.label("item_path"),
                SITE_ITEMS.c.is_default,
                section_.c.path.label("section_path"),
                section_.c.is_default.label("section_default"),
                nested(space, "spaces"),
            )
        )

    return Listing(
        "site-search",
        Site,
        rows,
        lambda: [search.pages.c.score, search.pages.c.page_id, SITE_ITEMS.c.id],
        inside=Site,
        source=source,
        beside=lambda: [*beside(), _named(), search.is_partial.label("is_partial")],
        completed=completed,
        searches=True,
    )


def _named() -> Label[Any]:
    """Return those of the spaces that were `chosen` which there are and which the caller sees, as `named`."""
    found = select(_named_item.c.id).join(SPACES, SPACES.c.id == _named_item.c.space_id)
    seen = SPACES.c.deleted_at.is_(None), visible(Space)
    return nested(
        found.where(_named_item.c.site_id == SITES.c.id, among(_named_item.c.id, "chosen"), *seen).correlate(
            SITES
        ),
        "named",
    )


def _is_hidden(searched: Select[Any]) -> ColumnElement[bool]:
    """Return whether the page, or one that it is below, is hidden, or has one of the conditions that do
    not hold. Those that are, are looked up once: they are few."""
    above = (
        select(_above.c.line_id, _above.c.path)
        .where(
            _above.c.line_id.in_(searched),
            _above.c.valid_to.is_(None),
            or_(_above.c.hidden, among(_above.c.condition, "failing")),
        )
        .cte("hidden_pages")
        .prefix_with("MATERIALIZED")
    )
    return exists().where(
        above.c.line_id == PAGE_VERSIONS.c.line_id,
        or_(
            above.c.path == PAGE_VERSIONS.c.path,
            func.substr(PAGE_VERSIONS.c.path, 1, func.length(above.c.path) + 1) == above.c.path + "/",
        ),
    )


def _with_conditions() -> Select[Any]:
    spaces = select(SITE_ITEMS.c.space_id).where(SITE_ITEMS.c.site_id == SITES.c.id)
    found = select(PAGE_VERSIONS.c.condition).where(
        PAGE_VERSIONS.c.line_id.in_(spaces.correlate(SITES)),
        PAGE_VERSIONS.c.valid_to.is_(None),
        PAGE_VERSIONS.c.condition.is_not(None),
    )
    inner = ("visitor_key",)
    return reading(*tree_columns(), nested(found.distinct().correlate(SITES), "conditions"), inner=inner)


_IN_SITE = EachEngine(_listing)
_AS_VISITOR: Statement[Any] = query(Site, _with_conditions)


async def search(
    cx: Context, organization_id: str, site_id: str, query: PageQuery, asked: SiteSearch
) -> Page[SiteHit]:
    """Search the pages of a site, as the caller or as a visitor sees it.

    Without a token what everybody sees of a public site is searched.
    """
    scope = asked.scope
    chosen = [*scope.site_space_ids, *([scope.current_site_space] if scope.current_site_space else [])]

    async def found(places: Places, seen: dict[str, Any], *, as_visitor: bool) -> tuple[Any, Page[Any]]:
        return await page_of(
            cx,
            organization_id,
            site_id,
            _IN_SITE(full_text_engines.name(cx)),
            query.paging,
            can=READ_PUBLISHED,
            which=_MODES[scope.mode],
            chosen=chosen,
            sight={**seen, "visitor": int(as_visitor)},
            **matching(cx, f"o{organization_id}", places),
        )

    async def ask(places: Places) -> tuple[Any, Page[Any]]:
        if organization_id in cx.actor.memberships:
            seen = await _as_visitor(cx, organization_id, site_id, places, asked.visitor)
            seen |= sight(cx, organization_id)
            site, page = await found(places, seen, as_visitor=asked.visitor is not None)
            if not reads_as_visitor(cx, Site, site):
                return (site, [row.id for row in site.named]), page
        seen = await _as_anybody(cx, organization_id, site_id, asked.visitor)
        site, page = await found(places, seen, as_visitor=True)
        return (site, seen["shown"]), page

    terms, within = search_text.terms(asked.query), Vocabulary(organization_id)
    places, ((site, named), page) = await understood(cx, within, terms, ask)
    if missing := set(chosen) - {*named}:
        raise Invalid(f"The site has no such space: {min(missing)}.", path="scope")
    page.extra["isPartial"] = bool(site.is_partial)
    hits = await page_hits([(row.spaces[0], row) for row in page.items], places)
    return page.of([SiteHit(site, hit) for hit in hits])


async def _as_anybody(
    cx: Context, organization_id: str, site_id: str, visitor: Visitor | None
) -> dict[str, Any]:
    """Return what everybody is shown of a public site: nothing that has a condition of any kind."""
    site, _ = await find_as_visitor(cx, organization_id, site_id, _AS_VISITOR)
    if visitor is not None:
        permit(cx, Site, site, can="view")
    shown = [node.row.id for node in every(open_to_all(planted(site)).roots)]
    failing = [row.condition for row in site.conditions]
    return {"shown": shown, "failing": failing, "holding": (), **seeing_everything()}


async def _as_visitor(
    cx: Context, organization_id: str, site_id: str, places: Places, visitor: Visitor | None
) -> dict[str, Any]:
    """Return what a visitor is shown: these spaces, no page with a condition that fails, and of what
    stands under conditions in pages the sections that hold."""
    if visitor is None:
        return {"shown": (), "failing": (), "holding": ()}
    site = await find(cx, organization_id, site_id, using=_AS_VISITOR, **sight(cx, organization_id))
    claims = visitors.of(cx, site, visitor)
    if claims is None:
        raise Invalid("The token does not belong to this site, or has expired.", path="visitor.jwtToken")
    shown = list(every(shown_to(planted(site), claims).roots))
    conditions = [row.condition for row in site.conditions]
    failing = await workers.run(sum(map(len, conditions)), _failing, conditions, claims)
    spaces = [node.row.space_id for node in shown if node.kind == "site-space"]
    holding = await conditional_sections.holding(cx, organization_id, spaces, places, claims)
    return {"shown": [node.row.id for node in shown], "failing": failing, "holding": holding}


def _failing(conditions: list[str], claims: dict[str, Any]) -> list[str]:
    found = []
    for condition in conditions:
        deadlines.check()
        if not holds(condition, claims):
            found.append(condition)
    return found

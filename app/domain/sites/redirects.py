"""Redirects of a site: one by one or many at once, to pages, sections, spaces, paths and addresses elsewhere.

A source is unique in its site. Where paths would lead around without end, nothing is written; addresses
elsewhere are whole ones that no browser reads as something else (threats, 23).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Select, and_, or_, select

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.site_addresses import addresses, publication
from app.domain.site_addresses.site_rows import (
    SITE_ITEMS,
    SITES,
    find,
    listing,
    page_of,
    reading,
    section_,
    sight,
)
from app.domain.sites import redirect_loops, structure
from app.domain.sites.moved_paths import MovedPage, moved_column, moved_to, suffixes
from app.domain.sites.redirect_loops import Route
from app.domain.sites.site_nodes import SiteTree, every, planted, tree_columns
from app.domain.sites.structure import Structure
from app.formats.text import redirect_paths
from app.formats.text.redirect_paths import clean_path
from app.kit.database.columns import Key
from app.kit.database.paging import Page
from app.kit.database.sql import among, contains_one, nested
from app.kit.database.statements import Statement, given, query, rows, table
from app.kit.errors import Conflict, Invalid, NotFound
from app.kit.http.urls import safe_url
from app.kit.ids import new_id
from app.models.redirects import (
    Redirect,
    RedirectCreate,
    RedirectQuery,
    RedirectsPut,
    RedirectsQuery,
    RedirectUpdate,
)
from app.models.sites import Site

REDIRECTS = table(Redirect)
ITEMS = {"site-page": "site-space", "site-space": "site-space", "site-section": "site-section"}
NAMED = {"site-page": "site_space", "site-space": "site_space", "site-section": "site_section"}


@dataclass(slots=True, frozen=True)
class ResolvedRedirect:
    """The redirect that a path meets, and the address it leads to, kept or whole."""

    row: Redirect | MovedPage
    site: Any
    target: str
    share_key: str | None


def candidates() -> Select[Any]:
    """Return the redirects of a site from any of `sources`, each with where its destination is."""
    page = and_(
        PAGE_VERSIONS.c.line_id == SITE_ITEMS.c.space_id,
        PAGE_VERSIONS.c.page_id == REDIRECTS.c.page_id,
        PAGE_VERSIONS.c.valid_to.is_(None),
    )
    return (
        select(
            *REDIRECTS.c,
            SITE_ITEMS.c.id.label("there"),
            SITE_ITEMS.c.path,
            SITE_ITEMS.c.is_default,
            section_.c.path.label("section_path"),
            section_.c.is_default.label("section_default"),
            PAGE_VERSIONS.c.path.label("page_path"),
        )
        .select_from(
            REDIRECTS.outerjoin(SITE_ITEMS, SITE_ITEMS.c.id == REDIRECTS.c.item_id)
            .outerjoin(section_, section_.c.id == SITE_ITEMS.c.parent_id)
            .outerjoin(PAGE_VERSIONS, page)
        )
        .where(REDIRECTS.c.site_id == SITES.c.id, among(REDIRECTS.c.source, "sources"))
        .correlate(SITES)
    )


_LIST = listing(
    "redirects",
    lambda: select(*REDIRECTS.c).where(
        REDIRECTS.c.site_id == SITES.c.id,
        or_(given("text", Key) == "", contains_one(REDIRECTS.c.source, "texts")),
    ),
    lambda: [REDIRECTS.c.id],
)
_RESOLVE: Statement[Any] = query(
    Site, lambda: reading(nested(candidates(), "candidates"), moved_column(), *tree_columns())
)
_PAGES = rows(
    lambda: select(PAGE_VERSIONS.c.line_id, PAGE_VERSIONS.c.page_id).where(
        among(PAGE_VERSIONS.c.line_id, "spaces"),
        among(PAGE_VERSIONS.c.page_id, "pages"),
        PAGE_VERSIONS.c.valid_to.is_(None),
    )
)


async def list_in_site(cx: Context, organization_id: str, site_id: str, query: RedirectsQuery) -> Page[Any]:
    """List the redirects of a site, oldest first."""
    text = query.search or ""
    return (await page_of(cx, organization_id, site_id, _LIST, query.paging, text=text, texts=[text]))[1]


async def create(cx: Context, organization_id: str, site_id: str, new: RedirectCreate) -> Any:
    """Add a redirect to a site."""
    plan = await _planning(cx, organization_id, site_id)
    values = await plan.checked([new], [""])
    if values[0]["source"] in plan.known:
        raise Conflict("There is already a redirect for this path.", path="source")
    await plan.refuse_loops(values)
    return await plan.add(values[0])


async def put(
    cx: Context, organization_id: str, site_id: str, body: RedirectsPut
) -> Sequence[tuple[str, Any]]:
    """Add many redirects, each in the place of the one with the same source: all of them or none."""
    plan = await _planning(cx, organization_id, site_id)
    values = await plan.checked(body.redirects, [f"redirects.{n}." for n in range(len(body.redirects))])
    if len({each["source"] for each in values}) < len(values):
        raise Invalid("The same source is listed twice.", path="redirects")
    await plan.refuse_loops(values)
    done = []
    for each in values:
        was = plan.known.get(each["source"])
        done.append(("updated", await plan.change(was, each)) if was else ("created", await plan.add(each)))
    return done


async def update(
    cx: Context, organization_id: str, site_id: str, site_redirect_id: str, change: RedirectUpdate
) -> Any:
    """Change a redirect."""
    plan = await _planning(cx, organization_id, site_id)
    was = plan.of(site_redirect_id)
    sent = change.sent()
    whole = {
        "source": was.source,
        "destination": was.destination,
        "permanent": was.permanent,
        "capture_wildcard": was.capture_wildcard,
    }
    if not sent:
        return was
    told = RedirectCreate.model_validate({**whole, **change.model_dump(include=change.model_fields_set)})
    (values,) = await plan.checked([told], [""])
    other = plan.known.get(values["source"])
    if other is not None and other.id != was.id:
        raise Conflict("There is already a redirect for this path.", path="source")
    await plan.refuse_loops([values], was)
    return await plan.change(was, values)


async def delete(cx: Context, organization_id: str, site_id: str, site_redirect_id: str) -> None:
    """Delete a redirect."""
    plan = await _planning(cx, organization_id, site_id)
    was = plan.of(site_redirect_id)
    before = redirect_loops.routes(plan.known)
    after = {source: route for source, route in before.items() if source != was.source}
    await redirect_loops.refuse_removed(plan.whole, before, after)
    await cx.tx.remove(Redirect, id=was.id)


async def resolve(cx: Context, organization_id: str, site_id: str, query: RedirectQuery) -> ResolvedRedirect:
    """Resolve a path of a site through its redirects and moved pages.

    Raises NotFound where it leads nowhere.
    """
    source = clean_path(query.source, path="source")
    parts = [part for part in source.split("/") if part]
    values = {"sources": redirect_paths.above(source), "paths": suffixes(parts), **sight(cx, organization_id)}
    site = await find(cx, organization_id, site_id, using=_RESOLVE, **values)
    found = leads(planted(site), parts)
    if found is None:
        raise NotFound("No redirect of the site has this path.")
    return ResolvedRedirect(
        found[0], site, found[1], await publication.share_key_of_site(cx, site, query.share_key)
    )


def leads(tree: SiteTree, parts: Sequence[str]) -> tuple[Redirect | MovedPage, str] | None:
    """Return the redirect that a path of a site with `candidates` and `moved` meets, and the address it
    leads to.

    Nothing leads to a part of the site that is not in the tree.
    """
    shown = {node.row.id for node in every(tree.roots)}
    return target_of(tree.site, "/" + "/".join(parts), shown) or moved_to(tree, parts)


def target_of(site: Any, source: str, shown: Set[str] | None = None) -> tuple[Redirect, str] | None:
    """Return the redirect of a site with `candidates` that a path meets, nearest first, and where it leads.

    With `shown`, to none but these parts of the site.
    """
    found = {row.source: row for row in site.candidates}
    for place in redirect_paths.above(source):
        row = found.get(place)
        if row is None or (shown is not None and row.item_id is not None and row.item_id not in shown):
            continue
        if place == source or row.capture_wildcard:
            target = _target(site, row, source[len(place.rstrip("/")) :] if row.capture_wildcard else "")
            if target is not None and target != f"{addresses.of_site(site)}{quote(source)}":
                return row, target
    return None


class RedirectCandidate(addresses.SpaceAddressRow, Protocol):
    """A redirect with the item of the site, and the page, that it leads to."""

    destination: dict[str, Any]
    there: str | None
    page_path: str | None


def _target(site: addresses.SiteAddressRow, row: RedirectCandidate, rest: str) -> str | None:
    """Return the address that a redirect leads to; None where its destination is gone."""
    kind, below = row.destination["kind"], quote(rest)
    if kind == "external":
        url: str = row.destination["url"]
        return url.rstrip("/") + below if below else url
    if kind == "path":
        path = row.destination["path"]
        return f"{addresses.of_site(site)}{quote(path) if path != '/' else ''}{below}"
    if row.there is None:
        return None
    if kind == "site-section":
        return addresses.of_section(site, row.path, is_default=row.is_default) + below
    space = addresses.of_space(site, row)
    if kind == "site-space":
        return space + below
    return f"{space}/{quote(row.page_path)}" if row.page_path else None


async def _planning(cx: Context, organization_id: str, site_id: str) -> _RedirectPlan:
    whole = await structure.of(cx, organization_id, site_id, can="edit")
    return _RedirectPlan(cx, whole, await redirect_loops.of_site(whole))


@dataclass(slots=True)
class _RedirectPlan:
    """Redirects that are to be written, with those that are there by source."""

    cx: Context
    whole: Structure
    known: dict[str, Any]

    def of(self, id: str) -> Any:
        """Return a redirect of this site."""
        found = next((row for row in self.known.values() if row.id == id), None)
        if found is None:
            raise NotFound("There is no such redirect.")
        return found

    async def checked(self, new: Sequence[RedirectCreate], places: Sequence[str]) -> list[dict[str, Any]]:
        """Return the columns of these redirects; raises Invalid naming what is wrong."""
        found = [self._columns(each, place) for each, place in zip(new, places, strict=True)]
        await self._refuse_unknown_pages(found, places)
        return found

    def _columns(self, new: RedirectCreate, place: str) -> dict[str, Any]:
        told = new.destination
        destination, item_id = told.model_dump(by_alias=True), None
        if told.kind == "path":
            destination["path"] = clean_path(told.path, path=f"{place}destination.path")
        elif told.kind == "external":
            safe_url(told.url, path=f"{place}destination.url")
            if new.capture_wildcard and {"?", "#"} & set(told.url):
                raise Invalid(
                    "A wildcard needs an address without `?` and `#`.", path=f"{place}destination.url"
                )
        else:
            named = NAMED[told.kind]
            wire = "siteSpace" if named == "site_space" else "siteSection"
            item = self.whole.named(ITEMS[told.kind], getattr(told, named), f"{place}destination.{wire}")
            item_id = item.id
        return {
            "source": clean_path(new.source, path=f"{place}source"),
            "destination": destination,
            "item_id": item_id,
            "page_id": destination.get("page"),
            "permanent": new.permanent,
            "capture_wildcard": new.capture_wildcard,
        }

    async def _refuse_unknown_pages(self, found: list[dict[str, Any]], places: Sequence[str]) -> None:
        wanted = [(n, each) for n, each in enumerate(found) if each["page_id"]]
        if not wanted:
            return
        space_of = {item.id: item.space_id for item in self.whole.all("site-space")}
        spaces = sorted({str(space_of[each["item_id"]]) for _, each in wanted})
        pages = sorted({each["page_id"] for _, each in wanted})
        there = {
            (row.line_id, row.page_id) for row in await self.cx.db.all(_PAGES, spaces=spaces, pages=pages)
        }
        for n, each in wanted:
            if (space_of[each["item_id"]], each["page_id"]) not in there:
                raise Invalid("The space has no such page.", path=f"{places[n]}destination.page")

    async def refuse_loops(self, values: Sequence[dict[str, Any]], was: Redirect | None = None) -> None:
        """Raise Invalid where redirects would loop with these, of which one may take the place of `was`."""
        before = redirect_loops.routes(self.known)
        after = {source: route for source, route in before.items() if was is None or source != was.source}
        for each in values:
            after[each["source"]] = Route(each["destination"], each["capture_wildcard"])
        await redirect_loops.refuse_written(self.whole, before, after)

    async def add(self, values: dict[str, Any]) -> Any:
        """Write a new redirect."""
        times = {"created_at": self.cx.now, "updated_at": self.cx.now}
        return await self.cx.tx.add(Redirect, id=new_id(), site_id=self.whole.site.id, **values, **times)

    async def change(self, was: Any, values: dict[str, Any]) -> Any:
        """Write a redirect over another one."""
        return await self.cx.tx.change(Redirect, {**values, "updated_at": self.cx.now}, id=was.id)

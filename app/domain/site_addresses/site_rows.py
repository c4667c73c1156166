"""The statements that sites are read by: a site, and what it shows, with the spaces that the caller sees."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import ColumnElement, FromClause, Label, Select, func, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_page, seeing, seeing_inside, visible
from app.kit.database.paging import Listing, Page, Paging
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, shown, table
from app.kit.errors import NotFound
from app.models.organizations import Organization
from app.models.site_items import SiteItem
from app.models.sites import Site
from app.models.spaces import Space

SITES, SITE_ITEMS, SPACES, ORGANIZATIONS = table(Site), table(SiteItem), table(Space), table(Organization)
section_ = SITE_ITEMS.alias("section")
INNER = (
    "title_folded", "adaptive_schema", "adaptive_schema_at", "visitor_key", "visitor_backend",
    "fallback_url", "logout_url", "updated_at", "suspended",
)  # fmt: skip


class SiteRow(Protocol):
    """A site with its organization's hostname and the number of its spaces (see `whole_site`)."""

    id: str
    organization_id: str
    organization_hostname: str | None
    type: str
    visibility: str
    published: bool
    adaptive_content: bool
    basename: str | None
    proxy: str | None
    live_hostname: str | None
    live_proxy: str | None
    site_spaces: int


def source() -> FromClause:
    """Return what a site is read from."""
    return SITES.join(ORGANIZATIONS, ORGANIZATIONS.c.id == SITES.c.organization_id)


def beside() -> list[Label[Any]]:
    """Return what is always read with a site's own columns."""
    return [ORGANIZATIONS.c.hostname.label("organization_hostname")]


def number_of_spaces() -> Label[int]:
    """Return how many spaces that the caller sees a site shows; needs the values of `seeing_inside`."""
    seen = SPACES.c.deleted_at.is_(None), visible(Space, inside=Site)
    found = select(func.count()).select_from(SITE_ITEMS.join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id))
    return (
        found.where(SITE_ITEMS.c.site_id == SITES.c.id, *seen)
        .correlate(SITES)
        .scalar_subquery()
        .label("site_spaces")
    )


def whole_site(*more: Label[Any]) -> Select[Any]:
    """Return sites with all that they are shown with; needs the values of `seeing_inside`."""
    return select(*site_columns(), number_of_spaces(), *more).select_from(source())


def site_columns(*, inner: tuple[str, ...] = ()) -> list[ColumnElement[Any]]:
    """Return the columns of a site as it is shown, and of those that nobody sees the `inner` ones."""
    return [*shown(Site, besides=[name for name in INNER if name not in inner]), *beside()]


def reading(*more: Label[Any], inner: tuple[str, ...] = ()) -> Select[Any]:
    """Return a site by its id and its organization's."""
    found = select(*site_columns(inner=inner), *more).select_from(source())
    return found.where(SITES.c.id == given("id"), SITES.c.organization_id == given("organization"))


SITE: Statement[Any] = query(Site, lambda: reading(number_of_spaces()))


async def find(
    cx: Context,
    organization_id: str,
    site_id: str,
    *,
    can: str = "view",
    using: Statement[Any] = SITE,
    **values: Any,
) -> Any:
    """Return a site of an organization, if the caller may do this to it; raises like `fetch`."""
    asked = {"organization": organization_id, **seeing_inside(cx), **values}
    return await fetch(cx, Site, site_id, can=can, using=using, **asked)


def listing(name: str, rows: Any, order: Any, *, descending: bool = False) -> Listing[Any]:
    """Return a list inside a site, for `page_of`."""
    return Listing(
        name, SiteItem, rows, order, inside=Site, source=source, beside=beside, descending=descending
    )


async def page_of(
    cx: Context,
    organization_id: str,
    site_id: str,
    found: Listing[Any],
    paging: Paging,
    *,
    can: str = "view",
    sight: dict[str, Any] | None = None,
    **filters: Any,
) -> tuple[Any, Page[Any]]:
    """Return a site and one page of a list inside it; raises like `find`."""
    site, page = await fetch_page(cx, Site, site_id, found, paging, can=can, sight=sight, **filters)
    if site.organization_id != organization_id:
        raise NotFound("There is no such site.")
    return site, page


def seen_spaces(*conditions: ColumnElement[bool], inside: bool = False) -> Select[Any]:
    """Select the spaces of a site that the caller sees, each with its space and its section."""
    seen = visible(Space, inside=Site) if inside else visible(Space)
    space = select(*shown(Space, besides=("rank", "revision_number"))).where(
        SPACES.c.id == SITE_ITEMS.c.space_id
    )
    return (
        select(
            *SITE_ITEMS.c,
            section_.c.path.label("section_path"),
            section_.c.is_default.label("section_default"),
            SPACES.c.title.label("space_title"),
            nested(space.correlate(SITE_ITEMS), "spaces"),
        )
        .select_from(
            SITE_ITEMS.join(SPACES, SPACES.c.id == SITE_ITEMS.c.space_id).outerjoin(
                section_, section_.c.id == SITE_ITEMS.c.parent_id
            )
        )
        .where(SITE_ITEMS.c.kind == "site-space", SPACES.c.deleted_at.is_(None), seen, *conditions)
    )


def sight(cx: Context, organization_id: str) -> dict[str, Any]:
    """Return the values that `seen_spaces` needs."""
    return seeing(cx, organization_id)

"""Links and backlinks of a space's current content, with whole objects at both ends (decisions, Location)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Label, Select, func, select

from app.access.context import Context
from app.access.fetch import fetch_page
from app.domain.content import current, f_, p_, page_columns, s_
from app.kit.errors import NotFound
from app.kit.nesting import nested
from app.kit.paging import Listing, Page
from app.kit.statements import given, table
from app.models.links import Link, LinkQuery
from app.models.organizations import Organization
from app.models.pages import PageVersion
from app.models.queries import PageQuery
from app.models.spaces import Space

_l, _o = table(Link), table(Organization)
Condition = Callable[[], Any]


@dataclass(slots=True, frozen=True)
class Linked:
    """A link with the page it stands on, the page or file it leads to, and the space and organization."""

    space: Space
    organization: Organization
    link: Any
    location: PageVersion
    page: PageVersion | None
    file: Any


def _rows(*conditions: Any) -> Select[Any]:
    location = select(*page_columns()).where(current(p_), p_.c.page_id == _l.c.page_id)
    page = select(*page_columns()).where(current(p_), p_.c.page_id == _l.c.target_page)
    file = select(*f_.c).where(current(f_), f_.c.file_id == _l.c.target_file)
    return select(
        *(c for c in _l.c if c.name not in ("line_id", "valid_from", "valid_to")),
        nested(location.correlate(s_, _l), "location"),
        nested(page.correlate(s_, _l), "page"),
        nested(file.correlate(s_, _l), "file"),
    ).where(current(_l), *conditions)


def _counted(name: str, *conditions: Any) -> Label[int]:
    found = select(func.count()).select_from(_l).where(current(_l), *conditions)
    return found.scalar_subquery().label(name)


def _listing(
    name: str, *conditions: Condition, stats: Sequence[Condition] = (), of: Condition | None = None
) -> Listing[Any]:
    def beside() -> list[Label[Any]]:
        counted = [condition() for condition in stats]
        known = [] if of is None else [of()]
        return [
            *known,
            nested(select(*_o.c).where(_o.c.id == s_.c.organization_id), "organization"),
            _counted("total", *counted),
            _counted("broken", _l.c.status == "broken", *counted),
        ]

    return Listing(
        name,
        Link,
        lambda: _rows(*(condition() for condition in conditions)),
        lambda: [_l.c.page_id, _l.c.position],
        inside=Space,
        beside=beside,
    )


def _of_page() -> Any:
    return _l.c.page_id == given("target")


def _known_page() -> Any:
    """Whether there is the page whose links are asked for."""
    found = select(func.count()).select_from(p_).where(current(p_), p_.c.page_id == given("target"))
    return found.scalar_subquery().label("known")


def _known_file() -> Any:
    """Whether there is the file whose links are asked for."""
    found = select(func.count()).select_from(f_).where(current(f_), f_.c.file_id == given("target"))
    return found.scalar_subquery().label("known")


def _with_status() -> Any:
    return _l.c.status == given("status")


_SPACE_LINKS = {
    False: _listing("space-links"),
    True: _listing("space-links-by-status", _with_status),
}
_PAGE_LINKS = {
    False: _listing("page-links", _of_page, stats=[_of_page], of=_known_page),
    True: _listing("page-links-by-status", _of_page, _with_status, stats=[_of_page], of=_known_page),
}
_PAGE_BACKLINKS = _listing("page-backlinks", lambda: _l.c.target_page == given("target"), of=_known_page)
_FILE_BACKLINKS = _listing("file-backlinks", lambda: _l.c.target_file == given("target"), of=_known_file)


async def list_in_space(cx: Context, space_id: str, query: LinkQuery) -> Page[Linked]:
    """List the links of a space."""
    return await _links(cx, space_id, _SPACE_LINKS, query)


async def list_of_page(cx: Context, space_id: str, page_id: str, query: LinkQuery) -> Page[Linked]:
    """List the links of a page."""
    return await _links(cx, space_id, _PAGE_LINKS, query, target=page_id)


async def list_to_page(cx: Context, space_id: str, page_id: str, query: PageQuery) -> Page[Linked]:
    """List the links that lead to a page."""
    return (await _page(cx, space_id, _PAGE_BACKLINKS, query, target=page_id))[1]


async def list_to_file(cx: Context, space_id: str, file_id: str, query: PageQuery) -> Page[Linked]:
    """List the links that lead to a file."""
    return (await _page(cx, space_id, _FILE_BACKLINKS, query, target=file_id))[1]


async def _links(
    cx: Context, space_id: str, listings: dict[bool, Listing[Any]], query: LinkQuery, **values: Any
) -> Page[Linked]:
    if query.status:
        values["status"] = query.status
    space, page = await _page(cx, space_id, listings[query.status is not None], query, **values)
    page.extra = {"stats": {"total": space.total, "broken": {"total": space.broken}}}
    return page


async def _page(
    cx: Context, space_id: str, listing: Listing[Any], query: PageQuery, **values: Any
) -> tuple[Any, Page[Linked]]:
    space: Any
    space, page = await fetch_page(cx, Space, space_id, listing, query.paging, **values)
    if not getattr(space, "known", True):
        raise NotFound(
            "There is no such page." if listing is not _FILE_BACKLINKS else "There is no such file."
        )
    organization = space.organization[0]
    return space, page.map(lambda row: _linked(space, organization, row))


def _linked(space: Space, organization: Organization, row: Any) -> Linked:
    page = row.page[0] if row.page else None
    file = row.file[0] if row.file else None
    return Linked(space, organization, row, row.location[0], page, file)

"""Links and backlinks of a place's content, with whole objects at both ends (decisions, Location)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Label, Select, func, select

from app.access.context import Context
from app.domain.content.content import f_, file_columns, listing, p_, page_columns, page_of
from app.domain.content.views import NOW, View, Where, at, r_, s_, v_
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
Listings = dict[View, Listing[Any]]


@dataclass(slots=True, frozen=True)
class Linked:
    """A link with the page it stands on, the page or file it leads to, and the space and organization."""

    space: Space
    at: Any
    organization: Organization
    link: Any
    location: PageVersion
    page: PageVersion | None
    file: Any


def _rows(view: View, *conditions: Any) -> Select[Any]:
    location = select(*page_columns()).where(view.valid(p_), p_.c.page_id == _l.c.holder_id)
    page = select(*page_columns()).where(view.valid(p_), p_.c.page_id == _l.c.target_id)
    file = select(*file_columns()).where(view.valid(f_), f_.c.file_id == _l.c.target_id)
    return select(
        *(c for c in _l.c if c.name not in ("line_id", "valid_from", "valid_to")),
        *(
            nested(found.correlate(s_, r_, v_, _l), name)
            for name, found in (("location", location), ("page", page), ("file", file))
        ),
    ).where(view.valid(_l), *conditions)


def _counted(view: View, name: str, *conditions: Any) -> Label[int]:
    found = select(func.count()).select_from(_l).where(view.valid(_l), *conditions)
    return found.scalar_subquery().label(name)


def _listing(
    name: str,
    *conditions: Condition,
    stats: Sequence[Condition] = (),
    of: Callable[[View], Any] | None = None,
) -> dict[View, Listing[Any]]:
    def beside(view: View) -> list[Label[Any]]:
        counted = [condition() for condition in stats]
        broken = [_l.c.status == "broken", *counted]
        known = [] if of is None else [of(view)]
        own = [] if view is NOW else [_counted(view, "broken_here", _l.c.line_id != s_.c.id, *broken)]
        return [
            *known,
            nested(select(*_o.c).where(_o.c.id == s_.c.organization_id), "organization"),
            _counted(view, "total", *counted),
            _counted(view, "broken", *broken),
            *own,
        ]

    def rows(view: View) -> Select[Any]:
        return _rows(view, *(condition() for condition in conditions))

    return listing(name, Link, rows, lambda: [_l.c.holder_id, _l.c.position], beside)


def _of_page() -> Any:
    return _l.c.holder_id == given("target")


def _known_page(view: View) -> Any:
    """Whether there is the page whose links are asked for."""
    found = select(func.count()).select_from(p_).where(view.valid(p_), p_.c.page_id == given("target"))
    return found.scalar_subquery().label("known")


def _known_file(view: View) -> Any:
    """Whether there is the file whose links are asked for."""
    found = select(func.count()).select_from(f_).where(view.valid(f_), f_.c.file_id == given("target"))
    return found.scalar_subquery().label("known")


def _with_status() -> Any:
    return _l.c.status == given("status")


_SPACE_LINKS = {
    False: _listing("links"),
    True: _listing("links by status", _with_status),
}
_PAGE_LINKS = {
    False: _listing("page links", _of_page, stats=[_of_page], of=_known_page),
    True: _listing("page links by status", _of_page, _with_status, stats=[_of_page], of=_known_page),
}
_PAGE_BACKLINKS = _listing("page backlinks", lambda: _l.c.target_id == given("target"), of=_known_page)
_FILE_BACKLINKS = _listing("file backlinks", lambda: _l.c.target_id == given("target"), of=_known_file)


async def list_in_space(cx: Context, where: Where, query: LinkQuery) -> Page[Linked]:
    """List the links of a space."""
    return await _links(cx, where, _SPACE_LINKS, query)


async def list_of_page(cx: Context, where: Where, page_id: str, query: LinkQuery) -> Page[Linked]:
    """List the links of a page."""
    return await _links(cx, where, _PAGE_LINKS, query, target=page_id)


async def list_to_page(cx: Context, where: Where, page_id: str, query: PageQuery) -> Page[Linked]:
    """List the links that lead to a page."""
    return (await _page(cx, where, _PAGE_BACKLINKS, query, target=page_id))[1]


async def list_to_file(cx: Context, where: Where, file_id: str, query: PageQuery) -> Page[Linked]:
    """List the links that lead to a file."""
    return (await _page(cx, where, _FILE_BACKLINKS, query, target=file_id))[1]


async def _links(
    cx: Context, where: Where, listings: dict[bool, Listings], query: LinkQuery, **values: Any
) -> Page[Linked]:
    if query.status:
        values["status"] = query.status
    space, page = await _page(cx, where, listings[query.status is not None], query, **values)
    broken = {"total": space.broken}
    if where.change_request is not None:
        broken["changeRequest"] = space.broken_here
    page.extra = {"stats": {"total": space.total, "broken": broken}}
    return page


async def _page(
    cx: Context, where: Where, listings: Listings, query: PageQuery, **values: Any
) -> tuple[Any, Page[Linked]]:
    space, page = await page_of(cx, where, listings, query.paging, **values)
    if not getattr(space, "known", True):
        what = "page" if listings is not _FILE_BACKLINKS else "file"
        raise NotFound(f"There is no such {what}.")
    return space, page.map(lambda row: _linked(space, row))


def _linked(space: Any, row: Any) -> Linked:
    page = row.page[0] if row.page else None
    file = row.file[0] if row.file else None
    return Linked(space, at(space), space.organization[0], row, row.location[0], page, file)

"""Reads the content of a space, a change request or a revision in one statement with the space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, select

from app.access.context import Context
from app.access.fetch import fetch_page
from app.domain.content import published
from app.domain.content.views import NOW, VIEWS, View, Where, at, check_place, find, reading
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.kit.errors import NotFound
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.queries import ContentPageQuery, ContentQuery
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space

PAGE_VERSIONS, FILE_VERSIONS = table(PageVersion), table(FileVersion)
LINE_PROPERTIES, REUSABLE_VERSIONS = table(LineProperties), table(ReusableVersion)
_of_revision = table(Revision).alias("shown")
PAGE = 400  # characters that showing a page or a file takes
_INTERNAL = {"line_id", "valid_from", "valid_to", "front_matter", "deleted"}


@dataclass(slots=True, frozen=True)
class Content:
    """Content that was read of a place, as far as it was asked for. `at`: the change request or revision."""

    space: Space
    at: Any = None
    pages: Sequence[PageVersion] = ()
    files: Sequence[FileVersion] = ()
    reusable: Sequence[ReusableVersion] = ()
    variables: dict[str, Any] | None = None
    revision: Revision | None = None
    metadata: bool = True

    @property
    def shown_size(self) -> int:
        """About how many characters showing it writes."""
        return (len(self.pages) + len(self.files)) * PAGE


def page_columns(t: Any = PAGE_VERSIONS) -> Iterable[Any]:
    """Return the columns that showing a page needs."""
    return [c for c in t.c if c.name not in _INTERNAL]


def file_columns(t: Any = FILE_VERSIONS) -> Iterable[Any]:
    """Return the columns that showing a file needs."""
    return [c for c in t.c if c.name not in _INTERNAL]


def page_rows(view: View) -> Select[Any]:
    """Return the pages there."""
    return select(*page_columns()).where(view.valid(PAGE_VERSIONS))


def file_rows(view: View, *, keyed: bool = False) -> Select[Any]:
    """Return the files there."""
    return select(*file_columns()).where(view.valid(FILE_VERSIONS, keyed=keyed))


def reusable_rows(view: View) -> Select[Any]:
    """Return the reusable contents there."""
    return select(*(c for c in REUSABLE_VERSIONS.c if c.name not in _INTERNAL)).where(
        view.valid(REUSABLE_VERSIONS)
    )


def variables(view: View) -> Any:
    """Return the variables there, as a column."""
    return (
        select(LINE_PROPERTIES.c.variables)
        .where(view.valid(LINE_PROPERTIES))
        .scalar_subquery()
        .label("variables")
    )


_PAGES = reading(lambda view: [nested(page_rows(view), "pages")])
_ALL = reading(
    lambda view: [
        nested(page_rows(view), "pages"),
        nested(file_rows(view).order_by(FILE_VERSIONS.c.file_id), "files"),
        nested(reusable_rows(view).order_by(REUSABLE_VERSIONS.c.source), "reusable"),
        nested(select(*_of_revision.c).where(_of_revision.c.id == view.revision()), "revision"),
        variables(view),
    ]
)
_FILE = reading(
    lambda view: [
        nested(file_rows(view, keyed=True).where(FILE_VERSIONS.c.file_id == given("file")), "files")
    ]
)
_REUSABLE = reading(
    lambda view: [
        nested(reusable_rows(view).where(REUSABLE_VERSIONS.c.reusable_id == given("reusable_id")), "reusable")
    ]
)


_REUSABLES = reading(
    lambda view: [nested(reusable_rows(view).order_by(REUSABLE_VERSIONS.c.source), "reusable")]
)
_VARIABLES = reading(lambda view: [variables(view)])


def listing(
    name: str,
    shape: type[Any],
    rows: Callable[[View], Select[Any]],
    order: Callable[[], Sequence[Any]],
    beside: Callable[[View], Sequence[Any]] = lambda _view: [],
    counted: Callable[[View], ColumnElement[int]] | None = None,
    completed: Callable[[CTE], Select[Any]] | None = None,
    around: Callable[[View, Select[Any]], Sequence[Any]] | None = None,
    views: Iterable[View] = VIEWS,
) -> dict[View, Listing[Any]]:
    """Return a list inside a place, for each view;
    its row carries `at` and the columns of `beside` and `around`.
    """

    def one(view: View) -> Listing[Any]:
        return Listing(
            f"{name} of a {view.noun}",
            shape,
            lambda: rows(view),
            order,
            inside=Space,
            source=view.source,
            beside=lambda: [*view.beside(), *beside(view)],
            counted=partial(counted, view) if counted else None,
            completed=completed,
            around=partial(around, view) if around else None,
        )

    return {view: one(view) for view in views}


async def page_of(
    cx: Context,
    where: Where,
    listings: dict[View, Listing[Any]],
    paging: Any,
    *,
    can: str = "view",
    **values: Any,
) -> tuple[Any, Page[Any]]:
    """Return the space and one page of a list inside a place; raises as `find`."""
    listing = listings[where.view]
    space: Any
    space, page = await fetch_page(cx, Space, where.space, listing, paging, can=can, **where.values, **values)
    check_place(where, space)
    return space, page


_FILES = listing("files", FileVersion, file_rows, lambda: [FILE_VERSIONS.c.file_id])
_PUBLISHED_FILES = listing(
    "files",
    FileVersion,
    lambda view: file_rows(view).where(published.is_led_to(FILE_VERSIONS.c.file_id, settled=True)),
    lambda: [FILE_VERSIONS.c.file_id],
    views=[NOW],
)


async def get_revision(cx: Context, where: Where, query: ContentQuery) -> Content:
    """Get the current revision of a space: its page tree, files, reusable contents and variables."""
    row = await find(cx, where, _ALL)
    pages = _shown(row.pages, query)
    variables, revision = row.variables or {}, row.revision[0]
    return Content(row, at(row), pages, row.files, row.reusable, variables, revision, metadata=query.metadata)


async def list_pages(cx: Context, where: Where, query: ContentQuery) -> Content:
    """List the pages of a space as a tree."""
    row = await find(cx, where, _PAGES, can=published.right(where))
    if published.is_visitor(cx, row):
        return Content(row, pages=_shown(published.open_pages(row.pages), query), metadata=False)
    return Content(row, at(row), _shown(row.pages, query), metadata=query.metadata)


async def list_files(cx: Context, where: Where, query: ContentPageQuery) -> Page[Content]:
    """List the files of a space."""
    is_visitor = cx.actor.is_nobody
    found = await _files(cx, where, query, is_visitor=is_visitor)
    if not is_visitor and (is_visitor := published.is_visitor(cx, found[0])):
        found = await _files(cx, where, query, is_visitor=True)
    space, page = found
    metadata = query.metadata and not is_visitor
    return page.map(lambda file: Content(space, at(space), files=[file], metadata=metadata))


async def _files(
    cx: Context, where: Where, query: ContentPageQuery, *, is_visitor: bool
) -> tuple[Any, Page[Any]]:
    listing = _PUBLISHED_FILES if is_visitor and where.view is NOW else _FILES
    return await page_of(cx, where, listing, query.paging, can=published.right(where))


async def get_file(cx: Context, where: Where, file_id: str, query: ContentQuery) -> Content:
    """Get a file of a space."""
    row = await find(cx, where, _FILE, can=published.right(where), file=file_id)
    is_visitor = published.is_visitor(cx, row)
    if not row.files or (is_visitor and not await published.led_to(cx, row, [file_id])):
        raise NotFound("There is no such file.")
    if is_visitor:
        return Content(row, files=row.files, metadata=False)
    return Content(row, at(row), files=row.files, metadata=query.metadata)


async def get_reusable_content(
    cx: Context, where: Where, reusable_content_id: str, query: ContentQuery
) -> Content:
    """Get a reusable content of a space."""
    row = await find(cx, where, _REUSABLE, can=published.right(where), reusable_id=reusable_content_id)
    is_visitor = published.is_visitor(cx, row)
    wanted = [reusable_content_id]
    if not row.reusable or (is_visitor and not await published.led_to(cx, row, wanted)):
        raise NotFound("There is no such reusable content.")
    if is_visitor:
        return Content(row, reusable=row.reusable, metadata=False)
    return Content(row, at(row), reusable=row.reusable, metadata=query.metadata)


async def list_reusable_contents(cx: Context, where: Where) -> Content:
    """List the reusable contents of a space."""
    row = await find(cx, where, _REUSABLES)
    return Content(row, at(row), reusable=row.reusable)


async def get_variables(cx: Context, where: Where) -> Content:
    """Get the variables of a space, which expressions on its pages use."""
    row = await find(cx, where, _VARIABLES)
    return Content(row, at(row), variables=row.variables or {})


def _shown(pages: list[PageVersion], query: ContentQuery) -> list[PageVersion]:
    return pages if query.computed else [page for page in pages if page.computed is None]

"""The current content of a space, read in one statement with the space that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, select

from app.access.context import Context
from app.access.fetch import fetch, fetch_page
from app.kit.errors import NotFound
from app.kit.nesting import nested
from app.kit.paging import Listing, Page
from app.kit.statements import given, query, table
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.queries import ContentPageQuery, ContentQuery
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space

s_, p_, f_ = table(Space), table(PageVersion), table(FileVersion)
_v, _r, _u = table(LineProperties), table(Revision), table(ReusableVersion)
_HELD_BACK = {"line_id", "valid_from", "valid_to", "front_matter"}


@dataclass(slots=True, frozen=True)
class Content:
    """What a revision of a space holds, as far as it was asked for."""

    space: Space
    pages: Sequence[PageVersion] = ()
    files: Sequence[FileVersion] = ()
    reusable: Sequence[ReusableVersion] = ()
    variables: dict[str, Any] | None = None
    revision: Revision | None = None
    metadata: bool = True


def current(t: Any) -> ColumnElement[bool]:
    """Rows of the space's main line that are valid now."""
    return and_(t.c.line_id == s_.c.id, t.c.valid_to.is_(None))


def page_columns(t: Any = p_) -> Iterable[Any]:
    """The columns that showing a page needs."""
    return [c for c in t.c if c.name not in _HELD_BACK]


def page_rows() -> Select[Any]:
    """The current pages of a space."""
    return select(*page_columns()).where(current(p_))


def file_rows() -> Select[Any]:
    """The current files of a space."""
    return select(*f_.c).where(current(f_))


def variables() -> Any:
    """The variables of the space, as a column."""
    return select(_v.c.variables).where(current(_v)).scalar_subquery().label("variables")


def _within(*columns: Any) -> Select[Any]:
    return select(*s_.c, *columns).where(s_.c.id == given("id"))


_PAGES = query(Space, lambda: _within(nested(page_rows(), "pages")))
_ALL = query(
    Space,
    lambda: _within(
        nested(page_rows(), "pages"),
        nested(file_rows().order_by(f_.c.file_id), "files"),
        nested(select(*_u.c).where(current(_u)).order_by(_u.c.source), "reusable"),
        nested(select(*_r.c).where(_r.c.id == s_.c.revision_id), "revision"),
        variables(),
    ),
)
_FILE = query(Space, lambda: _within(nested(file_rows().where(f_.c.file_id == given("file")), "files")))
_FILES = Listing("files", FileVersion, file_rows, lambda: [f_.c.file_id], inside=Space)


async def get_revision(cx: Context, space_id: str, query: ContentQuery) -> Content:
    """Get the current revision of a space: its page tree, files, reusable contents and variables."""
    row: Any = await fetch(cx, Space, space_id, using=_ALL)
    pages = _shown(row.pages, query)
    return Content(
        row, pages, row.files, row.reusable, row.variables or {}, row.revision[0], metadata=query.metadata
    )


async def list_pages(cx: Context, space_id: str, query: ContentQuery) -> Content:
    """List the pages of a space as a tree."""
    row: Any = await fetch(cx, Space, space_id, using=_PAGES)
    return Content(row, _shown(row.pages, query), metadata=query.metadata)


async def list_files(cx: Context, space_id: str, query: ContentPageQuery) -> Page[Content]:
    """List the files of a space."""
    space, page = await fetch_page(cx, Space, space_id, _FILES, query.paging)
    return page.map(lambda file: Content(space, files=[file], metadata=query.metadata))


async def get_file(cx: Context, space_id: str, file_id: str, query: ContentQuery) -> Content:
    """Get a file of a space."""
    row: Any = await fetch(cx, Space, space_id, using=_FILE, file=file_id)
    if not row.files:
        raise NotFound("There is no such file.")
    return Content(row, files=row.files, metadata=query.metadata)


def _shown(pages: list[PageVersion], query: ContentQuery) -> list[PageVersion]:
    return pages if query.computed else [page for page in pages if page.computed is None]

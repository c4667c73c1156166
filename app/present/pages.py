"""Pages and files as callers see them (specification, Page and File): one page, a tree, one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from app.access.context import Context
from app.domain.content.content import Content
from app.domain.content.page_texts import PageText
from app.domain.content.pages import PageRead
from app.domain.content.published import is_visitor
from app.formats.markdown.page_sections import SourceSection
from app.models.files import FileOut, FileVersion
from app.models.page_texts import MOST_SECTIONS, PageSection, PageTextOut
from app.models.pages import PageOut, PageVersion
from app.models.revisions import PagesOut
from app.present import links, signed_links
from app.present.people import user
from app.present.shape import Presenter, When, presenter, shows

LAYOUT = {
    "cover": True,
    "title": True,
    "description": True,
    "tableOfContents": True,
    "outline": True,
    "pagination": True,
}


class _PlaceContext(NamedTuple):
    """The place where pages and files are shown, the same for all of them; `metadata`: with their sources.

    `is_visitor`: the caller reads the space only because it is public.
    """

    cx: Context
    place: links.ContentPlace
    app: str
    metadata: bool
    is_visitor: bool


def _at(cx: Context, place: links.ContentPlace, *, metadata: bool) -> _PlaceContext:
    return _PlaceContext(cx, place, links.place(cx, place), metadata, is_visitor(cx, place.space))


def _urls(where: _PlaceContext, row: PageVersion) -> dict[str, Any]:
    return {"app": f"{where.app}/{quote(row.path or '')}"}


def _git(where: _PlaceContext, row: PageVersion | FileVersion) -> dict[str, Any] | None:
    return {"oid": row.git_oid, "path": row.source} if where.metadata else None


_FIRST = ("id", "title", "type")
_NAMES = ("link_title", "emoji", "icon", "condition")
_PATHS = ("slug", "path")
_FLAGS = ("layout", "hidden", "no_index", "no_robots_index", "document_id")


def _computed(where: _PlaceContext, row: PageVersion) -> dict[str, Any]:
    """Return how a page is computed; why that fails is for those who see the space without its site."""
    computed = row.computed or {}
    return {name: value for name, value in computed.items() if name != "error" or not where.is_visitor}


_link: Presenter[_PlaceContext, PageVersion] = presenter(
    PageOut,
    first=_FIRST,
    optional=(*_NAMES, "target", "href"),
    always=("target", "href"),
    urls=_urls,
    target=lambda _where, row: {"kind": "url", "url": row.href},
)
_group: Presenter[_PlaceContext, PageVersion] = presenter(
    PageOut, first=_FIRST, optional=(*_NAMES, *_PATHS), always=_PATHS, urls=_urls
)
_document: Presenter[_PlaceContext, PageVersion] = presenter(
    PageOut,
    first=_FIRST,
    optional=(
        *(*_NAMES, *_PATHS, *_FLAGS),
        *("description", "cover", "variables", "git", "computed", "computed_seed"),
    ),
    always=(*_PATHS, *_FLAGS),
    urls=_urls,
    layout=lambda _where, row: {**LAYOUT, **(row.layout or {})},
    git=When("git_oid", _git),
    computed=When("computed", lambda where, row: _computed(where, row)),
    variables=When("variables", lambda where, row: None if where.is_visitor else row.variables),
)
_BY_KIND = {"link": _link, "document": _document}


def bare_page(
    cx: Context, place: links.ContentPlace, row: PageVersion, *, metadata: bool = True
) -> dict[str, Any]:
    """Return a page without what is under it."""
    return _BY_KIND.get(row.kind, _group)(_at(cx, place, metadata=metadata), row)


@shows(PageOut)
def page(cx: Context, read: PageRead) -> dict[str, Any]:
    """Return one page with its body and the tree under it."""
    out = bare_page(cx, read, read.page, metadata=read.metadata)
    if read.page.kind != "link":
        out["pages"] = tree(cx, read, read.below, read.page.page_id, metadata=read.metadata)
    if read.editor is not None:
        out["lastEditedBy"] = user(cx, read.editor)
    return {**out, **read.body}


@shows(PagesOut)
def pages(cx: Context, content: Content) -> dict[str, Any]:
    """Return the page tree of a space."""
    return {"pages": tree(cx, content, content.pages, metadata=content.metadata)}


def tree(
    cx: Context,
    place: links.ContentPlace,
    rows: Sequence[PageVersion],
    root: str | None = None,
    *,
    metadata: bool,
) -> list[dict[str, Any]]:
    """Return the pages below `root` in order, each with its own; rows may come in any order."""
    where = _at(cx, place, metadata=metadata)
    children: defaultdict[str | None, list[PageVersion]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.rank, row.page_id)):
        children[row.parent_id].append(row)
    shown = {row.page_id: _BY_KIND.get(row.kind, _group)(where, row) for row in rows}
    for row in rows:
        if row.kind != "link":
            shown[row.page_id]["pages"] = [shown[child.page_id] for child in children[row.page_id]]
    return [shown[row.page_id] for row in children[root]]


_section: Presenter[Context, SourceSection] = presenter(
    PageSection, characters=lambda _cx, each: each.end - each.start
)
page_text: Presenter[Context, PageText] = presenter(
    PageTextOut,
    page=lambda _cx, read: read.page.page_id,
    title=lambda _cx, read: read.page.title,
    path=lambda _cx, read: read.page.path,
    type=lambda _cx, read: read.page.kind,
    revision=lambda _cx, read: read.revision_id,
    contents=lambda cx, read: [_section(cx, each) for each in read.sections[:MOST_SECTIONS]],
)


def _download(where: _PlaceContext, row: FileVersion) -> str:
    """Return where a file is; in a change request or a revision that is where these very bytes are."""
    version = "" if where.place.at is None else row.blob_id
    space = where.place.space.id
    return signed_links.download(where.cx, space, row.file_id, row.name, version, published=where.is_visitor)


def _dimensions(_where: _PlaceContext, row: FileVersion) -> dict[str, Any] | None:
    return {"width": row.width, "height": row.height} if row.width and row.height else None


_file: Presenter[_PlaceContext, FileVersion] = presenter(
    FileOut, download_url=_download, dimensions=_dimensions, git=When("git_oid", _git)
)


def bare_files(
    cx: Context, place: links.ContentPlace, rows: Sequence[FileVersion], *, metadata: bool = True
) -> list[dict[str, Any]]:
    """Return files that were read at a place."""
    where = _at(cx, place, metadata=metadata)
    return [_file(where, row) for row in rows]


@shows(FileOut)
def file(cx: Context, content: Content) -> dict[str, Any]:
    """Return one file."""
    return bare_files(cx, content, content.files, metadata=content.metadata)[0]

"""The pages of an edition in their order, set as a PDF in a thread and a process of its own.

Which pages are printed, in which order, and what a change request did to each of them.

An edition set as a PDF, in a thread and a process of its own; loaded when the first is asked for.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Label, Select, and_, or_, select

from app.access.context import Context
from app.domain.content.bodies import PrefetchedBodies
from app.domain.content.changes import is_edited, is_moved
from app.domain.content.content import FILE_VERSIONS, PAGE_VERSIONS, page_columns, page_rows, variables
from app.domain.content.pages import scope_of
from app.domain.content.views import REVISION, REVISIONS, SPACES
from app.domain.pdf.pdf_exports import OpenedPdf, PdfSelection, check_installed
from app.formats.markdown import hrefs
from app.formats.pdf.book import Book, BookPage, BookPicture, Change, PageKind, PictureOf
from app.formats.pdf.renderer import MOST_PAGES, NotPrinted, PdfLimits, TooMuch, render
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, table
from app.kit.errors import NotFound, TooLarge, Unavailable, Unprocessable
from app.models.pages import PageVersion
from app.models.revisions import ReusableVersion

REUSABLE_VERSIONS = table(ReusableVersion)
_own, _main = PAGE_VERSIONS.alias("own"), PAGE_VERSIONS.alias("main")


@dataclass(slots=True, frozen=True)
class PdfPage:
    """A page in print: how deep it stands, and what was done to it."""

    row: PageVersion
    depth: int
    changed: str | None


@dataclass(slots=True, frozen=True)
class PdfContent:
    """The content to print: pages in their order, files and reusable contents by where they are kept."""

    leaves: Sequence[PdfPage]
    files: Sequence[Any]
    reusable: Sequence[Any]
    variables: dict[str, Any]


def _valid_at(t: Any, line: Any, number: Any) -> Any:
    still = or_(t.c.valid_to.is_(None), t.c.valid_to > number)
    return and_(t.c.line_id == line, t.c.valid_from <= number, still)


def _changed() -> list[Label[Any]]:
    """Return the pages that the line has of its own, also as deleted ones,
    and what they are on the main line.
    """
    is_own = and_(
        REVISIONS.c.line_id != SPACES.c.id, _valid_at(_own, REVISIONS.c.line_id, REVISIONS.c.number)
    )
    own = select(_own.c.page_id, _own.c.deleted).where(is_own).correlate(SPACES, REVISIONS)
    ids = select(_own.c.page_id).where(is_own).correlate(SPACES, REVISIONS)
    on_main = _valid_at(_main, SPACES.c.id, REVISIONS.c.base_number)
    was = select(*page_columns(_main)).where(on_main, _main.c.page_id.in_(ids))
    return [nested(own, "own"), nested(was.correlate(SPACES, REVISIONS), "before")]


def _content() -> Select[Any]:
    files = select(FILE_VERSIONS.c.source, FILE_VERSIONS.c.blob_id, FILE_VERSIONS.c.size).where(
        REVISION.valid(FILE_VERSIONS), FILE_VERSIONS.c.source.is_not(None)
    )
    reusable = select(REUSABLE_VERSIONS.c.source, REUSABLE_VERSIONS.c.document_id).where(
        REVISION.valid(REUSABLE_VERSIONS)
    )
    return (
        select(
            nested(page_rows(REVISION), "pages"),
            nested(files, "files"),
            nested(reusable, "reusable"),
            variables(REVISION),
            *_changed(),
        )
        .select_from(REVISION.source())
        .where(SPACES.c.id == given("id"))
    )


_CONTENT = rows(_content)


async def read_content(cx: Context, edition: PdfSelection) -> PdfContent:
    """Return what an edition prints, without texts; raises NotFound where it is gone."""
    row = await cx.db.first(_CONTENT, id=edition.space, at_revision=edition.revision)
    if row is None:
        raise NotFound("This PDF is no longer available.")
    changed = _marks(row.own, row.before, row.pages) if edition.request else {}
    deleted = [was for was in row.before if changed.get(was.page_id) == "deleted"]
    leaves = _in_order([*row.pages, *deleted], changed, edition)
    return PdfContent(leaves, row.files, row.reusable, row.variables or {})


def _marks(
    own_pages: Sequence[PageVersion], before_them: Sequence[PageVersion], pages: Sequence[PageVersion]
) -> dict[str, str]:
    """Return what happened to each page that the change request has of its own, by the ids of the pages."""
    before = {was.page_id: was for was in before_them}
    now = {page.page_id: page for page in pages}
    found: dict[str, str] = {}
    for own in own_pages:
        was, page = before.get(own.page_id), now.get(own.page_id)
        if was is not None or page is not None:
            found[own.page_id] = _mark(was, page)
    return {page_id: mark for page_id, mark in found.items() if mark}


def _mark(was: Any, now: Any) -> str:
    if was is None or now is None:
        return "added" if was is None else "deleted"
    marks = [("edited", is_edited(was, now)), ("moved", is_moved(was, now))]
    return " and ".join(mark for mark, is_so in marks if is_so)


def _in_order(pages: Sequence[Any], changed: dict[str, str], edition: PdfSelection) -> list[PdfPage]:
    """Return pages in reading order, without hidden pages and what is below them, unless one is asked for."""
    children: defaultdict[str | None, list[Any]] = defaultdict(list)
    for page in sorted(pages, key=lambda page: (page.rank, page.page_id), reverse=True):
        children[page.parent_id].append(page)
    first = [page for page in pages if page.page_id == edition.page]
    waiting = [(page, 0) for page in first or children[None] if first or not page.hidden]
    leaves = []
    while waiting:
        page, depth = waiting.pop()
        leaves.append(PdfPage(page, depth, changed.get(page.page_id)))
        if not edition.only:
            waiting += [(child, depth + 1) for child in children[page.page_id] if not child.hidden]
    return leaves


MOST_RUNS = 16
# Threads of its own: a run waits for minutes, and what others do in threads is a matter of milliseconds.
_threads = ThreadPoolExecutor(MOST_RUNS, thread_name_prefix="docyard-pdf")
_PART = "Ask for a part of it: a page with `page`, alone with `only`."


async def pdf(cx: Context, opened: OpenedPdf, stopped: Callable[[], bool]) -> bytes:
    """Return the document. Raises TooLarge where only a part of it can be had, Unavailable once `stopped`."""
    check_installed()
    held = await read_content(cx, opened.edition)
    if len(held.leaves) > MOST_PAGES:
        raise TooLarge(f"A PDF has at most {MOST_PAGES:,} pages of content. {_PART}")
    documents = [document for leaf in held.leaves if (document := _document_of(leaf)) is not None]
    bodies = PrefetchedBodies(cx, asyncio.get_running_loop(), documents)
    blocks = PrefetchedBodies(cx, asyncio.get_running_loop(), [block.document_id for block in held.reusable])
    book = Book(
        title=opened.title,
        pages=[_page(leaf, held.variables, bodies) for leaf in held.leaves],
        subtitle=opened.subtitle,
        language=opened.language,
        notes=[f"Revision {opened.number} of {opened.made_at:%Y-%m-%d}"],
        included={block.source: blocks.later(block.document_id) for block in held.reusable},
    )
    fonts = Path(cx.settings.pdf_fonts) if cx.settings.pdf_fonts else None
    setting = (book, _pictures(held, bodies), fonts, PdfLimits(stopped=stopped))
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, render, *setting)
    except TooMuch as refused:
        raise TooLarge(f"{refused} {_PART}") from refused
    except NotPrinted as refused:
        if stopped():
            raise Unavailable("The server is stopping.") from refused
        raise Unprocessable(f"This content could not be set as a PDF. {_PART}") from refused


def _document_of(leaf: PdfPage) -> str | None:
    """Return the id of the text that is printed of a page; None where it has none, or was deleted."""
    return None if leaf.changed == "deleted" else leaf.row.document_id


def _page(leaf: PdfPage, variables: dict[str, Any], bodies: PrefetchedBodies) -> BookPage:
    row, document = leaf.row, _document_of(leaf)
    return BookPage(
        id=row.page_id,
        title=row.title,
        depth=leaf.depth,
        description=row.description or "" if leaf.changed != "deleted" else "",
        body_markdown="" if document is None else bodies.later(document),
        kind=cast(PageKind, row.kind if row.kind in ("document", "link") else "group"),
        changed=cast("Change | None", leaf.changed),
        path=row.source or "",
        href=row.href or "",
        scope=scope_of(row, variables),
    )


def _pictures(held: PdfContent, bodies: PrefetchedBodies) -> PictureOf:
    """Return what finds the picture at an href: a file of the space; nothing is fetched from elsewhere."""
    files = {file.source: file for file in held.files}

    def picture_of(page: BookPage, href: str) -> BookPicture | None:
        target = hrefs.resolve(href, page.path)
        file = files.get(target.path) if target else None
        if file is None:
            return None
        return BookPicture(file.blob_id, file.size, lambda: _bytes(bodies, file.blob_id))

    return picture_of


def _bytes(bodies: PrefetchedBodies, blob_id: str) -> bytes | None:
    try:
        return bodies.blob(blob_id)
    except Unavailable:
        return None

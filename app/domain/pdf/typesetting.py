"""An edition set as a PDF, in a thread and a process of its own; loaded when the first is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from app.access.context import Context
from app.domain.content.pages import scope_of
from app.domain.content.prefetched_bodies import PrefetchedBodies
from app.domain.pdf.pdf_exports import OpenedPdf, check_installed
from app.domain.pdf.pdf_pages import PdfContent, PdfPage, read_content
from app.formats.markdown import hrefs
from app.formats.pdf.book import Book, BookPage, Change, PageKind, Picture, PictureOf
from app.formats.pdf.renderer import MOST_PAGES, Limits, NotPrinted, TooMuch, render
from app.kit.errors import TooLarge, Unavailable, Unprocessable

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
    setting = (book, _pictures(held, bodies), fonts, Limits(stopped=stopped))
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
    """Pictures are files of the place; nothing is fetched from elsewhere."""
    files = {file.source: file for file in held.files}

    def picture_of(page: BookPage, href: str) -> Picture | None:
        target = hrefs.resolve(href, page.path)
        file = files.get(target.path) if target else None
        if file is None:
            return None
        return Picture(file.blob_id, file.size, lambda: _bytes(bodies, file.blob_id))

    return picture_of


def _bytes(bodies: PrefetchedBodies, blob_id: str) -> bytes | None:
    try:
        return bodies.blob(blob_id)
    except Unavailable:
        return None

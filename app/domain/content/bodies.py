"""Texts that callers send and read, as Markdown or as documents: pages', descriptions', comments'.

Texts and bytes for work in another thread, which waits while they are read in the loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from sqlalchemy import select

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.formats.markdown.passages import BodyText, conditions_of
from app.formats.markdown.scanner_syntax import may_be
from app.formats.repository.source_text import MAX_MARKDOWN
from app.kit import workers
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.kit.errors import Invalid, OverBudget, TooLarge
from app.models.documents import Body
from app.models.pages import Document

if TYPE_CHECKING:
    from app.formats.markdown.conditions import Conditions


LONGEST = 1_000_000  # characters of a text that is no page's
PER_CHARACTER = 20  # bytes of a document that cost what a character of Markdown does
BUDGET = 500_000  # characters to which one answer gives their structure
SECONDS = 2.0  # of computing for one of its texts


async def text_of(body: Body, path: str) -> str:
    """Return the Markdown of a body that was sent; raises Invalid where it cannot be one."""
    text, where = await _read(body, path, ""), _named(body, path)
    if len(text) > LONGEST:
        raise Invalid(f"A body may have at most {LONGEST:,} characters.", path=where)
    return text


async def _read(body: Body, path: str, before: str) -> str:
    """Return the text of a body; of a document, what is as in the text `before` is written as it is there."""
    if body.document is None:
        return storable(body.markdown or "", f"{path}.markdown")
    size = _size(body.document)
    if before:
        try:
            written = await workers.run(2 * (size + len(before)), _rewritten, body.document, before, path)
            return storable(written, path)
        except OverBudget:
            pass  # then all of it is written anew
    return storable(await workers.run(size, _written, body.document, path), path)


class Conversions:
    """Converts the texts of one answer, one after another: together they have one budget."""

    def __init__(self) -> None:
        self._left = BUDGET
        self._turn = asyncio.Lock()

    async def document(self, text: str) -> dict[str, Any]:
        """Return a text as a document; where that would take too much, its words as one plain paragraph."""
        async with self._turn:
            self._left -= len(text)
            return await _document(text) if self._left >= 0 else _unstructured(text)

    async def markdown(self, document: dict[str, Any]) -> str:
        """Return a document as Markdown; raises OverBudget where that takes too long."""
        from app.formats.markdown.writer import to_markdown

        async with self._turn:
            return await workers.run(_size(document), to_markdown, document, seconds=SECONDS)


async def documents(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return texts as documents (see `Conversions`)."""
    conversions = Conversions()
    return [await conversions.document(text) for text in texts]


def _size(document: dict[str, Any]) -> int:
    return len(orjson.dumps(document, default=str)) // PER_CHARACTER


async def _document(text: str) -> dict[str, Any]:
    from app.domain.content.pages import structured

    try:
        return await workers.run(len(text), structured, text, seconds=SECONDS)
    except OverBudget:
        return _unstructured(text)


def _unstructured(text: str) -> dict[str, Any]:
    from app.formats.markdown import nodes

    document = nodes.document([nodes.block("paragraph", [nodes.plain(text)])])
    nodes.give_keys(document)
    return document


async def page_text_of(body: Body, path: str, before: str = "") -> str:
    """Return the Markdown of a body of a page or of a reusable content that was sent,
    in the place of one `before`.

    Raises Invalid as `text_of`, and, naming the line, where something looks like a condition and cannot be
    read as one: nobody is to believe that it hides. Raises TooLarge where an import would not take it either.
    """
    text = await _read(body, path, before)
    if len(text) > MAX_MARKDOWN or len(text.encode("utf-8", "replace")) > MAX_MARKDOWN:
        raise TooLarge("A page may have at most 5 MB.", path=_named(body, path))
    found = await read_conditions(text)
    if found is not None and found.mistakes:
        line, message = found.mistakes[0]
        raise Invalid(f"Line {line}: {message}", path=_named(body, path))
    return text


async def read_conditions(text: str) -> Conditions | None:
    """Read the conditions of a text in the worker pool, if it may have any; None where it has none."""
    return await workers.run(len(text), conditions_of, text) if may_be(text) else None


def _written(document: dict[str, object], path: str) -> str:
    from app.formats.markdown.document_validation import check_document
    from app.formats.markdown.writer import to_markdown

    return to_markdown(check_document(document, f"{path}.document"))


def _rewritten(document: dict[str, object], before: str, path: str) -> str:
    from app.formats.markdown.document_validation import check_document
    from app.formats.markdown.incremental_writer import rewritten

    return rewritten(check_document(document, f"{path}.document"), before)


def storable(text: str, path: str) -> str:
    """Return a text that was sent; raises Invalid where no database would take it."""
    if "\0" in text:
        raise Invalid("Text may not contain the NUL character.", path=path)
    return text


def _named(body: Body, path: str) -> str:
    """Return the field that a body was sent in."""
    return f"{path}.{'markdown' if body.document is None else 'document'}"


AHEAD = 100  # bodies read at once
DOCUMENTS = table(Document)
_BODIES = rows(
    lambda: select(DOCUMENTS.c.id, DOCUMENTS.c.markdown, DOCUMENTS.c.conditional, DOCUMENTS.c.raw).where(
        among(DOCUMENTS.c.id, "ids")
    )
)
T = TypeVar("T")


class PrefetchedBodies:
    """Bodies by their documents' ids, read ahead in the order in which they will be asked for."""

    def __init__(self, cx: Context, loop: asyncio.AbstractEventLoop, order: Sequence[str]) -> None:
        self._cx, self._loop, self._order = cx, loop, order
        self._place = {document_id: n for n, document_id in reversed(list(enumerate(order)))}
        self._read: dict[str, tuple[BodyText, bytes | None]] = {}

    def later(self, document_id: str) -> Callable[[], BodyText]:
        """Return the body when it is due."""
        return lambda: self._body(document_id)[0]

    def exactly(self, document_id: str) -> Callable[[], str | bytes]:
        """Return the body when it is due; as bytes where it is no text."""

        def body() -> str | bytes:
            text, raw = self._body(document_id)
            return text.body if raw is None else raw

        return body

    def blob(self, blob_id: str) -> bytes:
        """Return the bytes of a file; raises as `blobs.read`."""
        return self._wait(blobs.read(self._cx, blob_id))

    def _body(self, document_id: str) -> tuple[BodyText, bytes | None]:
        if document_id not in self._read:
            start = self._place[document_id]
            wanted = list(dict.fromkeys(self._order[start : start + AHEAD]))
            found = self._wait(self._cx.db.all(_BODIES, ids=wanted))
            self._read = {row.id: (BodyText(row.markdown, bool(row.conditional)), row.raw) for row in found}
        return self._read[document_id]

    def _wait(self, reading: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(reading, self._loop).result()

"""Texts and bytes for work in another thread, which waits while they are read in the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from sqlalchemy import select

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.formats.markdown.passages import Text
from app.kit.database.sql import among
from app.kit.database.statements import rows, table
from app.models.pages import Document

AHEAD = 100  # bodies read at once
_d = table(Document)
_BODIES = rows(
    lambda: select(_d.c.id, _d.c.markdown, _d.c.conditional, _d.c.raw).where(among(_d.c.id, "ids"))
)
T = TypeVar("T")


class PrefetchedBodies:
    """Bodies by their documents' ids, read ahead in the order in which they will be asked for."""

    def __init__(self, cx: Context, loop: asyncio.AbstractEventLoop, order: Sequence[str]) -> None:
        self._cx, self._loop, self._order = cx, loop, order
        self._place = {document_id: n for n, document_id in reversed(list(enumerate(order)))}
        self._read: dict[str, tuple[Text, bytes | None]] = {}

    def later(self, document_id: str) -> Callable[[], Text]:
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

    def _body(self, document_id: str) -> tuple[Text, bytes | None]:
        if document_id not in self._read:
            start = self._place[document_id]
            wanted = list(dict.fromkeys(self._order[start : start + AHEAD]))
            found = self._wait(self._cx.db.all(_BODIES, ids=wanted))
            self._read = {row.id: (Text(row.markdown, bool(row.conditional)), row.raw) for row in found}
        return self._read[document_id]

    def _wait(self, reading: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(reading, self._loop).result()

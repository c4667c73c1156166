"""Keeping texts: the one place where rows of `document` are made, of pages and of reusable contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from app.access.context import Context
from app.models.pages import Document
from app.models.spaces import Space


class Kept(Protocol):
    """A text with what follows from it and is kept beside it."""

    @property
    def body(self) -> str: ...

    @property
    def anchors(self) -> str: ...

    @property
    def conditional(self) -> bool: ...

    @property
    def raw(self) -> bytes | None: ...


async def keep(cx: Context, texts: Mapping[str, Kept], space: Space) -> None:
    """Keep texts by their ids (`preparing.document_id`); one that is kept already stays as it is.

    They count as stored for the space.
    """
    cx.stores(space.organization_id, space.id, sum(map(_size, texts.values())))
    await cx.tx.add_many(Document, [_row(key, text) for key, text in texts.items()], missing=True)


def _size(text: Kept) -> int:
    return len(text.body.encode("utf-8", "surrogatepass") if text.raw is None else text.raw)


def _row(document_id: str, text: Kept) -> dict[str, Any]:
    """The row of a text; everything else in it follows from the text."""
    return {
        "id": document_id,
        "markdown": text.body,
        "anchors": text.anchors,
        "conditional": text.conditional,
        "raw": text.raw,
    }

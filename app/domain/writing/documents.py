"""Keeping texts: the one place where rows of `document` are made, of pages and of reusable contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.access.context import Context
from app.models.pages import Document


async def keep(cx: Context, texts: Mapping[str, str]) -> None:
    """Keep texts by their ids (`preparing.document_id`); one that is kept already stays as it is."""
    await cx.tx.add_many(Document, [_row(key, text) for key, text in texts.items()], missing=True)


def _row(document_id: str, text: str) -> dict[str, Any]:
    """The row of a text; everything else in it follows from the text."""
    return {"id": document_id, "markdown": text}

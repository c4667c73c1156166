"""Keeping texts: the one place where rows of `document` are made, of pages and of reusable contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.access.context import Context
from app.content.conditional import Text, conditions_of, may_be
from app.kit import workers
from app.models.pages import Document


async def read(body: str) -> Text:
    """A text, read for conditions."""
    found = await workers.run(len(body), conditions_of, body) if may_be(body) else None
    return Text(body, found is not None)


async def keep(cx: Context, texts: Mapping[str, Text]) -> None:
    """Keep texts by their ids (`preparing.document_id`); one that is kept already stays as it is."""
    await cx.tx.add_many(Document, [_row(key, text) for key, text in texts.items()], missing=True)


def _row(document_id: str, text: Text) -> dict[str, Any]:
    """The row of a text; everything else in it follows from the text."""
    return {"id": document_id, "markdown": text.body, "conditional": text.conditional}

"""Texts that callers send, as Markdown: pages', descriptions', comments'."""

from __future__ import annotations

import asyncio

from app.kit.errors import Invalid
from app.models.bodies import LONGEST, Body


async def text_of(body: Body, path: str) -> str:
    """The Markdown of a body that was sent; raises Invalid where it cannot be one."""
    if body.document is None:
        return _storable(body.markdown or "", f"{path}.markdown")
    return _storable(await asyncio.to_thread(_written, body.document, path), path)


def _written(document: dict[str, object], path: str) -> str:
    from app.content.dialect.check import check_document
    from app.content.dialect.write import to_markdown

    return to_markdown(check_document(document, f"{path}.document"))


def _storable(text: str, path: str) -> str:
    if "\0" in text:
        raise Invalid("A text cannot hold NUL characters.", path=path)
    if len(text) > LONGEST:
        raise Invalid(f"A body may have at most {LONGEST:,} characters.", path=path)
    return text

"""Texts in the form that a caller asks for (decisions, Comment body / page body)."""

from __future__ import annotations

from typing import Any


def body(markdown: str, format: str) -> dict[str, Any]:
    """A text as `{markdown}` or `{document}`."""
    return {"document": document(markdown)} if format == "document" else {"markdown": markdown}


def document(markdown: str) -> dict[str, Any]:
    """A text as a structured document."""
    from app.domain.content.pages import structured

    return structured(markdown)

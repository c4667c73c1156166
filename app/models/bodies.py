"""Bodies as callers send them: Markdown, or a structured document (decisions, Comment body / page body)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import model_validator

from app.models.base import DescribedAs, Shape
from app.models.documents import JSONDocument


class Body(Shape):
    """A text: one of `markdown` and `document`, or neither for an empty one."""

    markdown: str | None = None
    document: Annotated[dict[str, Any], DescribedAs(JSONDocument)] | None = None

    @model_validator(mode="after")
    def _one_at_most(self) -> Body:
        if self.markdown is not None and self.document is not None:
            raise ValueError("give markdown or document, not both")
        return self

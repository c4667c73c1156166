"""Content in print."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from app.models.base import Shape
from app.models.queries import QueryBool
from app.models.texts import ID_FORM

PageId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class PdfQuery(Shape):
    """Which part of the content goes into the document. Without `page` that is all of it."""

    only: QueryBool = Field(default=False, description="true leaves out the pages under `page`")
    page: PageId | None = Field(default=None, description="id of the page to begin with")


class PdfOut(Shape):
    """Where the document can be fetched, for an hour."""

    url: str

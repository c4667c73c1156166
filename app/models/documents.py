"""Structured documents, bodies as callers send them, and documents in print."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from app.models.base import DescribedAs, JsonShape, Shape
from app.models.queries import QueryBool
from app.models.texts import ID_FORM

Data = dict[str, Any]
"""What the blocks, inlines and marks of each type have of their own; see the guide's page on blocks."""


class DocumentMark(JsonShape):
    """How a piece of text looks: bold, italic, code, a link's colour."""

    object: Literal["mark"]
    type: str
    data: Data | None = None


class DocumentLeaf(JsonShape):
    """A piece of text that looks the same all through."""

    object: Literal["leaf"]
    text: str
    marks: list[DocumentMark]


class DocumentText(JsonShape):
    """Text, in pieces."""

    object: Literal["text"]
    key: str | None = None
    leaves: list[DocumentLeaf]


class DocumentFragment(JsonShape):
    """Text of a block outside its content, such as a caption or the title of an expandable."""

    object: Literal["fragment"]
    key: str | None = None
    type: str | None = None
    fragment: str | None = None
    nodes: list[DocumentBlock | DocumentInline | DocumentText]


class DocumentInline(JsonShape):
    """Something within a line: a link, an emoji, a formula, an image."""

    object: Literal["inline"]
    type: str
    key: str | None = None
    data: Data | None = None
    is_void: bool | None = None
    nodes: list[DocumentInline | DocumentText] | None = None
    fragments: list[DocumentFragment] | None = None


class DocumentBlock(JsonShape):
    """A block: a paragraph, a heading, a list, a table, tabs and all others."""

    object: Literal["block"]
    type: str
    key: str | None = Field(default=None, description="tells blocks of one document apart; comments name it")
    data: Data | None = None
    is_void: bool | None = None
    nodes: list[DocumentBlock | DocumentInline | DocumentText] | None = None
    fragments: list[DocumentFragment] | None = None


class JSONDocument(JsonShape):
    """A structured document."""

    object: Literal["document"]
    data: Data
    nodes: list[DocumentBlock]


class Text(JsonShape):
    """A text in the form that was asked for: `markdown` or `document`."""

    markdown: str | None = None
    document: JSONDocument | None = None


class Body(Shape):
    """A text: one of `markdown` and `document`, or neither for an empty one."""

    markdown: str | None = None
    document: Annotated[dict[str, Any], DescribedAs(JSONDocument)] | None = None

    @model_validator(mode="after")
    def _one_at_most(self) -> Body:
        if self.markdown is not None and self.document is not None:
            raise ValueError("give markdown or document, not both")
        return self


PageId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class PdfQuery(Shape):
    """Which part of the content goes into the document. Without `page` that is all of it."""

    only: QueryBool = Field(default=False, description="true leaves out the pages under `page`")
    page: PageId | None = Field(default=None, description="id of the page to begin with")


class PdfOut(Shape):
    """Where the document can be fetched, for an hour."""

    url: str

"""Structured documents, bodies as callers send them, and documents in print."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from app.models.base import Choice, Choices, DescribedAs, JsonShape, Names, Shape
from app.models.queries import QueryBool
from app.models.texts import ID_FORM

Data = dict[str, Any]
"""Fields that blocks, inlines and marks of each type have of their own; see the guide's page on blocks."""


class DocumentMark(JsonShape):
    """Formatting of a piece of text, such as bold, code or a color."""

    object: Literal["mark"]
    type: str = Field(
        description="Kind of formatting, such as `bold`, `italic`, `code`, `keyboard`, `strikethrough`, "
        "`color`, `superscript` or `subscript`."
    )
    data: Data | None = Field(default=None, description="Properties of the mark, which depend on its type.")


class DocumentLeaf(JsonShape):
    """A piece of text with the same formatting throughout."""

    object: Literal["leaf"]
    text: str = Field(description="The text.")
    marks: list[DocumentMark] = Field(description="Formatting of the text.")


class DocumentText(JsonShape):
    """A run of text, in pieces of different formatting."""

    object: Literal["text"]
    key: str | None = Field(default=None, description="Key of the node, unique in its document.")
    leaves: list[DocumentLeaf] = Field(description="Pieces of the text in their order.")


class DocumentFragment(JsonShape):
    """Text of a block outside its content, such as a caption or the title of an expandable."""

    object: Literal["fragment"]
    key: str | None = Field(default=None, description="Key of the node, unique in its document.")
    type: str | None = Field(default=None, description="Kind of the fragment.")
    fragment: str | None = Field(
        default=None, description="Part of the block that the fragment belongs to, such as `caption`."
    )
    nodes: list[DocumentBlock | DocumentInline | DocumentText] = Field(
        description="Nodes of the fragment in their order."
    )


class DocumentInline(JsonShape):
    """An element within a line of text, such as a link, an emoji, a formula or an image."""

    object: Literal["inline"]
    type: str = Field(
        description="Kind of the element, such as `link`, `emoji`, `expression`, `inline-math` or "
        "`inline-image`."
    )
    key: str | None = Field(default=None, description="Key of the node, unique in its document.")
    data: Data | None = Field(
        default=None, description="Properties of the element, which depend on its type."
    )
    is_void: bool | None = Field(default=None, description="True if the element holds no text of its own.")
    nodes: list[DocumentInline | DocumentText] | None = Field(
        default=None, description="Nodes within the element, such as the text of a link."
    )
    fragments: list[DocumentFragment] | None = Field(
        default=None, description="Texts beside the content of the element."
    )


class DocumentBlock(JsonShape):
    """A block of a document, such as a paragraph, a heading, a list, a table or a hint."""

    object: Literal["block"]
    type: str = Field(
        description="Kind of the block, such as `paragraph`, `heading-1`, `list-unordered`, `code` or `hint`."
    )
    key: str | None = Field(
        default=None,
        description="Key of the block, unique in its document. Comments on a block name it by its key.",
    )
    data: Data | None = Field(default=None, description="Properties of the block, which depend on its type.")
    is_void: bool | None = Field(
        default=None, description="True if the block holds no text of its own, such as an image."
    )
    nodes: list[DocumentBlock | DocumentInline | DocumentText] | None = Field(
        default=None, description="Blocks, elements and text within the block, in their order."
    )
    fragments: list[DocumentFragment] | None = Field(
        default=None, description="Texts beside the content of the block, such as a caption."
    )


class JSONDocument(JsonShape):
    """A structured document: a tree of blocks."""

    object: Literal["document"]
    data: Data = Field(description="Properties of the document, such as the version of its schema.")
    nodes: list[DocumentBlock] = Field(description="Blocks of the document in their order.")


class Text(JsonShape):
    """A text in the form that was asked for: `markdown` or `document`."""

    markdown: str | None = Field(
        default=None, description="The text as Markdown. Absent if it is returned as a structured document."
    )
    document: JSONDocument | None = Field(
        default=None, description="The text as a structured document. Absent if it is returned as Markdown."
    )


class Body(Shape):
    """A text as Markdown or as a structured document; with neither it is empty."""

    choices = Choices(
        {
            "markdown": Choice("markdown", "The text as Markdown."),
            "document": Choice("document", "The text as a structured document."),
        }
    )

    markdown: str | None = Field(
        default=None, description="The text as Markdown. Not together with `document`."
    )
    document: Annotated[dict[str, Any], DescribedAs(JSONDocument)] | None = Field(
        default=None, description="The text as a structured document. Not together with `markdown`."
    )

    @model_validator(mode="after")
    def _one_at_most(self) -> Body:
        if self.markdown is not None and self.document is not None:
            raise ValueError("give markdown or document, not both")
        return self


PageId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class PdfQuery(Shape):
    """The part of the content to print. Without `page` that is all of it."""

    only: QueryBool = Field(
        default=False,
        description="True prints the page alone, without the pages under it. Ignored without `page`.",
    )
    page: Annotated[PageId, Names("Page")] | None = Field(
        default=None,
        description="Id of the page to begin with. The pages under it follow. The whole content if left out.",
    )


class SpaceExportOut(Shape):
    """Address of the content of a space as files."""

    url: str = Field(
        description="Signed address of a zip of the content as Markdown and files, as Git sync writes them. "
        "It needs no token and works for an hour. The zip is made when it is fetched, of the content then."
    )


class PdfOut(Shape):
    """Address of a PDF."""

    url: str = Field(
        description="Signed address of the PDF. It needs no token and works for an hour. The PDF is made "
        "when it is first fetched, of the content as it was when the address was asked for."
    )

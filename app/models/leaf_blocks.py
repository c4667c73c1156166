"""Blocks of a document that hold no others: text, code, pictures, files, and what only others know.

`blocks.py` has the blocks that hold others, and the union of all.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import AnyValue, Enumeration, Names, Shape
from app.models.runs import LinkTargetOut, Picture, RunOut

Align = Literal["left", "center", "right"]


class Keyed(Shape):
    """The fields that every block has."""

    key: str | None = Field(
        default=None,
        description="Key of the block, unique in the document. Comments refer to it. Null for blocks that "
        "have no position of their own in the document.",
    )


class HeadingOut(Keyed):
    """A heading."""

    type: Literal["heading"]
    level: int = Field(description="Level of the heading as it is written, from 1 to 6.")
    anchor: str | None = Field(default=None, description="Name of the place for links to it.")
    runs: list[RunOut] = Field(description="Text of the heading.")


class ParagraphOut(Keyed):
    """A paragraph."""

    type: Literal["paragraph"]
    runs: list[RunOut] = Field(description="Text of the paragraph.")


class CodeOut(Keyed):
    """A block of code."""

    type: Literal["code"]
    language: str | None = Field(default=None, description="Language that the code is written in.")
    title: str | None = Field(default=None, description="Line above the code, such as the name of a file.")
    line_numbers: bool = Field(description="True where the lines are numbered.")
    wrap: bool = Field(description="True where long lines are broken.")
    code: str = Field(description="The code. Lines are separated by a line feed.")


class DividerOut(Keyed):
    """A horizontal line between two parts."""

    type: Literal["divider"]


class MathOut(Keyed):
    """A displayed formula."""

    type: Literal["math"]
    formula: str = Field(description="The formula in TeX.")


class ImageOut(Picture, Keyed):
    """A picture."""

    type: Literal["image"]
    align: Align | None = Field(default=None, description="Alignment of the image on the page.")
    caption: list[RunOut] = Field(description="Text below the picture. May be empty.")


class GalleryOut(Keyed):
    """Images side by side."""

    type: Literal["gallery"]
    align: Align | None = Field(default=None, description="Alignment of the images on the page.")
    images: list[ImageOut] = Field(description="The pictures.")


class DrawingOut(Picture, Keyed):
    """A drawing."""

    type: Literal["drawing"]
    caption: list[RunOut] = Field(description="Text below the drawing. May be empty.")


class FileBlockOut(Keyed):
    """A file to download."""

    type: Literal["file"]
    target: LinkTargetOut = Field(description="The file.")
    caption: list[RunOut] = Field(description="Text below the name of the file. May be empty.")


class LinkCardOut(Keyed):
    """A link that stands out as a card."""

    type: Literal["link-card"]
    target: LinkTargetOut = Field(description="What the card leads to.")
    caption: list[RunOut] = Field(
        description="Text of the card. Empty where the title of its target is shown."
    )


class ReusableContentBlockOut(Keyed):
    """The place of a reusable content, whose own blocks are shown there."""

    type: Literal["reusable-content"]
    target: LinkTargetOut = Field(description="The reusable content.")


class IntegrationBlockOut(Keyed):
    """A block of an integration."""

    type: Literal["integration"]
    integration: Annotated[str, Names("Integration")] = Field(description="The integration.")
    block: str = Field(description="Id of the block among those of the integration.")
    props: dict[str, AnyValue] = Field(
        description="Properties of the block, as the integration defines them."
    )


class HTMLBlockOut(Keyed):
    """HTML that no other block can hold, such as a table with cells across several rows."""

    type: Literal["html"]
    html: str = Field(description="The HTML, sanitized: it runs nothing, and loads nothing but pictures.")


class CustomTagOut(Keyed):
    """A tag that only another product knows."""

    type: Literal["custom-tag"]
    name: str = Field(description="Name of the tag.")
    markdown: str = Field(description="The tag as it is written, up to its end.")
    addresses: list[str] = Field(description="The web addresses in it, each once.")


ENUMERATIONS = (
    Enumeration(
        "Align",
        Align,
        {
            "left": "On the left.",
            "center": "In the middle.",
            "right": "On the right.",
        },
        "Horizontal alignment.",
    ),
)

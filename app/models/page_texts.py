"""The text of a page in parts of limited size, for readers who cannot take all of it at once."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from app.models.base import Names, Shape
from app.models.pages import PageKind

SectionAnchor = Annotated[str, StringConstraints(min_length=1, max_length=300)]
LONGEST_PART = 50_000  # characters
MOST_SECTIONS = 500


class PageTextQuery(Shape):
    """Query parameters that select the part of the text of a page to return."""

    section: SectionAnchor | None = Field(
        default=None,
        description="Anchor of a section, of those that `contents` lists: its heading, its text and the "
        "sections below it. `^` is the text above the first heading. The whole page if left out.",
    )
    offset: int = Field(
        default=0,
        ge=0,
        le=10_000_000,
        description="Number of characters to pass over: `next` of the part before.",
    )
    length: int = Field(
        default=20_000,
        ge=100,
        le=LONGEST_PART,
        description=f"How many characters to return at most, from 100 to {LONGEST_PART:,}.",
    )


class PageSection(Shape):
    """A section of a page."""

    anchor: str = Field(description="Anchor of the section.")
    title: str = Field(description="Heading of the section. Empty for the text above the first heading.")
    level: int = Field(description="Level of the heading, from 1 to 6. 0 for the text above the first one.")
    characters: int = Field(description="Length of the section, with the sections below it.")


class PageTextOut(Shape):
    """A part of the text of a page, and the table of contents of the page."""

    page: Annotated[str, Names("Page")] = Field(description="Page that the text is of.")
    title: str = Field(description="Title of the page.")
    path: str | None = Field(default=None, description="Path of the page. Absent for links.")
    type: PageKind = Field(description="Type of the page.")
    revision: Annotated[str, Names("Revision")] = Field(
        description="Revision of the content that was read. A change of the page names it as what it expects."
    )
    contents: list[PageSection] = Field(
        description=f"Sections of the page in their order; at most {MOST_SECTIONS}."
    )
    section: str | None = Field(
        default=None, description="Anchor of the section that was asked for. Absent for the whole page."
    )
    characters: int = Field(description="Length of the page, or of the section that was asked for.")
    markdown: str = Field(description="The part, as Markdown.")
    next: int | None = Field(
        default=None, description="Offset of the part that follows. Absent with the last part."
    )

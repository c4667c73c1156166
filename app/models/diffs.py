"""How the text of a page changed, line by line."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.models.base import Enumeration, Shape

LineKind = Literal["context", "added", "removed"]


class DiffQuery(Shape):
    """How to return the diff of a text."""

    context: int = Field(
        default=3, ge=0, le=100, description="Number of unchanged lines around each change, from 0 to 100."
    )


class DiffLine(Shape):
    """A line of a text, with its line ending. The last line of a text may have none."""

    type: LineKind = Field(description="What became of the line.")
    text: str = Field(description="The line, with its line ending.")


class DiffHunk(Shape):
    """Neighboring changes of a text, with the unchanged lines around them."""

    old_start: int = Field(description="Number of the first line before the change, from 1.")
    old_lines: int = Field(description="Number of lines before the change.")
    new_start: int = Field(description="Number of the first line after the change, from 1.")
    new_lines: int = Field(description="Number of lines after the change.")
    lines: list[DiffLine] = Field(description="The lines, unchanged, removed and added, in their order.")


class PageDiffOut(Shape):
    """The changes of the text of a page."""

    before: str | None = Field(
        default=None, description="Id of the document before. Absent if the page had none."
    )
    after: str | None = Field(
        default=None, description="Id of the document after. Absent if the page has none."
    )
    unified: str = Field(
        description="The changes as a unified diff, as `patch` and `git apply` take it. Empty if nothing "
        "differs."
    )
    hunks: list[DiffHunk] = Field(description="The changes as data, from the top of the text to its end.")


ENUMERATIONS = (
    Enumeration(
        "DiffLineType",
        LineKind,
        {
            "context": "The line is unchanged.",
            "added": "The line was added.",
            "removed": "The line was removed.",
        },
    ),
)

"""Problems of imports: what could not be kept as it was, each by itself and by cause."""

from __future__ import annotations

from typing import Literal

from sqlmodel import Field

from app.models.base import Enumeration, Shape

ImportProblemKind = Literal[
    "broken-link", "condition", "missing-file", "duplicate", "navigation", "unsupported", "undecodable",
    "skipped",
]  # fmt: skip


class ImportProblemOut(Shape):
    """Something that an import could not keep as it was."""

    kind: ImportProblemKind = Field(description="Kind of the problem.")
    file: str = Field(description="File that has the problem, or address of the page.")
    message: str = Field(description="What the problem is, in a sentence for people.")
    line: int | None = Field(
        default=None, description="Line of the file, from 1. Absent if the problem is of the file as a whole."
    )


class ImportProblemCountOut(Shape):
    """Number of the problems of a kind."""

    kind: ImportProblemKind = Field(description="Kind of the problems.")
    count: int = Field(description="Number of them, with those that are not listed.")


class ImportProblemCauseOut(Shape):
    """A cause of problems of an import, with the places where they occurred."""

    kind: ImportProblemKind = Field(description="Kind of the problems.")
    message: str = Field(description="Message of the problems, with `…` for what each of them quotes.")
    count: int = Field(description="Number of them, with those that are not listed.")
    problems: list[ImportProblemOut] = Field(description="The first five of them.")


ENUMERATIONS = (
    Enumeration(
        "ImportProblemKind",
        ImportProblemKind,
        {
            "broken-link": "A link leads nowhere.",
            "condition": "A condition cannot be read.",
            "missing-file": "A file is named and is missing.",
            "duplicate": "A page is listed more than once; its first place counts.",
            "navigation": "A part of the navigation was not followed.",
            "unsupported": "Something is of a kind that is not supported.",
            "undecodable": "A text is not valid UTF-8.",
            "skipped": "A page or a file was left out.",
        },
    ),
)

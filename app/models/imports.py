"""Imports of content, from addresses and as runs that callers follow."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.models.base import Column, Enumeration, Names, Shape, Url

ImportSource = Literal[
    "website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"
]


class ImportBody(Shape):
    """What to import from an address."""

    url: Url = Field(description="Public address to import from.")
    source: ImportSource = Field(
        description="What is at the address. `markdown`, `html`, `docx`, `zip` and `website` can be "
        "imported; others are refused."
    )


class ImportOut(Shape):
    """The outcome of an import (specification, Content reference lists)."""

    revision: Annotated[str, Column("revision_id"), Names("Revision")] = Field(
        description="Revision that the import made. If it changed nothing, the one that was there."
    )
    imported_resources: Annotated[int, Column("imported")] = Field(
        description="Number of pages, files and reusable contents that were imported."
    )
    total_resources: Annotated[int, Column("total")] = Field(
        description="Number of those that were found, with those that were left out."
    )


ENUMERATIONS = (
    Enumeration(
        "ImportSource",
        ImportSource,
        {
            "website": "A website: the pages below the address.",
            "docx": "One word processor document (.docx).",
            "markdown": "One Markdown file.",
            "html": "One HTML page.",
            "zip": "An archive with a folder of Markdown files.",
            "confluence": "A Confluence space. Not supported.",
            "github-wiki": "A GitHub wiki. Not supported.",
            "notion": "A Notion workspace. Not supported.",
            "google-docs": "A Google Docs document. Not supported.",
        },
    ),
)

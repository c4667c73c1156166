"""Imports from an address."""

from __future__ import annotations

from typing import Literal

from app.models.base import Shape, Url

ImportSource = Literal[
    "website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"
]


class ImportBody(Shape):
    """What to import: an address, and what is found there."""

    url: Url
    source: ImportSource

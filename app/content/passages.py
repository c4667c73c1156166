"""Passages: the parts of a page that a search finds."""

from __future__ import annotations

from typing import NamedTuple


class Passage(NamedTuple):
    """A section of a page, or a part of a long one: its heading with the anchor, and its plain text."""

    heading: str | None
    anchor: str | None
    body: str

"""Passages: the parts of a page that a search finds."""

from __future__ import annotations

from typing import NamedTuple

from app.content.folding import indexable


class Passage(NamedTuple):
    """A section of a page, or a part of a long one: as it is shown, and folded for looking up."""

    heading: str | None
    anchor: str | None
    body: str
    folded_heading: str
    folded_body: str


def passage(heading: str | None, anchor: str | None, body: str) -> Passage:
    """A passage, folded; large imports do that beside the process that writes."""
    return Passage(heading, anchor, body, indexable(heading or ""), indexable(body))

"""Passages: the parts of a page that a search finds, each with its text folded for looking up."""

from __future__ import annotations

from dataclasses import dataclass

from app.content.folding import indexable


@dataclass(slots=True, frozen=True)
class Passage:
    """A section of a page, as shown and as looked up."""

    heading: str | None
    anchor: str | None
    body: str
    folded_heading: str
    folded_body: str


def passage(heading: str | None, anchor: str | None, body: str) -> Passage:
    """A section, folded."""
    return Passage(heading, anchor, body, indexable(heading or ""), indexable(body))

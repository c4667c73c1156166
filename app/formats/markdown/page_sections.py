"""The sections of a page as parts of its source, so that one of them can be read or replaced by itself.

A section begins with a heading and goes on to the next one of its level or a higher one: it holds the
sections below it. Headings inside of quotes, lists and cells begin none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.formats.markdown.scanner import Heading, scan

INTRODUCTION = "^"
"""Names the text above the first heading; anchors that are made from headings never have this character."""

_LINE = re.compile(r"\r\n|\r|\n")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")


class SourceSection(NamedTuple):
    """A section: its anchor, heading and level, and where it starts and ends in the source."""

    anchor: str
    title: str
    level: int
    start: int
    end: int


def source_sections(markdown: str) -> list[SourceSection]:
    """Return the sections of a page in their order; the text above the first heading is one of level 0."""
    lines = _LINE.split(markdown)
    ends = [found.end() for found in _LINE.finditer(markdown)]
    starts = [0, *ends]
    headings = [each for each in scan(markdown).headings if _begins_section(lines, each)]
    places = [starts[each.line - 1] for each in headings]
    first = places[0] if places else len(markdown)
    found = []
    if markdown[:first].strip():
        found.append(SourceSection(INTRODUCTION, "", 0, 0, first))
    closes = _ends([each.level for each in headings], [*places, len(markdown)])
    found += [
        SourceSection(each.anchor, each.text, each.level, start, end)
        for each, start, end in zip(headings, places, closes, strict=True)
    ]
    return found


def with_section(markdown: str, section: SourceSection, text: str) -> str:
    """Return a page whose section has another text; an empty one removes the section."""
    before, after = markdown[: section.start], markdown[section.end :]
    text = text.strip("\n")
    if not text:
        return before + after
    gap = "\n" if after else ""
    return f"{before}{text}\n{gap}{after}"


def _begins_section(lines: Sequence[str], heading: Heading) -> bool:
    """Tell whether a heading stands by itself at the top of its page."""
    line = lines[heading.line - 1]
    if _ATX.match(line):
        return True
    is_marked = line[:1].isspace() or line.startswith((">", "- ", "* ", "+ ", "|", "<"))
    below = lines[heading.line : heading.line + 1]
    return not is_marked and bool(below) and _UNDERLINE.match(below[0]) is not None


def _ends(levels: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return where the sections of these levels end, which begin at these places; the last one is the end."""
    ends = [places[-1]] * len(levels)
    open_sections: list[int] = []
    for index, level in enumerate(levels):
        while open_sections and levels[open_sections[-1]] >= level:
            ends[open_sections.pop()] = places[index]
        open_sections.append(index)
    return ends

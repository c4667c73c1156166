"""Reading of a page of Markdown without rendering it: headings, links with their offsets, text by section.

This runs on every body ever written, so it is one pass over the lines and one over the marks inside them, in
time linear in the text whatever the text is, and it never raises.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from app.formats.markdown.scanner_blocks import outline
from app.formats.markdown.scanner_inline import Inline
from app.formats.markdown.scanner_lines import Leaf, Outline, cells
from app.formats.markdown.scanner_syntax import LinkKind
from app.kit.deadlines import check

__all__ = ["Heading", "LinkKind", "Scan", "ScannedLink", "Section", "scan"]

Span = tuple[int, int, LinkKind]
MOST_LINKS = 10_000
"""Links of a page that are followed; all others stay as they are written, wherever things move."""

_GIVEN_ANCHOR = re.compile(r"\{#([^\s{}#]++)\}(?=[ \t]*+\Z)")
_TASK = re.compile(r"\[[ xX]\](?=\s)")
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)


class Heading(NamedTuple):
    """A heading: its plain text, and the anchor under which the page is entered there."""

    level: int
    text: str
    anchor: str
    line: int


class ScannedLink(NamedTuple):
    """An href as written; `start` and `end` are its offsets in the page, so that it can be replaced."""

    href: str
    start: int
    end: int
    line: int
    kind: LinkKind


class Section(NamedTuple):
    """The plain text from one heading to the next; before the first heading there is none."""

    heading: Heading | None
    text: str


class Scan(NamedTuple):
    """All that is derived from a body once; `ids` are the places that its HTML names."""

    headings: tuple[Heading, ...]
    links: tuple[ScannedLink, ...]
    sections: tuple[Section, ...]
    title: str | None
    ids: tuple[str, ...]


def scan(markdown: str) -> Scan:
    """Read a page: any text is a page, and offsets are those of the text as given."""
    text = _with_plain_lines(markdown)
    page = outline(text)
    inline = Inline(text, {found.label for found in page.definitions})
    sections = _sections(text, page.leaves, inline)
    spans = _spans(page, inline)
    return Scan(
        headings=tuple(section.heading for section in sections if section.heading),
        links=tuple(_links(markdown, text, spans[:MOST_LINKS])),
        sections=tuple(sections),
        title=_title(page.leaves, sections),
        ids=tuple(inline.ids),
    )


def _sections(text: str, leaves: list[Leaf], inline: Inline) -> list[Section]:
    sections: list[Section] = []
    heading, parts = None, list[str]()
    anchors = Anchors()
    line, counted = 1, 0
    for leaf in leaves:
        check()
        if leaf.kind == "heading":
            _end_section(sections, heading, parts)
            line, counted = line + text.count("\n", counted, leaf.start), leaf.start
            heading, parts = _heading(inline, leaf, anchors, line), []
        else:
            parts.append(_text(inline, leaf))
    _end_section(sections, heading, parts)
    return sections


def _end_section(sections: list[Section], heading: Heading | None, parts: list[str]) -> None:
    text = " ".join("\n".join(parts).split())
    if heading or text:
        sections.append(Section(heading, text))


def _heading(inline: Inline, leaf: Leaf, anchors: Anchors, line: int) -> Heading:
    source, explicit = leaf.source, None
    if "{#" in source and (given := _GIVEN_ANCHOR.search(source)):
        source, explicit = source[: given.start()], given[1]
    text = " ".join(inline.text(source, leaf.start).split())
    return Heading(leaf.level, text, anchors.take(text, inline.anchor or explicit), line)


def _text(inline: Inline, leaf: Leaf) -> str:
    source, start = leaf.source, leaf.start
    if leaf.kind == "text":
        if leaf.nested and source[0] == "[" and _TASK.match(source):
            source, start = source[3:], start + 3
        return inline.text(source, start)
    if leaf.kind == "code":
        return source
    if leaf.kind == "html":
        return inline.html_text(source, start)
    if inline.is_plain(source):
        return source.replace("|", " ")
    return " ".join([inline.text(source[at:to], start + at) for at, to in cells(source)])


def _spans(page: Outline, inline: Inline) -> list[Span]:
    """Return where the hrefs of a page are, in the order of the page."""
    spans: list[Span] = [*inline.links, *((found.start, found.end, "link") for found in page.definitions)]
    spans.sort()
    raw = [*inline.raw, (inline.raw_from, sys.maxsize)] if inline.raw_from >= 0 else inline.raw
    for start, end in raw:
        spans[bisect_left(spans, (start,)) : bisect_left(spans, (end,))] = []
    return spans


def _links(markdown: str, text: str, spans: list[Span]) -> Iterator[ScannedLink]:
    line, counted = 1, 0
    for start, end, kind in spans:
        line, counted = line + text.count("\n", counted, start), start
        yield ScannedLink(markdown[start:end], start, end, line, kind)


def _title(leaves: list[Leaf], sections: list[Section]) -> str | None:
    """Return the text of a level-1 heading that only comments stand before."""
    for leaf in leaves:
        if leaf.kind == "html" and _COMMENT.fullmatch(leaf.source):
            continue
        if leaf.kind == "heading" and leaf.level == 1 and not leaf.nested and sections[0].heading:
            return sections[0].heading.text or None
        return None
    return None


def _with_plain_lines(markdown: str) -> str:
    """Return the source, as long as before, with `\\n` for every line end and without NUL
    and byte order mark.
    """
    if "\r" in markdown:
        markdown = markdown.replace("\r\n", " \n").replace("\r", "\n")
    if "\0" in markdown:
        markdown = markdown.replace("\0", "\ufffd")
    return " " + markdown[1:] if markdown.startswith("\ufeff") else markdown


UNNAMED = "section"
"""The anchor of a heading whose text has neither letters nor digits."""


def slug(title: str) -> str:
    """Return the anchor a title suggests: lower case, punctuation dropped, spaces to hyphens,
    letters kept.
    """
    title = title.strip()
    if title.isascii():
        return title.translate(_ASCII) or UNNAMED
    return "".join(filter(_belongs, title.lower())).replace(" ", "-") or UNNAMED


def _belongs(mark: str) -> bool:
    # Vowel signs and accents are no letters for isalnum(), yet words of many scripts fall apart without them.
    return mark.isalnum() or mark in "-_ " or unicodedata.category(mark)[0] == "M"


# What becomes of plain characters, the same at once.
_ASCII = {code: chr(code).lower() if _belongs(chr(code)) else None for code in range(128)} | {ord(" "): "-"}


class Anchors:
    """The anchors already taken in one page, in reading order."""

    __slots__ = ("_next", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, title: str, explicit: str | None = None) -> str:
        """Return the anchor of the next heading: the explicit one, else its slug;
        with `-1`, `-2` when taken.
        """
        wanted = explicit or slug(title)
        anchor, number = wanted, self._next.get(wanted, 1)
        while anchor in self._taken:
            anchor = f"{wanted}-{number}"
            number += 1
        self._next[wanted] = number
        self._taken.add(anchor)
        return anchor

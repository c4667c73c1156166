"""A book written down as data for the template: titles, pages and their blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.formats.dialect import nodes
from app.formats.dialect.nodes import Node
from app.formats.pdf import bodies, inlines, text
from app.formats.pdf.blocks import blocks
from app.formats.pdf.book import Book, BookPage, PictureOf
from app.formats.pdf.pictures import Pictures
from app.formats.pdf.places import Places
from app.formats.pdf.setting import DEEPEST_PAGE, Room, Setting, Shared

PAGE_ROOM = 300
ROOM = 5_000_000
CUT = "The rest of this page is too long to be printed."
LONGEST_TITLE = 1_000
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{2}))?(?:[-_]|\Z)")


def manuscript(
    book: Book,
    picture_of: PictureOf,
    folder: Path,
    *,
    pictograms: bool,
    before_page: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The data of the whole book; its pictures are written to the folder.

    `before_page` is called before each page, and ends the work by raising.
    """
    shared = Shared(Places(book), Pictures(folder), picture_of, pictograms, Room(ROOM), book.included)
    shared.room.take(PAGE_ROOM * len(book.pages))
    opened = [_Opened(page, Setting(shared, page)) for page in book.pages]
    made = []
    for page in opened:
        before_page()
        made.append(page.data())
    shared.places.settle()
    language = _LANGUAGE.match(book.language)
    return {
        "title": _title(book.title, pictograms) or "Untitled",
        "subtitle": _title(book.subtitle, pictograms),
        "author": _title(book.author, pictograms),
        "notes": [_title(note, pictograms) for note in book.notes[:20]],
        "language": language[1].lower() if language else "en",
        "region": language[2].upper() if language and language[2] else None,
        "pages": made,
    }


class _Opened:
    """A page whose place is marked before any page is written, so that its title's link is its own."""

    def __init__(self, page: BookPage, here: Setting) -> None:
        self.page = page
        self.here = here
        self.place = here.mark("") or here.shared.places.another()

    def data(self) -> dict[str, Any]:
        """The page's data with as much of its body as there is room for."""
        page, here = self.page, self.here
        document, is_whole = bodies.of_page(here)
        body = blocks(_without_title(document, page.title), here)
        notes = _notes(here)
        if not is_whole or (document and here.shared.room.left < 0):
            body.append({"k": "box", "label": CUT, "t": ""})
        return {
            "id": self.place,
            "title": _title(page.title, here.shared.pictograms) or "Untitled",
            "depth": min(max(page.depth, 0), DEEPEST_PAGE),
            "description": inlines.line(page.description[: 10 * LONGEST_TITLE], here),
            "kind": page.kind,
            "changed": page.changed,
            "href": here.words(page.href[:LONGEST_TITLE]),
            "a": here.link(page.href) if page.href else {},
            "c": body,
            "notes": notes,
        }


def _title(content: str, pictograms: bool) -> str:
    short = text.one_line(content[:LONGEST_TITLE])
    return text.breakable(text.printable(short, pictograms=pictograms), text.CELL)


def _without_title(inside: list[Node], title: str) -> list[Node]:
    """The blocks without a first heading that only says the page's title again."""
    first = inside[0] if inside else None
    if first and first["type"] == "heading-1" and nodes.plain_text(first["nodes"]).strip() == title.strip():
        return inside[1:]
    return inside


def _notes(here: Setting) -> list[dict[str, Any]]:
    """The page's notes; a note's text may hold the first reference to another."""
    made = []
    for number, body, place in here.notes.bodies:
        made.append({"n": str(number), "id": place, "c": blocks(body, here.inside())})
    return sorted(made, key=lambda note: int(note["n"]))

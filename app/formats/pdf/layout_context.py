"""Where a piece of a page is being set: its page, how narrow it is, and what all pages share.

Bodies become documents here: a page's own, and the reusable contents that it includes, evaluated if
conditional. What is too long, or would take too long to parse, is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.formats.markdown import hrefs
from app.formats.markdown.evaluation import evaluate_document
from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import to_document
from app.formats.markdown.passages import Text
from app.formats.pdf import tex, text
from app.formats.pdf.book import Body, BookPage, PictureOf, Pictures, Places

DEEPEST = 9
"""How deep containers nest on paper; what is deeper is set at this depth."""
DEEPEST_PAGE = 8


CELL_ROOM = 45
ITEM_ROOM = 80
BLOCK_ROOM = 30
PIECE_ROOM = 8
BREAK_ROOM = 30
PICTURE_ROOM = 200
FORMULA_ROOM = 400
INCLUDED_ROOM = 500
"""What each of these needs beside its characters, which need one each; an item may be a box."""


@dataclass(slots=True)
class Room:
    """How much more may be set; typst holds a whole book in memory, about 250 bytes for each one of these."""

    left: int

    def take(self, amount: int) -> bool:
        """Use some of it; False if that was more than there was."""
        self.left -= amount
        return self.left >= 0

    def fit(self, count: int, amount: int) -> int:
        """Use some of it for each of `count` things; how many of them there was room for."""
        fitting = min(count, max(self.left, 0) // amount)
        self.left = self.left - fitting * amount if fitting == count else -1
        return fitting


@dataclass(slots=True)
class Shared:
    """What the whole book shares."""

    places: Places
    pictures: Pictures
    picture_of: PictureOf
    pictograms: bool
    room: Room
    included: Mapping[str, Body]


@dataclass(slots=True)
class Notes:
    """The notes of one page in the order of their numbers: label, blocks, place."""

    numbers: dict[str, int] = field(default_factory=dict)
    bodies: list[tuple[int, list[Node], str | None]] = field(default_factory=list)


@dataclass(slots=True)
class Setting:
    """The place on a page that is being written; `longest` is how long a word may be here.

    `within` are the paths of the reusable contents that this is a part of, the outermost first.
    """

    shared: Shared
    page: BookPage
    notes: Notes = field(default_factory=Notes)
    depth: int = 0
    longest: int = text.PROSE
    within: tuple[str, ...] = ()

    def inside(self, *, longest: int | None = None) -> Setting:
        """One container further in."""
        return replace(self, depth=self.depth + 1, longest=min(longest or self.longest, self.longest))

    def inside_of(self, path: str) -> Setting:
        """In a reusable content: what it refers to is looked for from where it is kept."""
        return replace(self, page=replace(self.page, path=path), within=(*self.within, path))

    def words(self, content: str) -> str:
        """The text as it is set here."""
        made = text.breakable(self.plain(content), self.longest)
        self.shared.room.take(BREAK_ROOM * made.count(text.BREAK))
        return made

    def plain(self, content: str) -> str:
        """The text as it can be printed, words as long as they are."""
        return text.printable(content, pictograms=self.shared.pictograms)

    def link(self, href: str) -> dict[str, Any]:
        """Where an href of this page leads."""
        return self.shared.places.link(self.page, href)

    def mark(self, anchor: str) -> str | None:
        """The label for an anchor of this page."""
        return self.shared.places.mark(self.page, anchor)

    def title(self, href: str) -> str | None:
        """The title of the page an href leads to."""
        found = self.shared.places.title(self.page, href)
        return None if found is None else self.words(text.one_line(found))

    def picture(self, href: str) -> tuple[str, str]:
        """The file of a picture, and the reason if there is none."""
        if href.lower().startswith(("http:", "https:", "//", "data:")):
            return "", "outside of this book"
        self.shared.room.take(PICTURE_ROOM)
        return self.shared.pictures.keep(self.shared.picture_of(self.page, href))

    def formula(self, source: str) -> tex.Tree | None:
        """The tree of a formula that is understood."""
        self.shared.room.take(FORMULA_ROOM)
        return tex.formula(self.plain(source))

    def note(self, label: str, body: list[Node] | None) -> tuple[int, str | None]:
        """The number of a note and the place of its text; only its first reference has the text."""
        number = self.notes.numbers.setdefault(label, len(self.notes.numbers) + 1)
        if body is not None:
            place = self.shared.places.mark(self.page, f"\0{number}")
            self.notes.bodies.append((number, body, place))
        return number, self.shared.places.known(self.page, f"\0{number}")


MOST_OF_A_BODY = 1_000_000
MOST_BRACKETS = 20_000
MOST_WITHIN = 5


def of_page(here: Setting) -> tuple[list[Node], bool]:
    """The blocks of the page's body, and whether that is all of it."""
    text = _text(here.page.body_markdown)
    most = _most(text.body, here)
    document = _document(text, most, here.page)
    fits = here.shared.room.take(len(text.body)) or not text.body
    return document, fits and most >= len(text.body)


def of_reusable(href: str, here: Setting) -> tuple[list[Node], Setting] | None:
    """The blocks of a reusable content and the setting that they stand in; None if it is not included here.

    One that is not known, that includes itself, or that is too deep in others stays a line.
    """
    target = hrefs.resolve(href, here.page.path)
    if target is None or target.path in here.within or len(here.within) >= MOST_WITHIN:
        return None
    held = here.shared.included.get(target.path)
    if held is None or not here.shared.room.take(INCLUDED_ROOM):
        return None
    text = _text(held)
    document = _document(text, _most(text.body, here), here.page)
    here.shared.room.take(len(text.body))
    return document, here.inside_of(target.path)


def _text(body: Body) -> Text:
    return Text(body, conditional=False) if isinstance(body, str) else body()


def _most(markdown: str, here: Setting) -> int:
    """How many characters of a body are parsed."""
    most = min(max(here.shared.room.left, 0), MOST_OF_A_BODY)
    if markdown.count("[", 0, most) <= MOST_BRACKETS:
        return most
    return _nth(markdown, "[", MOST_BRACKETS)


def _nth(content: str, sign: str, number: int) -> int:
    """Where the sign stands for the n-th time."""
    at = -1
    for _ in range(number):
        at = content.index(sign, at + 1)
    return at


def _document(text: Text, most: int, page: BookPage) -> list[Node]:
    markdown = text.body[:most]
    document = evaluate_document(markdown, dict(page.scope)) if text.conditional else to_document(markdown)
    made: list[Node] = document["nodes"]
    return made

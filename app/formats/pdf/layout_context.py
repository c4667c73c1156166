"""Text fit for setting: what no font can show is named or dropped, and long words may break.

A word that would run out of the margin gets invisible break points (`BREAK`); the template turns them into
places where a line may end, so that copied text does not contain them.

Where a piece of a page is being set: its page, how narrow it is, and what all pages share.

Bodies become documents here: a page's own, and the reusable contents that it includes, evaluated if
conditional. What is too long, or would take too long to parse, is cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.formats.markdown import hrefs
from app.formats.markdown.dialects import understood
from app.formats.markdown.evaluation import evaluate_document
from app.formats.markdown.nodes import Node
from app.formats.markdown.parser import to_document
from app.formats.markdown.passages import BodyText
from app.formats.pdf import tex
from app.formats.pdf.book import Body, BookPage, BookPicture, PictureOf, Pictures, Places

BREAK = "\u200b"
PROSE = 28
CELL = 14
CODE = 64
NARROW_CODE = 28

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Scripts without spaces break between their own words or signs.
_SPACELESS = r"\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_AFTER = re.compile(r"(?<=[/._\-?&=,:;|)\]}@+%\\])(?=[^\s])")
# What the embedded fonts have no glyph for; their few round signs among these are left as they are.
_PICTOGRAM = re.compile(
    "[\U0001f000-\U0001f6d0\U0001f6d2-\U0001f7e0\U0001f7e3-\U0001faff✨⛔❌✅❓❗➕➖✖⚽]"
)
_JOINERS = re.compile("[\ufe0e\ufe0f\u20e3\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_SIMILAR = {"✅": "✔", "❌": "✘", "✖": "✘", "❗": "!", "❓": "?", "➕": "+", "➖": "−"}


def printable(content: str, *, pictograms: bool) -> str:
    """Return the text without control characters; without an emoji font (`pictograms`),
    emoji by their names.
    """
    clean = _UNPRINTABLE.sub("\ufffd", content.expandtabs(4))
    if pictograms or clean.isascii():
        return clean
    return _PICTOGRAM.sub(_named, _JOINERS.sub("", clean))


def _named(sign: re.Match[str]) -> str:
    name = unicodedata.name(sign[0], "").lower().replace(" ", "_")
    return _SIMILAR.get(sign[0]) or (f":{name}:" if name else "\ufffd")


def breakable(content: str, longest: int = PROSE) -> str:
    """Return the text with break points in every word of more than `longest` characters."""
    if len(content) <= longest:
        return content
    return re.sub(rf"[^{_SPACELESS}]{{{longest + 1},}}", lambda word: _broken(word[0], longest), content)


def _broken(word: str, longest: int) -> str:
    """Insert breaks after punctuation, and where there is none, every few characters."""
    step = max(longest // 2, 4)
    parts = (part for part in _AFTER.split(word) if part)
    return BREAK.join(part[at : at + step] for part in parts for at in range(0, len(part), step))


def one_line(content: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(content.split())


_NAMED = {
    "black": "#1b1f24", "white": "#ffffff", "gray": "#6b7280", "grey": "#6b7280", "red": "#c62828",
    "orange": "#c2570c", "yellow": "#a16207", "green": "#15803d", "teal": "#0f766e", "blue": "#1d4ed8",
    "purple": "#7e22ce", "violet": "#7e22ce", "pink": "#be185d", "brown": "#7c4a21",
}  # fmt: skip
_TINTS = {
    "gray": "#e5e7eb", "grey": "#e5e7eb", "red": "#fee2e2", "orange": "#ffedd5", "yellow": "#fef3c7",
    "green": "#dcfce7", "teal": "#ccfbf1", "blue": "#dbeafe", "purple": "#f3e8ff", "violet": "#f3e8ff",
    "pink": "#fce7f3", "brown": "#efe3d8",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})\Z")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})[^()]{0,20}\)\Z")


def color(written: object, *, tint: bool = False) -> str | None:
    """Return the colour, or None for what is not understood; `tint` reads a name as a background."""
    value = str(written or "").strip().lower()
    named = (_TINTS if tint else _NAMED).get(value) or _NAMED.get(value)
    if named:
        return named
    if match := _HEX.match(value):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
        return f"#{digits}"
    if match := _RGB.match(value):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in match.groups())
    return None


DEEPEST = 9
"""The depth to which containers nest on paper; what is deeper is set at this depth."""
DEEPEST_PAGE = 8


CELL_ROOM = 45
ITEM_ROOM = 80
BLOCK_ROOM = 30
PIECE_ROOM = 8
BREAK_ROOM = 30
PICTURE_ROOM = 200
FORMULA_ROOM = 400
INCLUDED_ROOM = 500
"""The room that each of these needs beside its characters, which need one each; an item may be a box."""


@dataclass(slots=True)
class Room:
    """The room that is left; typst holds a whole book in memory, about 250 bytes for each one of these."""

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
    """The state that the whole book shares."""

    places: Places
    pictures: Pictures
    picture_of: PictureOf
    pictograms: bool
    room: Room
    included: Mapping[str, Body]
    drawn: int = 0  # diagrams


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
    longest: int = PROSE
    within: tuple[str, ...] = ()
    in_link: bool = False

    def inside(self, *, longest: int | None = None) -> Setting:
        """Return one container further in."""
        return replace(self, depth=self.depth + 1, longest=min(longest or self.longest, self.longest))

    def inside_of(self, path: str) -> Setting:
        """Return the context inside a reusable content, whose links are resolved from its own path."""
        return replace(self, page=replace(self.page, path=path), within=(*self.within, path))

    def words(self, content: str) -> str:
        """Return the text as it is set here."""
        made = breakable(self.plain(content), self.longest)
        self.shared.room.take(BREAK_ROOM * made.count(BREAK))
        return made

    def plain(self, content: str) -> str:
        """Return the text as it can be printed, words as long as they are."""
        return printable(content, pictograms=self.shared.pictograms)

    def link(self, href: str) -> dict[str, Any]:
        """Return where an href of this page leads."""
        return self.shared.places.link(self.page, href)

    def mark(self, anchor: str) -> str | None:
        """Return the label for an anchor of this page."""
        return self.shared.places.mark(self.page, anchor)

    def title(self, href: str) -> str | None:
        """Return the title of the page an href leads to."""
        found = self.shared.places.title(self.page, href)
        return None if found is None else self.words(one_line(found))

    def picture(self, href: str) -> tuple[str, str]:
        """Return the file of a picture, and the reason if there is none."""
        if href.lower().startswith(("http:", "https:", "//", "data:")):
            return "", "outside of this book"
        self.shared.room.take(PICTURE_ROOM)
        return self.shared.pictures.keep(self.shared.picture_of(self.page, href))

    def keep(self, picture: BookPicture) -> tuple[str, str]:
        """Return the file of a picture that was made here, and the reason if there is none."""
        self.shared.room.take(PICTURE_ROOM)
        return self.shared.pictures.keep(picture)

    def formula(self, source: str) -> tex.Tree | None:
        """Return the tree of a formula that is understood."""
        self.shared.room.take(FORMULA_ROOM)
        return tex.formula(self.plain(source))

    def note(self, label: str, body: list[Node] | None) -> tuple[int, str | None]:
        """Return the number of a note and the place of its text; only its first reference has the text."""
        number = self.notes.numbers.setdefault(label, len(self.notes.numbers) + 1)
        if body is not None:
            place = self.shared.places.mark(self.page, f"\0{number}")
            self.notes.bodies.append((number, body, place))
        return number, self.shared.places.known(self.page, f"\0{number}")


MOST_OF_A_BODY = 1_000_000
MOST_BRACKETS = 20_000
MOST_WITHIN = 5


def of_page(here: Setting) -> tuple[list[Node], bool]:
    """Return the blocks of the page's body, and whether that is all of it."""
    text = _text(here.page.body_markdown)
    most = _most(text.body, here)
    document = _document(text, most, here.page)
    fits = here.shared.room.take(len(text.body)) or not text.body
    return document, fits and most >= len(text.body)


def of_reusable(href: str, here: Setting) -> tuple[list[Node], Setting] | None:
    """Return the blocks of a reusable content and the setting that they stand in;
    None if it is not included here.

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


def _text(body: Body) -> BodyText:
    """Return a body with what other tools write in our dialect."""
    text = BodyText(body, conditional=False) if isinstance(body, str) else body()
    return text._replace(body=understood(text.body))


def _most(markdown: str, here: Setting) -> int:
    """Return how many characters of a body are parsed."""
    most = min(max(here.shared.room.left, 0), MOST_OF_A_BODY)
    if markdown.count("[", 0, most) <= MOST_BRACKETS:
        return most
    return _nth(markdown, "[", MOST_BRACKETS)


def _nth(content: str, sign: str, number: int) -> int:
    """Return where the sign stands for the n-th time."""
    at = -1
    for _ in range(number):
        at = content.index(sign, at + 1)
    return at


def _document(text: BodyText, most: int, page: BookPage) -> list[Node]:
    markdown = text.body[:most]
    document = evaluate_document(markdown, dict(page.scope)) if text.conditional else to_document(markdown)
    made: list[Node] = document["nodes"]
    return made

"""The printed book: a book of pages in reading order, and how its links and pictures are found.

Nothing here knows where pages are stored. Hrefs are given to the callers' functions as they stand in a body,
together with the page they stand on.

Pictures are written to the book's own folder if typst may read them, else there is a reason why not. A
picture's format is what its first bytes say. Sizes are bounded before anything is decoded; what turns out to
be broken when it is decoded is found by `typst_process.py`.

Every heading that is printed is a place, and a link inside the book leads only to one of those. Pages are
written one after another, so links are noted first and settled when all places are known. Places are
numbered: a label in the typst source is never made of anybody's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from app.formats.images import dimensions
from app.formats.markdown import hrefs
from app.formats.markdown.passages import BodyText

PageKind = Literal["document", "group", "link"]
Change = Literal["added", "edited", "deleted", "moved", "edited and moved"]
Body = str | Callable[[], BodyText]
"""Markdown that is the same for everybody, or what reads a body when its turn has come."""


@dataclass(slots=True, frozen=True)
class BookPage:
    """One page: `depth` 0 is a chapter of its own, its children follow it with greater depths.

    `path` is the source path its relative hrefs start from; `href` is where a page of kind `link` leads.
    A body that is conditional is evaluated in `scope`.
    """

    id: str
    title: str
    depth: int = 0
    description: str = ""
    body_markdown: Body = ""
    kind: PageKind = "document"
    changed: Change | None = None
    path: str = ""
    href: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class BookPicture:
    """A picture that can be had: equal keys are equal bytes; `size` is how many, known before they are read.

    `read` gives None where they are gone.
    """

    key: str
    size: int
    read: Callable[[], bytes | None]


PageOf = Callable[[BookPage, str], "str | None"]
"""The id of the page an href (without its fragment) on a page leads to, or None if it is none of them."""
PictureOf = Callable[[BookPage, str], "BookPicture | None"]
"""The picture an href on a page means, or None if there is none."""


@dataclass(slots=True, frozen=True)
class Book:
    """The content to print. `language` is a tag such as `en`; `page_of` defaults to the paths of pages."""

    title: str
    pages: Sequence[BookPage]
    subtitle: str = ""
    language: str = "en"
    author: str = ""
    page_of: PageOf | None = None
    notes: Sequence[str] = field(default=())
    """Short lines for the title page: the revision, the day, the address."""
    included: Mapping[str, Body] = field(default_factory=dict)
    """Reusable contents by the paths that pages include them by."""


def by_path(pages: Sequence[BookPage]) -> PageOf:
    """Return what finds a page by an href, read as in a repository of Markdown files."""
    ids = {page.path: page.id for page in pages if page.path}

    def page_of(page: BookPage, href: str) -> str | None:
        target = hrefs.resolve(href, page.path)
        found = hrefs.candidates(target.path) if target else []
        return next((ids[path] for path in found if path in ids), None)

    return page_of


def from_mapping(pictures: Mapping[str, bytes]) -> PictureOf:
    """Return what finds a picture by an href as written, else by the path that it leads to from the page."""

    def picture_of(page: BookPage, href: str) -> BookPicture | None:
        target = hrefs.resolve(href, page.path)
        data = pictures.get(href) or (pictures.get(target.path) if target else None)
        return None if data is None else BookPicture(sha256(data).hexdigest(), len(data), lambda: data)

    return picture_of


MOST_BYTES = 20 << 20
MOST_SVG_BYTES = 2 << 20
MOST_PIXELS = 40_000_000
MOST_PICTURES = 5_000
ALL_BYTES = 100 << 20
ALL_PIXELS = 120_000_000

_RASTER = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
)
_KINDS = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
_SVG = re.compile(rb"<svg[\s>]", re.IGNORECASE)


@dataclass(slots=True)
class Pictures:
    """The pictures of one book, each kept once, and how much of what is allowed they have used."""

    folder: Path
    used_bytes: int = 0
    used_pixels: int = 0
    _known: dict[str, tuple[str, str]] = field(default_factory=dict)

    def keep(self, picture: BookPicture | None) -> tuple[str, str]:
        """Return the file name the picture has in the folder, and the reason if it has none."""
        if picture is None:
            return "", "not found"
        if picture.key not in self._known:
            self._known[picture.key] = self._kept(picture)
        return self._known[picture.key]

    def _kept(self, picture: BookPicture) -> tuple[str, str]:
        spent = len(self._known) >= MOST_PICTURES or self.used_bytes + picture.size > ALL_BYTES
        if spent or picture.size > MOST_BYTES:
            return "", "too large to be printed"
        data = picture.read()
        if data is None:
            return "", "not found"
        kind = sniff(data)
        if not kind:
            return "", "a format that cannot be printed"
        pixels = 0
        if kind != "svg":
            size = dimensions(_KINDS[kind], data)
            if size is None:
                return "", "broken"
            pixels = size[0] * size[1]
        most = MOST_SVG_BYTES if kind == "svg" else MOST_BYTES
        spent = self.used_bytes + len(data) > ALL_BYTES or self.used_pixels + pixels > ALL_PIXELS
        if len(data) > most or pixels > MOST_PIXELS or spent:
            return "", "too large to be printed"
        self.used_bytes += len(data)
        self.used_pixels += pixels
        name = f"picture-{len(self._known)}.{kind}"
        (self.folder / name).write_bytes(data)
        return name, ""


def sniff(data: bytes) -> str:
    """Return `png`, `jpg`, `gif`, `webp` or `svg` by the first bytes, or an empty text."""
    for magic, kind in _RASTER:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    head = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "svg" if head.startswith(b"<") and _SVG.search(head) else ""


Data = dict[str, Any]
_OUTSIDE = re.compile(
    r"(?:https?://|mailto:|tel:)[^\x00-\x20\x7f-\x9f\ud800-\udfff]{1,2000}\Z", re.IGNORECASE
)


class Places:
    """The places of a book, and the links that wait for them."""

    def __init__(self, book: Book) -> None:
        self._page_of = book.page_of or by_path(book.pages)
        self._labels: dict[tuple[str, str], str] = {}
        self._titles = {page.id: page.title for page in book.pages}
        self._waiting: list[tuple[Data, tuple[str, str]]] = []

    def mark(self, page: BookPage, anchor: str = "") -> str | None:
        """Return the label for a place that is about to be printed; None if there is such a place already."""
        if (page.id, anchor) in self._labels:
            return None
        return self._labels.setdefault((page.id, anchor), f"place-{len(self._labels)}")

    def another(self) -> str:
        """Return a label of its own, for a page whose id another page has too."""
        return self._labels.setdefault(("", str(len(self._labels))), f"place-{len(self._labels)}")

    def known(self, page: BookPage, anchor: str) -> str | None:
        """Return the label of a place that has been marked."""
        return self._labels.get((page.id, anchor))

    def link(self, page: BookPage, href: str) -> Data:
        """Return what a link's data say: `url`, or later `to`; nothing where it leads nowhere in print."""
        if _OUTSIDE.match(href):
            return {"url": href}
        address, _, fragment = href.partition("#")
        target = page.id if not address else self._page_of(page, address)
        made: Data = {}
        if target is not None:
            self._waiting.append((made, (target, unquote(fragment))))
        return made

    def title(self, page: BookPage, href: str) -> str | None:
        """Return the title of the page an href leads to, if it is in this book."""
        address = href.partition("#")[0]
        target = self._page_of(page, address) if address else None
        return None if target is None else self._titles.get(target)

    def settle(self) -> None:
        """Give every waiting link its label: the anchor's, else the page's, else none."""
        for made, (page, anchor) in self._waiting:
            label = self._labels.get((page, anchor)) or self._labels.get((page, ""))
            if label:
                made["to"] = label
        self._waiting.clear()

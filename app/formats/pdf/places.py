"""Links inside the book: every heading that is printed is a place, and a link leads only to one of those.

Pages are written one after another, so links are noted first and settled when all places are known. Places
are numbered: a label in the typst source is never made of anybody's text.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from app.formats.pdf.book import Book, BookPage, by_path

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
        """The label for a place that is about to be printed; None if there is such a place already."""
        if (page.id, anchor) in self._labels:
            return None
        return self._labels.setdefault((page.id, anchor), f"place-{len(self._labels)}")

    def another(self) -> str:
        """A label of its own, for a page whose id another page has too."""
        return self._labels.setdefault(("", str(len(self._labels))), f"place-{len(self._labels)}")

    def known(self, page: BookPage, anchor: str) -> str | None:
        """The label of a place that has been marked."""
        return self._labels.get((page.id, anchor))

    def link(self, page: BookPage, href: str) -> Data:
        """What a link's data say: `url`, or later `to`; nothing where it leads nowhere in print."""
        if _OUTSIDE.match(href):
            return {"url": href}
        address, _, fragment = href.partition("#")
        target = page.id if not address else self._page_of(page, address)
        made: Data = {}
        if target is not None:
            self._waiting.append((made, (target, unquote(fragment))))
        return made

    def title(self, page: BookPage, href: str) -> str | None:
        """The title of the page an href leads to, if it is in this book."""
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

"""Searches of the API reference: its pages by words of their titles, addresses and descriptions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.formats.text.search_text import marked
from app.site_reader.rendering.render_context import SearchHit

MOST_MEANT = 6  # words of a search whose slips are forgiven
ALIKE = 0.75  # of a word and the one that was probably meant
_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True, frozen=True)
class SearchablePage:
    """A page as a search sees it: `call` is the method and path of an operation."""

    title: str
    href: str
    path: str
    call: str
    said: str
    place: str

    def rank(self, query: str, words: list[str]) -> int | None:
        """Return how well the page matches, the best being 0; None where a word is missing."""
        title = self.title.lower()
        named = f"{title} {self.call.lower()} {self.path}"
        if all(word in named for word in words):
            return 0 if title.startswith(query) else 1 if words[0] in title else 2
        whole = f"{named} {self.said.lower()}"
        return 3 if all(word in whole for word in words) else None

    def hit(self, words: list[str]) -> SearchHit:
        """Return the page as what was found."""
        phrases = [[word] for word in words]
        about = " · ".join(filter(None, (self.call, self.said)))
        title, parts = marked(self.title, phrases), marked(about, phrases)
        return SearchHit(self.title, self.href, title, about, parts, self.place)


class ReferenceIndex:
    """The pages of the reference, and the words of their titles."""

    def __init__(self, pages: Iterable[SearchablePage]) -> None:
        self._pages = list(pages)
        self._known = sorted({word for page in self._pages for word in _words(page.title)})

    def find(self, query: str) -> list[SearchHit]:
        """Find pages, those whose title begins with what is asked first; without any, slips are forgiven."""
        words = query.lower().split()
        found = self._matching(words)
        if found or len(words) > MOST_MEANT:
            return found
        return self._matching([self._meant(word) for word in words])

    def _matching(self, words: list[str]) -> list[SearchHit]:
        if not words:
            return []
        query = " ".join(words)
        ranked = [(page.rank(query, words), place) for place, page in enumerate(self._pages)]
        best = sorted((rank, place) for rank, place in ranked if rank is not None)
        return [self._pages[place].hit(words) for _, place in best]

    def _meant(self, word: str) -> str:
        return next(iter(difflib.get_close_matches(word, self._known, 1, ALIKE)), word)


def _words(title: str) -> Iterator[str]:
    yield from _WORD.findall(title.lower())

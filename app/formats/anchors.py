"""Anchors of headings: a slug of the text, unique in the page, unless the author gave one."""

from __future__ import annotations

import unicodedata

UNNAMED = "section"
"""The anchor of a heading whose text has neither letters nor digits."""


def slug(title: str) -> str:
    """The anchor a title suggests: lower case, punctuation dropped, spaces to hyphens, letters kept."""
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
        """The anchor of the next heading: the explicit one, else its slug; with `-1`, `-2` when taken."""
        wanted = explicit or slug(title)
        anchor, number = wanted, self._next.get(wanted, 1)
        while anchor in self._taken:
            anchor = f"{wanted}-{number}"
            number += 1
        self._next[wanted] = number
        self._taken.add(anchor)
        return anchor

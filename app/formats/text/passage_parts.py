"""Long texts in parts of bounded size."""

from __future__ import annotations

from app.kit import deadlines

_CUTS = ("\n## ", "\n\n", "\n", " ")


def parts_of(text: str, most: int) -> list[str]:
    """Return a text in parts of at most `most` characters, cut before a heading, a paragraph, a line or a
    word, whichever is in the second half of a part, the first of these before the others.
    """
    parts, start = [], 0
    while len(text) - start > most:
        deadlines.check()
        found = (text.rfind(mark, start + most // 2, start + most) for mark in _CUTS)
        cut = next((place for place in found if place > 0), start + most)
        parts.append(text[start:cut])
        start = cut
    return [*parts, text[start:]]

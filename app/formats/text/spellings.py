"""Misspelled words: keys under which a word and what is written for it meet, and the distance between them.

A word is kept under itself and under itself without one of its characters, looking at the beginning only.
Whoever leaves a character out, adds one, writes another or swaps two asks under one of the same keys, so a
few look-ups of an index find the word, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST, LONGEST = 3, 32  # characters of a word that may be misspelled
_COMPARED = 7  # characters from the beginning that make keys


def is_correctable(word: str) -> bool:
    """Return whether a word is one that people misspell: neither a number, a checksum nor a name in code."""
    is_long_enough = SHORTEST <= len(word) <= LONGEST
    return is_long_enough and "_" not in word and sum(map(str.isdecimal, word)) * 3 <= len(word)


def words_of(texts: Iterable[str]) -> set[str]:
    """Return the words of folded texts."""
    return set(" ".join(texts).replace("_", " ").split())


def keys(word: str) -> set[str]:
    """Return the keys that a word is found under."""
    start = word[:_COMPARED]
    return {start, *(start[:n] + start[n + 1 :] for n in range(len(start)))}


def within_one(written: str, word: str) -> bool:
    """Return whether one slip of the pen lies between two words: a character too few or too many,
    another one, or two that are swapped.
    """
    if len(written) > len(word):
        written, word = word, written
    if len(word) - len(written) > 1:
        return False
    same = next((n for n, mark in enumerate(written) if mark != word[n]), len(written))
    rest, other = written[same:], word[same:]
    if len(rest) < len(other):
        return rest == other[1:]
    is_swapped = len(rest) > 1 and rest[0] == other[1] and rest[1] == other[0] and rest[2:] == other[2:]
    return rest[1:] == other[1:] or is_swapped


def nearest(written: str, words: dict[str, int], most: int) -> list[str]:
    """Return the words of these that may have been meant, the likeliest first: those that begin with the
    same character, then those that are used most. The end of a long word may still be missing.
    """
    near = [word for word in words if word != written and _is_meant(written, word)]
    near.sort(key=lambda word: (word[0] != written[0], -words[word], word))
    return near[:most]


def _is_meant(written: str, word: str) -> bool:
    if within_one(written, word):
        return True
    size = len(written)
    if size < _COMPARED or len(word) <= size:
        return False
    return any(within_one(written, word[:cut]) for cut in (size - 1, size, size + 1))

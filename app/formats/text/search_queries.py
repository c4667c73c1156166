"""Searches in the language of either engine, FTS5's MATCH and PostgreSQL's tsquery, and as patterns of text.

A search has places, and all of them must be found in one section. A place has alternatives, of which one is
enough: what was asked for, and words that may have been meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from app.formats.text import spellings
from app.formats.text.search_text import goes_on

BEGIN, END = "\ue000", "\ue001"
"""Characters of no text and no search, around titles in SQLite's index. Searches ask for them no more; they
stay, since an index without content forgets a row only as it was put in."""
MOST_CHARACTERS = 12  # of an unspaced script that may have one wrong among them
MOST_TITLES = 24  # that are looked for whole, where words are corrected


@dataclass(slots=True, frozen=True)
class Apart:
    """Characters of an unspaced script in two parts, of which either is first, with one other character
    between them at most."""

    before: list[str]
    after: list[str]


Alternative = list[str] | Apart
Places = Sequence[Sequence[Alternative]]


def around_slips(characters: list[str]) -> list[Alternative]:
    """Return what may have been meant by characters of an unspaced script, of which one may be wrong, too
    many or missing, or two swapped."""
    found: list[Alternative] = []
    if not spellings.SHORTEST <= len(characters) <= MOST_CHARACTERS:
        return found
    repeats = len(set(characters)) < len(characters)  # the engines disagree where parts overlap
    for n in range(len(characters)):
        before, after = characters[:n], characters[n + 1 :]
        if not (before and after):
            found.append(before or after)
        else:
            found.append(before + after if repeats else Apart(before, after))
        if n:
            found += [] if repeats else [Apart(characters[:n], characters[n:])]
            swapped = [*characters[: n - 1], characters[n], characters[n - 1], *characters[n + 1 :]]
            found.append(swapped)
    return found


def plain(terms: list[list[str]]) -> Places:
    """Return a search for just what was written."""
    return [[words] for words in terms]


def phrases(places: Places) -> list[list[str]]:
    """Return all that a search may have found, so that it can be marked."""
    every = (each for place in places for each in place)
    parts = ([each] if isinstance(each, list) else [each.before, each.after] for each in every)
    return [phrase for found in parts for phrase in found]


def titles(places: Places) -> list[list[str]]:
    """Return the titles that are just what is asked for, in each of its readings."""
    readings = [[each for each in place if isinstance(each, list)] for place in places]
    if not all(readings):
        return []
    return [[word for part in parts for word in part] for parts in islice(product(*readings), MOST_TITLES)]


def fts5(places: Places) -> str:
    """Return a MATCH expression that is always valid; asking for nothing finds nothing."""
    return " AND ".join(_one_of([_fts5(each) for each in place], " OR ") for place in places) or '""'


def tsquery(places: Places) -> str:
    """Return text for `to_tsquery('simple', ...)`; empty when nothing is asked for."""
    return " & ".join(_one_of([_tsquery(each, "") for each in place], " | ") for place in places)


def tsquery_anywhere(places: Places) -> str:
    """Return text for `to_tsquery('simple', ...)` that asks for any of it apart from titles."""
    return " | ".join(_tsquery(each, "BCD") for place in places for each in place)


def spaced(words: Sequence[str]) -> str:
    """Return what a text contains that has these words, with a space before and after each of its own."""
    return f" {' '.join(_parts(words))}{'' if goes_on([*words]) else ' '}"


def pattern(place: Sequence[Alternative]) -> str:
    """Return a regular expression that finds any of these in such a text."""
    return "|".join(each for asked in place for each in _patterns(asked))


def _patterns(asked: Alternative) -> Iterator[str]:
    if not isinstance(asked, Apart):
        yield spaced(asked)
        return
    one, other = (" ".join(_parts(words)) for words in (asked.before, asked.after))
    for first, last in ((one, other), (other, one)):
        yield f" {first} ([^ \n]+ )?{last} "


def _one_of(alternatives: list[str], word: str) -> str:
    return alternatives[0] if len(alternatives) == 1 else f"({word.join(alternatives)})"


def _phrase(words: Sequence[str]) -> str:
    return '"' + " ".join(words).replace('"', '""') + '"'


def _fts5(asked: Alternative) -> str:
    if isinstance(asked, Apart):
        return f"NEAR({_phrase(asked.before)} {_phrase(asked.after)}, 1)"
    return f"{_phrase(asked)}*" if goes_on(asked) else _phrase(asked)


def _tsquery(asked: Alternative, mark: str) -> str:
    if not isinstance(asked, Apart):
        return _followed(asked, mark, "*" if goes_on(asked) else "")
    before, after = (f"({_followed(part, mark)})" for part in (asked.before, asked.after))
    orders = ((before, after), (after, before))
    return "(" + " | ".join(f"{one} <{gap}> {other}" for one, other in orders for gap in (1, 2)) + ")"


def _followed(words: Sequence[str], mark: str, ending: str = "") -> str:
    *first, last = _quoted(words)
    marked = [*(f"{word}:{mark}" if mark else word for word in first)]
    return " <-> ".join([*marked, f"{last}:{ending}{mark}" if mark or ending else last])


def _quoted(words: Sequence[str]) -> list[str]:
    return ["'" + part.replace("\\", "\\\\").replace("'", "''") + "'" for part in _parts(words)]


def _parts(words: Sequence[str]) -> list[str]:
    # Both engines read an underscore as a gap; said here, so that only the last part may go on.
    return [part for word in words for part in word.split("_") if part]

"""Text folding for the search index, what a search asks for, and what is shown around it.

The index and the queries fold text alike, so both engines give the same results: accents and case are
ignored, and scripts written without spaces are searched by character, with words as phrases.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cache

MOST_WORDS = 16
LONGEST_WORD = 64
LONGEST_QUERY = 4096
_MOST_CACHED = 20_000

# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Hangul, kana, bopomofo and Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3031-\u3035\u303b-\u30ff\u3105-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00016fe0-\U00018cff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_NOT_WORD = re.compile(r"\W+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
# A table of plain characters is a quick way through plain text; a pattern is three times as slow.
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() or code == 95 else " " for code in range(128)}
_PART = re.compile(r'"([^"]*+)"|([^"]++)|"')
_VOICED = "\u3099\u309a"


def fold(text: str) -> str:
    """Fold text for searching: no case, no accents, single spaces, unspaced scripts by character."""
    return " ".join(_composed(text).translate(_SPACED).split())


def indexable(text: str) -> str:
    """Return folded text with words only, so that no engine reads addresses or signs in its own way."""
    folded = text if text.isascii() else _BEYOND_ASCII.sub(_folded_part, text.lower())
    words = folded.translate(_ASCII_WORDS) if folded.isascii() else _NOT_WORD.sub(" ", folded)
    return " ".join(words.split())


def _folded_part(found: re.Match[str]) -> str:
    return _composed(found[0]).translate(_SPACED)


def terms(query: str) -> list[list[str]]:
    """Return what a search asks for, all of it: lists of one word that may go on, or of words that follow on.

    At most 16 words of at most 64 characters. A run of an unspaced script counts as one word here, though its
    characters are a list of words.
    """
    asked: list[list[str]] = []
    room = MOST_WORDS
    for part in _PART.finditer(query[:LONGEST_QUERY]):
        runs = _runs(part[1] if part[1] is not None else part[2] or "")[:room]
        room -= len(runs)
        if part[1] is not None:
            runs = [[word for run in runs for word in run]]
        asked += [run for run in runs if run]
    return asked


def is_unspaced(words: list[str]) -> bool:
    """Return whether what is asked for is of a script without spaces: a character to each word."""
    return _unspaced_mark().match(words[0]) is not None


def goes_on(words: list[str]) -> bool:
    """Return whether what is asked for may be the beginning of a word."""
    return len(words) == 1 and not is_unspaced(words)


def excerpt(text: str, terms: list[list[str]], size: int = 240) -> str:
    """Return about `size` characters of the text around the first term found, cut between words."""
    hit = _first_hit(text, terms)
    start = max(0, min(hit - size // 3, len(text) - size))
    end = min(len(text), start + size)
    start, end = _word_start(text, start, hit), _word_end(text, end, max(hit, start))
    piece = text[start:end].strip()
    return f"{'…' if start else ''}{piece}{'…' if end < len(text) else ''}"


def marked(text: str, phrases: list[list[str]]) -> list[str]:
    """Return the text in parts: what is not asked for, what is, and so on in turns."""
    begins, starts = _beginning(phrases), [0]
    if begins is None:
        return [text]
    folded = "".join(pieces := [_SPACED[ord(mark)] for mark in text])
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    parts, done = [], 0
    for found in begins.finditer(folded):
        first = max(bisect_right(starts, found.start()) - 1, done)
        last = bisect_left(starts, found.end())
        if found.end() > found.start() and first < last:
            parts += [text[done:first], text[first:last]]
            done = last
    return [*parts, text[done:]]


def _beginning(phrases: list[list[str]]) -> re.Pattern[str] | None:
    """Compile what finds where any of these phrases begin."""
    written = [r"[\W_]++".join(re.escape(word) for word in words) for words in phrases if words]
    return (
        re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(written, key=len, reverse=True))})") if written else None
    )


@cache
def _unspaced_mark() -> re.Pattern[str]:
    """Compile the pattern when it is first needed: this and the next take two milliseconds each."""
    return re.compile(f"[{_UNSPACED}]")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


def _runs(text: str) -> list[list[str]]:
    """Return each word of the text; words of unspaced scripts as lists of their characters."""
    runs: list[list[str]] = []
    for word in _NOT_WORD.split(_composed(text).translate(_FOLDED)):
        for run in _run().findall(word):
            if _unspaced_mark().match(run):
                runs.append(list(run[:LONGEST_WORD]))
            elif run.strip("_"):
                runs.append([run[:LONGEST_WORD]])
    return runs


def _first_hit(text: str, terms: list[list[str]]) -> int:
    """Return where in the text the first term begins; 0 when none does."""
    begins = _beginning(terms)
    if begins is None:
        return 0
    if text.isascii():
        found = begins.search(text.lower())
        return found.start() if found else 0
    pieces = [_SPACED[ord(mark)] for mark in text]
    found = begins.search("".join(pieces))
    if found is None:
        return 0
    length = 0
    for at, piece in enumerate(pieces):
        length += len(piece)
        if length > found.start():
            return at
    return 0


def _word_start(text: str, start: int, hit: int) -> int:
    if start == 0 or text[start - 1].isspace():
        return start
    gap = text.find(" ", start, hit)
    return gap + 1 if gap >= 0 else start


def _word_end(text: str, end: int, hit: int) -> int:
    if end == len(text) or text[end].isspace():
        return end
    gap = text.rfind(" ", hit + 1, end)
    return gap if gap >= 0 else end


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class _Folding(dict[int, str]):
    """The folded form of each character, worked out when it is first met."""

    def __init__(self, *, spaced: bool) -> None:
        self._spaced = spaced

    def __missing__(self, code: int) -> str:
        folded = _folded(chr(code))
        if self._spaced:
            folded = _unspaced_mark().sub(r" \g<0> ", folded)
        if len(self) < _MOST_CACHED:
            self[code] = folded
        return folded


def _folded(mark: str) -> str:
    category = unicodedata.category(mark)
    if category == "Cf":
        # Soft hyphens and joiners are inside of words; the zero-width space is between them.
        return " " if mark == "\u200b" else ""
    if category in ("Cc", "Cs"):
        return " "
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", mark).casefold())
    kept = "".join(part for part in parts if unicodedata.category(part)[0] != "M" or part in _VOICED)
    return unicodedata.normalize("NFC", kept)


_FOLDED = _Folding(spaced=False)
_SPACED = _Folding(spaced=True)

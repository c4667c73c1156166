"""Titles, slugs and file names: how a page is called where.

Rules: a title is one clean line of at most 500 characters. A slug is lower case, folded to ASCII where a
letter has an ASCII base and kept otherwise, at most 100 characters, unique among siblings. A file name
we make up is safe on every common system.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_TITLE = 500
MAX_SLUG = 100
RESERVED = ("readme", "index", "summary")  # names of files that are more than a page's
MAX_PATH_BYTES = 2_000  # of the path of a page or a file: an index must hold it on every engine

_PUNCTUATION = r"!-/:-@\[-`{-~"
_ESCAPED = re.compile(rf"\\([{_PUNCTUATION}])")
# What may be inline markup; an underscore inside a word, or an ampersand between spaces, never is.
_MARKUP = re.compile(r"[\\*`\[\]]|<(?=[a-zA-Z/!?])|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])")
_LOOKS_LIKE_BLOCK = re.compile(r"(^[0-9]{0,9}(?=[.)+-](?:\s|$))|(?<!\S)(?=#))([.)+#-])")
_UNWANTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_SPACES = re.compile(r"\s+")
_NOT_SLUG = re.compile(r"[^a-z0-9._]+")
_DIGITS = re.compile(r"([0-9]+)")
_NOT_IN_FILES = re.compile(
    '[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"*/:<>?\\\\|]+'
)
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")
RESERVED_FILE = re.compile(rf"(?P<slug>{'|'.join(RESERVED)})-page(-[0-9]+)?")
_FOLDED = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}


def clean_title(text: str) -> str:
    """Return the text as one line without control characters or doubled spaces, cut to 500 characters."""
    text = text[: 8 * MAX_TITLE]
    if not text.isprintable():
        text = _UNWANTED.sub(" ", text)
    return _SPACES.sub(" ", text).strip()[:MAX_TITLE].rstrip()


def file_name(slug: str) -> str:
    """Return a file's name for a slug; one that means the page of a folder or the table
    of contents gets a suffix.

    The front matter of such a file says the slug (see `RESERVED_FILE`).
    """
    return f"{slug}-page" if slug in RESERVED else slug


def plain(markdown: str) -> str:
    """Return one line of inline Markdown as a clean title: no emphasis, code marks, links,
    tags or escapes.
    """
    markdown = markdown[: 8 * MAX_TITLE]
    if not _MARKUP.search(markdown):
        return clean_title(markdown)
    if not _MARKUP.search(_ESCAPED.sub("", markdown)):
        return clean_title(_ESCAPED.sub(r"\1", markdown))
    inline = _markdown().parseInline(_UNWANTED.sub(" ", markdown))
    children = inline[0].children or [] if inline else []
    return clean_title("".join(token.content for token in children if token.type != "html_inline"))


def escaped(title: str) -> str:
    """Return a clean title as inline Markdown that `plain` gives back, also at the head of a list item."""
    text = _MARKUP.sub(r"\\\g<0>", title)
    return _LOOKS_LIKE_BLOCK.sub(r"\1\\\2", text)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt()


def slug(text: str, otherwise: str = "page") -> str:
    """Return the text as an address part. Dots and underscores inside stay;
    empty results become `otherwise`.
    """
    text = unicodedata.normalize("NFC", text[: 8 * MAX_SLUG].lower())
    text = _NOT_SLUG.sub("-", text) if text.isascii() else _fold(text)
    return text[:MAX_SLUG].strip("-.") or otherwise


def _fold(text: str) -> str:
    parts: list[str] = []
    for char in text:
        if char.isascii():
            parts.append(char if char.isalnum() or char in "._" else "-")
            continue
        base = _FOLDED.get(char) or "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii())
        if base and base.isalnum():
            parts.append(base.lower())
        elif unicodedata.category(char)[0] in "LN":
            parts.append(char)
        elif unicodedata.category(char)[0] == "M":
            # A mark belongs to the letter before it; one on an ASCII letter is an accent and goes.
            parts.append(char if parts and not parts[-1].isascii() else "")
        else:
            parts.append("-")
    return re.sub("-{2,}", "-", "".join(parts))


class Unique:
    """Hands out names that differ from all it gave before: the first as it is, then `-1`, `-2`, …"""

    def __init__(self, limit: int = MAX_SLUG) -> None:
        self._limit = limit
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def hold(self, name: str) -> None:
        """Keep a name from being given."""
        self._taken.add(name.casefold())

    def take(self, name: str, ending: str = "") -> str:
        """Return the name (with its ending), or the first free variation; compared without regard to case."""
        number = self._next.get(name.casefold() + ending, 0)
        candidate = name
        while (candidate + ending).casefold() in self._taken or (number and candidate == name):
            number += 1
            suffix = f"-{number}"
            candidate = name[: self._limit - len(suffix)] + suffix
        self._next[name.casefold() + ending] = number
        self._taken.add((candidate + ending).casefold())
        return candidate + ending


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key under which `page-2` precedes `page-10` and case matters last."""
    return [
        (int(part[:18]), part) if part.isdigit() and part.isascii() else (-1, part)
        for part in _DIGITS.split(text.casefold())
    ] + [(-2, text)]


def title_from_name(name: str) -> str:
    """Return a file or folder name for people: `getting-started` is “Getting started”."""
    text = clean_title(name.replace("-", " ").replace("_", " "))
    return (text[:1].upper() + text[1:]) or "Untitled"


def safe_file_name(name: str, otherwise: str = "file") -> str:
    """Return a single file or folder name that every common system can hold, made from any text."""
    name = _NOT_IN_FILES.sub("-", unicodedata.normalize("NFC", name[:200])).strip(" .-")
    while len(name.encode()) > 180:
        name = name[:-1]
    name = name.strip(" .-") or otherwise
    return f"_{name}" if _RESERVED.match(name) else name

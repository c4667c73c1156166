"""Where a run of `*`, `_` or `~` may open or close: flanking as CommonMark defines it, amended for CJK.

Chinese, Japanese and Korean are written without spaces, so CommonMark takes `**词：**字` for text: what is
before the second run is punctuation, what follows is none. As in the amendment that is proposed for it
(markdown-cjk-friendly), punctuation of these scripts counts as letters here, and other punctuation may be
beside a run that one of their characters is on the other side of.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple


class Flanking(NamedTuple):
    """The sides of a run: left-flanking runs may open, right-flanking ones may close."""

    left: bool
    right: bool


def flanking(before: str, after: str) -> Flanking:
    """Return how a run between two characters flanks; the ends of a text are spaces."""
    before_space, after_space = before.isspace(), after.isspace()
    before_cjk, after_cjk = is_cjk(before), is_cjk(after)
    before_sign, after_sign = is_sign(before), is_sign(after)
    left = not after_space and (not after_sign or after_cjk or before_space or before_sign or before_cjk)
    right = not before_space and (not before_sign or before_cjk or after_space or after_sign or after_cjk)
    return Flanking(left, right)


def is_sign(character: str) -> bool:
    """Return whether a character is punctuation or a symbol."""
    if character.isalnum() or character.isspace():
        return False
    return character.isascii() or unicodedata.category(character)[0] in "PS"


def is_cjk(character: str) -> bool:
    """Return whether a character is Chinese, Japanese or Korean, punctuation included; emoji are not."""
    if character < "\u1100":
        return False
    if "\u1100" <= character <= "\u11ff":  # letters of Hangul, of which some have no width of their own
        return True
    is_emoji = "\u231a" <= character <= "\u2b55" or "\U0001f000" <= character <= "\U0001faff"
    return not is_emoji and unicodedata.east_asian_width(character) in "WFH"

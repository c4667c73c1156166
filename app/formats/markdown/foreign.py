"""What other products write into Markdown: colours of their themes, and tags that only they know."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator

from app.formats.markdown.safe_html import followed
from app.formats.markdown.tags import ENDED, ENDED_OR_NOT, SINGLE

COLORS = ("gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
_HUES = (
    (15, "red"), (40, "orange"), (65, "yellow"), (160, "green"), (190, "teal"), (255, "blue"),
    (290, "purple"), (340, "pink"), (361, "red"),
)  # fmt: skip
_COLOR_NAMES = {
    "grey": "gray", "silver": "gray", "black": "gray", "lime": "green", "olive": "yellow", "cyan": "teal",
    "aqua": "teal", "navy": "blue", "violet": "purple", "magenta": "pink", "fuchsia": "pink",
    "maroon": "red", "brown": "orange", "gold": "yellow", "indigo": "purple", "primary": "primary",
    "info": "blue", "success": "green", "warning": "orange", "danger": "red",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})(?:[0-9a-fA-F]{2})?\Z")
_ADDRESS = re.compile(r"https?://[^\s\"'<>`{}|\\]{3,500}")
_MOST_ADDRESSES = 20
_TAG_PAIR = re.compile(r"\{%-?\s*([A-Za-z][\w-]{0,60})\b[^%{}]{0,500}%\}([^{}]{0,2000})\{%-?\s*end\1\s*-?%\}")
_OURS = ENDED | ENDED_OR_NOT | SINGLE | {"raw"}


def color_named(color: object) -> str | None:
    """Return the name among ours that is nearest to a colour as CSS writes it; None for what is none."""
    written = str(color or "").strip().lower().removeprefix("$").removeprefix("light").removeprefix("dark")
    word = written.split("-")[0]
    if word in COLORS:
        return word
    if word in _COLOR_NAMES:
        return _COLOR_NAMES[word]
    match = _HEX.match(written)
    if match is None:
        return None
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < 0.12:
        return "gray"
    return next(name for limit, name in _HUES if hue * 360 < limit)


def without_unknown_tags(content: str) -> Iterator[tuple[str, str | None]]:
    """Yield the pieces of a line of text without tags that mean nothing here.

    With each comes the address that it is and that a browser may follow; None for plain text.
    """
    at = 0
    for match in _TAG_PAIR.finditer(content):
        if match[1].lower() not in _OURS:
            yield content[at : match.start()], None
            yield _tagged(match[2])
            at = match.end()
    yield content[at:], None


def _tagged(inside: str) -> tuple[str, str | None]:
    """Return what stood between two tags; an address comes without the blanks around it."""
    words = inside.strip()
    href = followed(words) if words.lower().startswith(("http://", "https://")) else None
    if href is None or any(sign.isspace() for sign in href):
        return inside, None
    return words, href


def addresses(source: str) -> list[str]:
    """Return the addresses in a tag that is not known, each once."""
    return list(dict.fromkeys(_ADDRESS.findall(source)))[:_MOST_ADDRESSES]

"""Colours that people gave to words, as one of a few that can be read on light and on dark pages."""

from __future__ import annotations

import colorsys
import re

NAMES = ("gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
_HUES = (
    (15, "red"), (40, "orange"), (65, "yellow"), (160, "green"), (190, "teal"), (255, "blue"),
    (290, "purple"), (340, "pink"), (361, "red"),
)  # fmt: skip
_SAME = {
    "grey": "gray", "silver": "gray", "black": "gray", "lime": "green", "olive": "yellow", "cyan": "teal",
    "aqua": "teal", "navy": "blue", "violet": "purple", "magenta": "pink", "fuchsia": "pink",
    "maroon": "red", "brown": "orange", "gold": "yellow", "indigo": "purple", "primary": "primary",
    "info": "blue", "success": "green", "warning": "orange", "danger": "red",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})(?:[0-9a-fA-F]{2})?\Z")


def classes(given: dict[str, str]) -> str | None:
    """The classes for the colours of a mark; None where it has none that is known."""
    found = [
        f"{kind}-{name}"
        for kind, key in (("c", "text"), ("b", "background"))
        if (name := named(given.get(key)))
    ]
    return " ".join(found) or None


def named(color: object) -> str | None:
    """The name among ours that is nearest to a colour as CSS writes it."""
    written = str(color or "").strip().lower().removeprefix("$").removeprefix("light").removeprefix("dark")
    word = written.split("-")[0]
    if word in NAMES:
        return word
    if word in _SAME:
        return _SAME[word]
    match = _HEX.match(written)
    if match is None:
        return None
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < 0.12:
        return "gray"
    return next(name for limit, name in _HUES if hue * 360 < limit)

"""Colours as authors write them in style attributes, to `#rrggbb`."""

from __future__ import annotations

import re

_NAMED = {
    "black": "#1b1f24", "white": "#ffffff", "gray": "#6b7280", "grey": "#6b7280", "red": "#c62828",
    "orange": "#c2570c", "yellow": "#a16207", "green": "#15803d", "teal": "#0f766e", "blue": "#1d4ed8",
    "purple": "#7e22ce", "violet": "#7e22ce", "pink": "#be185d", "brown": "#7c4a21",
}  # fmt: skip
_TINTS = {
    "gray": "#e5e7eb", "grey": "#e5e7eb", "red": "#fee2e2", "orange": "#ffedd5", "yellow": "#fef3c7",
    "green": "#dcfce7", "teal": "#ccfbf1", "blue": "#dbeafe", "purple": "#f3e8ff", "violet": "#f3e8ff",
    "pink": "#fce7f3", "brown": "#efe3d8",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})\Z")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})[^()]{0,20}\)\Z")


def color(written: object, *, tint: bool = False) -> str | None:
    """The colour, or None for what is not understood; `tint` reads a name as a background."""
    value = str(written or "").strip().lower()
    named = (_TINTS if tint else _NAMED).get(value) or _NAMED.get(value)
    if named:
        return named
    if match := _HEX.match(value):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
        return f"#{digits}"
    if match := _RGB.match(value):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in match.groups())
    return None

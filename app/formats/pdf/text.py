"""Text fit for setting: what no font can show is named or dropped, and long words may break.

A word that would run out of the margin gets invisible break points (`BREAK`); the template turns them into
places where a line may end, so that copied text does not contain them.
"""

from __future__ import annotations

import re
import unicodedata

BREAK = "\u200b"
PROSE = 28
CELL = 14
CODE = 64
NARROW_CODE = 28

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Scripts without spaces break between their own words or signs.
_SPACELESS = r"\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
_AFTER = re.compile(r"(?<=[/._\-?&=,:;|)\]}@+%\\])(?=[^\s])")
# What the embedded fonts have no glyph for; their few round signs among these are left as they are.
_PICTOGRAM = re.compile(
    "[\U0001f000-\U0001f6d0\U0001f6d2-\U0001f7e0\U0001f7e3-\U0001faff✨⛔❌✅❓❗➕➖✖⚽]"
)
_JOINERS = re.compile("[\ufe0e\ufe0f\u20e3\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_SIMILAR = {"✅": "✔", "❌": "✘", "✖": "✘", "❗": "!", "❓": "?", "➕": "+", "➖": "−"}


def printable(content: str, *, pictograms: bool) -> str:
    """The text without control characters; without an emoji font (`pictograms`), emoji by their names."""
    clean = _UNPRINTABLE.sub("\ufffd", content.expandtabs(4))
    if pictograms or clean.isascii():
        return clean
    return _PICTOGRAM.sub(_named, _JOINERS.sub("", clean))


def _named(sign: re.Match[str]) -> str:
    name = unicodedata.name(sign[0], "").lower().replace(" ", "_")
    return _SIMILAR.get(sign[0]) or (f":{name}:" if name else "\ufffd")


def breakable(content: str, longest: int = PROSE) -> str:
    """The text with break points in every word of more than `longest` characters."""
    if len(content) <= longest:
        return content
    return re.sub(rf"[^{_SPACELESS}]{{{longest + 1},}}", lambda word: _broken(word[0], longest), content)


def _broken(word: str, longest: int) -> str:
    """Breaks after punctuation, and where there is none, every few characters."""
    step = max(longest // 2, 4)
    parts = (part for part in _AFTER.split(word) if part)
    return BREAK.join(part[at : at + step] for part in parts for at in range(0, len(part), step))


def one_line(content: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(content.split())


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

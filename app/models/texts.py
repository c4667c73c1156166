"""The rules for texts that callers send: labels, one emoji, and texts of a certain form.

What is an emoji: a single one, as characters or as its code points (Unicode Technical Standard 51).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

# Control characters, line separators, and what turns the direction of the text around it.
_FORBIDDEN = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
# Characters that show nothing though they are no whitespace (Default_Ignorable_Code_Point, and the fillers).
_INVISIBLE = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
_ALLOWED = re.compile(f"[^{_FORBIDDEN}]*")
_VISIBLE = re.compile(rf"[^\s{_FORBIDDEN}{_INVISIBLE}\U000e0000-\U000e0fff]")
_HIDDEN = re.compile(f"[{_FORBIDDEN}]+")


def without_hidden(text: str) -> str:
    """Replace what a label must not contain by spaces."""
    return _HIDDEN.sub(" ", text).strip()


@dataclass(frozen=True, slots=True)
class Label:
    """A title, label or name: one trimmed line with a visible character in it.

    With `shortest` 0 it may be empty.
    """

    longest: int
    shortest: int = 1

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        text = core_schema.str_schema(
            strip_whitespace=True, min_length=self.shortest or None, max_length=self.longest
        )
        return core_schema.no_info_after_validator_function(self._check, text)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        allowed, visible = f"[^{_FORBIDDEN}]*", f"[^\\s{_FORBIDDEN}{_INVISIBLE}]"
        return {**handler(schema), "pattern": f"^{allowed}{visible if self.shortest else ''}{allowed}$"}

    def _check(self, text: str) -> str:
        if not _ALLOWED.fullmatch(text):
            raise ValueError("must be one line, without control characters and direction marks")
        if self.shortest and not _VISIBLE.search(text):
            raise ValueError("must contain a visible character")
        return text


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a text has to have: a pattern for the API's document, and words for people."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}

    def _check(self, text: str) -> str:
        if re.fullmatch(self.pattern, text) is None:
            raise ValueError(f"must be {self.words}")
        return text


@dataclass(frozen=True, slots=True)
class _OneEmoji:
    """One emoji, which is kept as it was written."""

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        text = core_schema.str_schema(min_length=1, max_length=LONGEST)
        return core_schema.no_info_after_validator_function(self._check, text)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        words = "One emoji, as itself or as its code points in hexadecimal, joined by hyphens."
        return {**handler(schema), "format": "emoji", "description": words}

    def _check(self, text: str) -> str:
        if emoji_code(text) is None:
            raise ValueError("must be one emoji, such as 📘, or its code in hexadecimal, such as 1f4d8")
        return text


Emoji = Annotated[str, _OneEmoji()]
ID_FORM = Form(r"^[a-zA-Z0-9_-]+$", "letters, digits, `-` and `_`")


LONGEST = 100  # of what may be sent for one
# Emoji=Yes of Unicode, as pairs of first and last, without digits, `#` and `*`, which only keycaps are. The
# last pair is kept free for emoji that are still to come.
_RANGES = """
a9-a9 ae-ae 203c-203c 2049-2049 2122-2122 2139-2139 2194-2199 21a9-21aa 231a-231b 2328-2328 23cf-23cf
23e9-23f3 23f8-23fa 24c2-24c2 25aa-25ab 25b6-25b6 25c0-25c0 25fb-25fe 2600-2604 260e-260e 2611-2611
2614-2615 2618-2618 261d-261d 2620-2620 2622-2623 2626-2626 262a-262a 262e-262f 2638-263a 2640-2640
2642-2642 2648-2653 265f-2660 2663-2663 2665-2666 2668-2668 267b-267b 267e-267f 2692-2697 2699-2699
269b-269c 26a0-26a1 26a7-26a7 26aa-26ab 26b0-26b1 26bd-26be 26c4-26c5 26c8-26c8 26ce-26cf 26d1-26d1
26d3-26d4 26e9-26ea 26f0-26f5 26f7-26fa 26fd-26fd 2702-2702 2705-2705 2708-270d 270f-270f 2712-2712
2714-2714 2716-2716 271d-271d 2721-2721 2728-2728 2733-2734 2744-2744 2747-2747 274c-274c 274e-274e
2753-2755 2757-2757 2763-2764 2795-2797 27a1-27a1 27b0-27b0 27bf-27bf 2934-2935 2b05-2b07 2b1b-2b1c
2b50-2b50 2b55-2b55 3030-3030 303d-303d 3297-3297 3299-3299 1f004-1f004 1f0cf-1f0cf 1f170-1f171
1f17e-1f17f 1f18e-1f18e 1f191-1f19a 1f201-1f202 1f21a-1f21a 1f22f-1f22f 1f232-1f23a 1f250-1f251
1f300-1f321 1f324-1f393 1f396-1f397 1f399-1f39b 1f39e-1f3f0 1f3f3-1f3f5 1f3f7-1f4fd 1f4ff-1f53d
1f549-1f54e 1f550-1f567 1f56f-1f570 1f573-1f57a 1f587-1f587 1f58a-1f58d 1f590-1f590 1f595-1f596
1f5a4-1f5a5 1f5a8-1f5a8 1f5b1-1f5b2 1f5bc-1f5bc 1f5c2-1f5c4 1f5d1-1f5d3 1f5dc-1f5de 1f5e1-1f5e1
1f5e3-1f5e3 1f5e8-1f5e8 1f5ef-1f5ef 1f5f3-1f5f3 1f5fa-1f64f 1f680-1f6c5 1f6cb-1f6d2 1f6d5-1f6d9
1f6dc-1f6e5 1f6e9-1f6e9 1f6eb-1f6ec 1f6f0-1f6f0 1f6f3-1f6fc 1f7e0-1f7eb 1f7f0-1f7f0 1f90c-1f93a
1f93c-1f945 1f947-1f9ff 1fa70-1faff
"""


def _pattern() -> re.Pattern[str]:
    pairs = (pair.split("-") for pair in _RANGES.split())
    one = "[" + "".join(f"{chr(int(first, 16))}-{chr(int(last, 16))}" for first, last in pairs) + "]"
    tone, tags = "[\U0001f3fb-\U0001f3ff]", "[\U000e0020-\U000e007e]{1,32}\U000e007f"
    part = f"{one}(?:{tone})?(?:{tags})?"
    flag, keycap = "[\U0001f1e6-\U0001f1ff]{2}", "[0-9#*]\u20e3"
    return re.compile(f"{part}(?:\u200d{part}){{0,9}}|{flag}|{keycap}")


_EMOJI = _pattern()
_CODE = re.compile(r"[0-9a-fA-F]{2,6}(?:-[0-9a-fA-F]{2,6}){0,20}")
_SHOWN_AS_PICTURE = "\ufe0f"  # says nothing of which emoji it is


def emoji_code(written: str) -> str | None:
    """Return the code points of a single emoji, in hexadecimal and joined by hyphens; None for anything else.

    It may be written as itself or as that code.
    """
    if len(written) > LONGEST:
        return None
    for characters in (written, _of_code(written)):
        plain = characters.replace(_SHOWN_AS_PICTURE, "")
        if _EMOJI.fullmatch(plain):
            return "-".join(f"{ord(each):x}" for each in plain)
    return None


def _of_code(code: str) -> str:
    if not _CODE.fullmatch(code):
        return ""
    points = [int(part, 16) for part in code.split("-")]
    return "".join(map(chr, points)) if max(points) <= 0x10FFFF else ""

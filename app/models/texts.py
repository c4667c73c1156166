"""The rules for texts that callers send: labels, one emoji, and texts of a certain form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from app.kit.emoji import LONGEST, emoji_code

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

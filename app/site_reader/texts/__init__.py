"""The words around the pages of a site, in the language that is read: menus, buttons, refusals, dates.

`spoken` says which language is spoken while a page is written, and `say` returns a text in it, so that what
renders a part of a page needs not be told. Texts are in files, one for a language; README.md beside them says
how they are written.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path

import orjson

log = logging.getLogger("docyard.reader")
ENGLISH = "en"
FROM_RIGHT = {"ar", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"}
"""Languages that are written from right to left, where no script in their tag says otherwise."""
LARGEST = 200_000  # bytes of a file
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")
_VALUE = re.compile(r"\{(\w*)\}")
_FORM = re.compile(r"\.(?:zero|one|two|few|many)\Z")
_added: dict[str, Mapping[str, str]] = {}


@dataclass(slots=True, frozen=True)
class Texts:
    """The texts of a language by their names."""

    language: str
    texts: Mapping[str, str]

    def say(self, name: str, **values: object) -> str:
        """Return a text with values in it; `count` chooses among its forms."""
        count = values.get("count")
        if isinstance(count, int):
            form = self.texts.get(f"{name}.{plural(self.language, count)}")
            values["count"] = self.number(count)
            return (form or self.texts[name]).format_map(values)
        return self.texts[name].format_map(values) if values else self.texts[name]

    def number(self, number: int) -> str:
        """Return a number as it is written in the language."""
        return f"{number:,}".replace(",", self.texts["thousands"])

    def day(self, day: date) -> str:
        """Return a day as it is written in the language."""
        months = self.texts["months"].split(",")
        month = months[day.month - 1] if len(months) == 12 else str(day.month)
        return self.say("date", day=day.day, month=month, number=day.month, year=day.year)


def plural(language: str, number: int) -> str:
    """Return the plural category of a whole number in a language (CLDR); English's for one unknown."""
    match language.partition("-")[0]:
        case "ar":
            rest = number % 100
            small = {0: "zero", 1: "one", 2: "two"}.get(number)
            return small or ("few" if 3 <= rest <= 10 else "many" if rest >= 11 else "other")
        case "fr" | "pt" | "hi" | "fa":
            return "one" if number < 2 else "other"
        case "ru" | "uk" | "sr" | "hr" | "bs" | "be":
            one, teens = number % 10, 11 <= number % 100 <= 14
            return "one" if one == 1 and not teens else "few" if 2 <= one <= 4 and not teens else "many"
        case "pl":
            few = 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14
            return "one" if number == 1 else "few" if few else "many"
        case "cs" | "sk":
            return "one" if number == 1 else "few" if 2 <= number <= 4 else "other"
        case "zh" | "ja" | "ko" | "th" | "vi" | "id" | "ms" | "yue":
            return "other"
    return "one" if number == 1 else "other"


def direction(language: str) -> str:
    """Return which way a language is written: "rtl" or "ltr"."""
    return "rtl" if language.lower().partition("-")[0] in FROM_RIGHT else "ltr"


@cache
def of_language(language: str) -> Texts:
    """Return the texts of a language: as exactly as they are there, and in English where they are not."""
    english = _bundled(ENGLISH)
    tags = language.lower().split("-")
    found = {**english, **_added.get(ENGLISH, {})}
    spoken = ENGLISH
    for length in range(1, len(tags) + 1):
        tag = "-".join(tags[:length])
        given = {**_bundled(tag), **_added.get(tag, {})}
        if given:
            found = {name: text for name, text in found.items() if not _FORM.search(name)} | given
            spoken = tag
    return Texts(spoken, found)


@cache
def _bundled(language: str) -> Mapping[str, str]:
    if not _LANGUAGE.fullmatch(language):
        return {}
    file = files(__package__) / f"{language}.json"
    found: dict[str, str] = orjson.loads(file.read_bytes()) if file.is_file() else {}
    return found


def add(folder: str) -> None:
    """Read the texts of a folder, which come before those that are here; what cannot be used is logged."""
    _added.clear()
    of_language.cache_clear()
    if not folder:
        return
    if not Path(folder).is_dir():
        log.warning("the folder of texts %s is not there", folder)
    for file in sorted(Path(folder).glob("*.json")):
        language = file.stem.lower()
        try:
            if not _LANGUAGE.fullmatch(language):
                raise ValueError("it is not named after a language")
            if file.stat().st_size > LARGEST:
                raise ValueError(f"it has more than {LARGEST:,} bytes")
            given = orjson.loads(file.read_bytes())
            if not isinstance(given, dict):
                raise ValueError("it is no JSON object")
        except (OSError, ValueError) as refused:
            log.warning("the texts in %s are not used: %s", file, refused)
            continue
        _added[language] = dict(_usable(file, given))


def _usable(file: Path, given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the texts of a file that are ours, and have no values that ours have not."""
    english = _bundled(ENGLISH)
    for name, text in given.items():
        model = english.get(_FORM.sub("", name))
        values = {*_VALUE.findall(model or "")}
        is_text = isinstance(text, str) and text.count("{") == text.count("}") == len(_VALUE.findall(text))
        if model is not None and isinstance(text, str) and is_text and {*_VALUE.findall(text)} <= values:
            yield name, text
        else:
            log.warning("the text %r in %s is not used: see en.json for what there is", name, file)


_spoken: ContextVar[Texts | None] = ContextVar("texts", default=None)


def current() -> Texts:
    """Return the texts of the language that is spoken."""
    return _spoken.get() or of_language(ENGLISH)


def say(name: str, **values: object) -> str:
    """Return a text in the language that is spoken."""
    return current().say(name, **values)


@contextmanager
def spoken(language: str) -> Iterator[Texts]:
    """Speak a language until the end of the block."""
    found = of_language(language)
    mark = _spoken.set(found)
    try:
        yield found
    finally:
        _spoken.reset(mark)

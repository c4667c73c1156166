"""The YAML of repositories, without YAML's traps.

Rules: one document of mappings, lists, text, numbers, true, false and null. Anchors, aliases and tags are
refused, size and depth are bounded. Only `true` and `false` are booleans, and only what is written back the
same way is a number: `1.10`, `007`, `yes` and `2024-01-01` stay the text their author sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 32

_EXPONENT = re.compile(r"-?[0-9]\.[0-9]+e[+-][0-9]+")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


class Unreadable(Exception):
    """The text is not the YAML we accept; `line` counts from 1 within the text."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def load(text: str, limit: int = MAX_CHARACTERS) -> Any:
    """The value of one YAML document (None when empty). Raises Unreadable, never anything else."""
    events = _events(text, limit)
    value = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            value = _value(next(events), events, 0)
            break
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            raise Unreadable("has more than one document", _line(event))
    return value


def key_lines(text: str, limit: int = MAX_CHARACTERS) -> list[tuple[str, int]]:
    """The keys of a block mapping with the line (from 0) each begins on, in order.

    Raises Unreadable when the document is no such mapping, or a key does not begin its own line.
    """
    keys: list[tuple[str, int]] = []
    depth = 0
    awaits_key = False
    for event in _events(text, limit):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            awaits_key = depth == 1
        elif isinstance(event, yaml.CollectionStartEvent):
            if depth == 0 and (not isinstance(event, yaml.MappingStartEvent) or event.flow_style):
                raise Unreadable("is not a list of `key: value` lines")
            depth += 1
            awaits_key = depth == 1
        elif isinstance(event, yaml.ScalarEvent) and depth == 1:
            if awaits_key:
                line = _line(event) - 1
                if _column(event) or (keys and keys[-1][1] == line):
                    raise Unreadable("has keys that do not begin a line", line + 1)
                keys.append((event.value, line))
            awaits_key = not awaits_key
    return keys


def dump(value: dict[str, Any]) -> str:
    """The mapping as YAML lines in the order given, such that `load` gives it back."""
    text: str = yaml.dump(
        _encodable(value), Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False,
        default_flow_style=False, width=1_000_000,
    )  # fmt: skip
    return text


def _events(text: str, limit: int) -> Iterator[yaml.Event]:
    if len(text) > limit:
        raise Unreadable(f"is longer than {limit // 1024} kB")
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise Unreadable("uses anchors or aliases, which are not read", _line(event))
            if getattr(event, "tag", None):
                raise Unreadable("uses tags, which are not read", _line(event))
            yield event
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise Unreadable(f"is not valid YAML: {error.problem}", line) from None
    except (yaml.YAMLError, UnicodeError, ValueError):
        raise Unreadable("is not valid YAML: it has characters YAML does not allow") from None


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event.value) if event.implicit[0] else event.value
    if depth >= MAX_DEPTH:
        raise Unreadable("is nested too deeply", _line(event))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(_value(item, events, depth + 1))
        return items
    mapping: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if not isinstance(key, yaml.ScalarEvent):
            raise Unreadable("has a key that is not text", _line(key))
        if key.value in mapping:
            raise Unreadable(f"has the key “{key.value[:100]}” twice", _line(key))
        mapping[key.value] = _value(next(events), events, depth + 1)
    return mapping


def _scalar(text: str) -> str | int | float | bool | None:
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 32 or text[-1] not in "0123456789":
        return text
    try:
        number = float(text) if "." in text else int(text)
    except ValueError:
        return text
    same = str(number) == text or (_EXPONENT.fullmatch(text) and abs(number) != float("inf"))
    return number if same and (isinstance(number, float) or -(2**63) <= number < 2**63) else text


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(str(key)): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _column(event: yaml.Event) -> int:
    return event.start_mark.column if event.start_mark else 0

"""The YAML of repositories, without YAML's traps.

Rules: one document of mappings, lists, text, numbers, true, false and null. Anchors, aliases and tags are
refused, size and depth are bounded. Only `true` and `false` are booleans, and only what is written back the
same way is a number: `1.10`, `007`, `yes` and `2024-01-01` stay the text their author sees.

The YAML block at the head of a Markdown file.

Rules: the block and the body together are the file, to the byte. A block whose values have not changed is
written as it came; otherwise only the changed keys' lines differ. Nothing in here raises on any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import yaml

from app.formats.repository.metadata import KEYS, Metadata, metadata_from, value_for

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


def load_yaml(text: str, limit: int = MAX_CHARACTERS, *, is_loose: bool = False) -> Any:
    """Return the value of one YAML document (None when empty). Raises Unreadable, never anything else.

    Loose YAML may have anchors, tags and keys twice: tags say nothing, an alias is null, the last key counts.
    """
    events = _loosely(_parsed(text, limit)) if is_loose else _events(text, limit)
    value = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            value = _value(next(events), events, 0, is_loose=is_loose)
            break
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            raise Unreadable("has more than one document", _line(event))
    return value


def key_lines(text: str, limit: int = MAX_CHARACTERS) -> list[tuple[str, int]]:
    """Return the keys of a block mapping with the line (from 0) each begins on, in order.

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


def dump_yaml(value: dict[str, Any]) -> str:
    """Return the mapping as YAML lines in the order given, such that `load` gives it back."""
    text: str = yaml.dump(
        _encodable(value), Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False,
        default_flow_style=False, width=1_000_000,
    )  # fmt: skip
    return text


def _events(text: str, limit: int) -> Iterator[yaml.Event]:
    for event in _parsed(text, limit):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Unreadable("uses anchors or aliases, which are not read", _line(event))
        if getattr(event, "tag", None):
            raise Unreadable("uses tags, which are not read", _line(event))
        yield event


def _loosely(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            yield yaml.ScalarEvent(None, None, (True, False), "", event.start_mark, event.end_mark)
        else:
            yield event


def _parsed(text: str, limit: int) -> Iterator[yaml.Event]:
    if len(text) > limit:
        raise Unreadable(f"is longer than {limit // 1024} kB")
    try:
        yield from yaml.parse(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise Unreadable(f"is not valid YAML: {error.problem}", line) from None
    except (yaml.YAMLError, UnicodeError, ValueError):
        raise Unreadable("is not valid YAML: it has characters YAML does not allow") from None


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int, *, is_loose: bool = False) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event.value) if event.implicit[0] else event.value
    if depth >= MAX_DEPTH:
        raise Unreadable("is nested too deeply", _line(event))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(_value(item, events, depth + 1, is_loose=is_loose))
        return items
    mapping: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if not isinstance(key, yaml.ScalarEvent):
            raise Unreadable("has a key that is not text", _line(key))
        if key.value in mapping and not is_loose:
            raise Unreadable(f"has the key “{key.value[:100]}” twice", _line(key))
        mapping[key.value] = _value(next(events), events, depth + 1, is_loose=is_loose)
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


_BOM = "\ufeff"
_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_FIRST_LINE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:[^\s:#\-\[&*!|>@`%][^\n]*?:(?=\s|\Z)|[{\"'?]|\Z)")


def split(text: str) -> tuple[str, str]:
    """Return the front matter (delimiters and the newline after them included,
    "" when there is none) and the body.

    A byte order mark goes with the front matter. A rule of dashes that opens no `key:` lines is body.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing or not _FIRST_LINE.match(text[opening.end() : closing.start()]):
        head = len(_BOM) if text.startswith(_BOM) else 0
        return text[:head], text[head:]
    return text[: closing.end()], text[closing.end() :]


def parse(raw: str) -> tuple[dict[str, Any], tuple[str, int | None] | None]:
    """Return the block's values, and what is wrong with it (a sentence, and the file's line) or None."""
    block = _inside(raw)
    if block is None:
        return {}, None
    try:
        values = load_yaml(block)
    except Unreadable as error:
        return {}, (f"The front matter {error.message}.", error.line + 1 if error.line else 1)
    if values is not None and not isinstance(values, dict):
        return {}, ("The front matter is not a list of `key: value` lines.", 1)
    return values or {}, None


def render(raw: str, metadata: Metadata) -> str:
    """Return the block saying what the metadata says, as close to `raw` as that can be."""
    values, problem = parse(raw)
    said = metadata_from(values)[0]
    if said == metadata:
        return raw
    changed = [f.name for f in fields(Metadata) if getattr(said, f.name) != getattr(metadata, f.name)]
    block = _inside(raw) or ""
    newline = "\r\n" if "\r\n" in raw else "\n"
    if problem:
        # What could not be read stays for its author to see.
        old = "".join(f"# {line}\n" for line in block.splitlines())
        return _fenced(raw, old + _fresh(metadata, {}), newline)
    edited = _edited(block.replace("\r\n", "\n"), changed, metadata)
    if edited is None or not _says(edited, metadata, values):
        edited = _fresh(metadata, values)
    return _fenced(raw, edited, newline)


def guarded(raw: str, body: str) -> str:
    """Return the front matter to write before a body so that the body is read back as it is.

    A body that itself begins like front matter gets an empty block before it.
    """
    if _inside(raw) is not None:
        return raw if not body or raw.endswith("\n") else raw + "\n"
    return raw if split(raw + body) == (raw, body) else raw + "---\n---\n"


def _inside(raw: str) -> str | None:
    opening = _OPENING.match(raw)
    closing = _CLOSING.search(raw, opening.end()) if opening else None
    return raw[opening.end() : closing.start()] if opening and closing else None


def _fenced(raw: str, block: str, newline: str) -> str:
    mark = _BOM if raw.startswith(_BOM) else ""
    if not block.strip():
        return mark
    return mark + f"---\n{block}---\n".replace("\n", newline)


def _fresh(metadata: Metadata, values: dict[str, Any]) -> str:
    """Return a new block: the unknown keys of the old one, then every field that says something."""
    lines = _unknown(values)
    for name, keys in KEYS.items():
        if (value := value_for(name, metadata)) is not None:
            lines[keys[0]] = value
    return dump_yaml(lines) if lines else ""


def _edited(block: str, changed: list[str], metadata: Metadata) -> str | None:
    """Return the block with the changed fields' lines replaced, removed or added;
    None when it has no such lines.
    """
    try:
        keys = key_lines(block)
    except Unreadable:
        return None
    lines = block.splitlines(keepends=True)
    starts = [line for _, line in keys] + [len(lines)]
    result = lines[: starts[0]]
    field_of = {key: name for name in changed for key in KEYS[name]}
    written: set[str] = set()
    for (key, start), end in zip(keys, starts[1:], strict=True):
        name = field_of.get(key)
        if name is None:
            result += lines[start:end]
            continue
        value = value_for(name, metadata)
        if value is not None and name not in written:
            result.append(dump_yaml({key: value}))
            written.add(name)
        result += _trailing_remarks(lines[start + 1 : end])
    for name in changed:
        value = value_for(name, metadata)
        if value is not None and name not in written:
            if result and not result[-1].endswith("\n"):
                result[-1] += "\n"
            result.append(dump_yaml({KEYS[name][0]: value}))
    return "".join(result)


def _trailing_remarks(lines: list[str]) -> list[str]:
    """Return the blank lines and comments at the end, which belong to what follows."""
    first = len(lines)
    while first and (not lines[first - 1].strip() or lines[first - 1].startswith("#")):
        first -= 1
    return lines[first:]


def _says(block: str, metadata: Metadata, before: dict[str, Any]) -> bool:
    """Return whether an edited block gives the metadata and leaves every unknown key alone."""
    try:
        values = load_yaml(block) or {}
    except Unreadable:
        return False
    return metadata_from(values)[0] == metadata and _unknown(values) == _unknown(before)


def _unknown(values: dict[str, Any]) -> dict[str, Any]:
    known = {key for keys in KEYS.values() for key in keys}
    return {key: value for key, value in values.items() if key not in known}

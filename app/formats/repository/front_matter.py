"""The YAML block at the head of a Markdown file.

Rules: the block and the body together are the file, to the byte. A block whose values have not changed is
written as it came; otherwise only the changed keys' lines differ. Nothing in here raises on any text.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from app.formats.repository.metadata import KEYS, Metadata, metadata_from, value_for
from app.formats.repository.yaml_subset import Unreadable, dump, key_lines, load

_BOM = "\ufeff"
_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_FIRST_LINE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?:[^\s:#\-\[&*!|>@`%][^\n]*?:(?=\s|\Z)|[{\"'?]|\Z)")


def split(text: str) -> tuple[str, str]:
    """The front matter (delimiters and the newline after them included, "" when there is none) and the body.

    A byte order mark goes with the front matter. A rule of dashes that opens no `key:` lines is body.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing or not _FIRST_LINE.match(text[opening.end() : closing.start()]):
        head = len(_BOM) if text.startswith(_BOM) else 0
        return text[:head], text[head:]
    return text[: closing.end()], text[closing.end() :]


def parse(raw: str) -> tuple[dict[str, Any], tuple[str, int | None] | None]:
    """The block's values, and what is wrong with it (a sentence, and the file's line) or None."""
    block = _inside(raw)
    if block is None:
        return {}, None
    try:
        values = load(block)
    except Unreadable as error:
        return {}, (f"The front matter {error.message}.", error.line + 1 if error.line else 1)
    if values is not None and not isinstance(values, dict):
        return {}, ("The front matter is not a list of `key: value` lines.", 1)
    return values or {}, None


def render(raw: str, metadata: Metadata) -> str:
    """The block saying what the metadata says, as close to `raw` as that can be."""
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
    """The front matter to write before a body so that the body is read back as it is.

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
    """A new block: the unknown keys of the old one, then every field that says something."""
    lines = _unknown(values)
    for name, keys in KEYS.items():
        if (value := value_for(name, metadata)) is not None:
            lines[keys[0]] = value
    return dump(lines) if lines else ""


def _edited(block: str, changed: list[str], metadata: Metadata) -> str | None:
    """The block with the changed fields' lines replaced, removed or added; None when it has no such lines."""
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
            result.append(dump({key: value}))
            written.add(name)
        result += _trailing_remarks(lines[start + 1 : end])
    for name in changed:
        value = value_for(name, metadata)
        if value is not None and name not in written:
            if result and not result[-1].endswith("\n"):
                result[-1] += "\n"
            result.append(dump({KEYS[name][0]: value}))
    return "".join(result)


def _trailing_remarks(lines: list[str]) -> list[str]:
    """The blank lines and comments at the end, which belong to what follows."""
    first = len(lines)
    while first and (not lines[first - 1].strip() or lines[first - 1].startswith("#")):
        first -= 1
    return lines[first:]


def _says(block: str, metadata: Metadata, before: dict[str, Any]) -> bool:
    """Whether an edited block gives the metadata and leaves every unknown key alone."""
    try:
        values = load(block) or {}
    except Unreadable:
        return False
    return metadata_from(values)[0] == metadata and _unknown(values) == _unknown(before)


def _unknown(values: dict[str, Any]) -> dict[str, Any]:
    known = {key for keys in KEYS.values() for key in keys}
    return {key: value for key, value in values.items() if key not in known}

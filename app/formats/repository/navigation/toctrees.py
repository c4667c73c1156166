"""The `toctree` directives of a page, as reStructuredText and as MyST write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_RST = re.compile(r"^(?P<indent>[ \t]*)\.\.[ ]+toctree::[ \t]*$")
_MYST = re.compile(r"^[ ]{0,3}(?P<fence>`{3,}|:{3,}|~{3,})\{toctree\}[ \t]*$")
_OPTION = re.compile(r"^[ \t]*:?(?P<name>[a-z]+):[ \t]*(?P<value>.*?)[ \t]*$")
_TITLED = re.compile(r"^(?P<title>.+?)[ \t]*<(?P<target>[^<>]+)>$")


@dataclass(slots=True)
class Toctree:
    """One directive: its caption, whether it lists by patterns, and its rows as (title, target)."""

    caption: str = ""
    is_glob: bool = False
    rows: list[tuple[str, str]] = field(default_factory=list)


def read_toctrees(text: str, *, is_markdown: bool) -> list[Toctree]:
    """Return the directives of a page in their order."""
    lines = text.splitlines()
    return [_directive(inside) for inside in (_fenced if is_markdown else _indented)(lines)]


def _fenced(lines: list[str]) -> Iterator[list[str]]:
    at = 0
    while at < len(lines):
        opened = _MYST.match(lines[at])
        at += 1
        if opened:
            start = at
            while at < len(lines) and not lines[at].strip().startswith(opened["fence"]):
                at += 1
            yield lines[start:at]


def _indented(lines: list[str]) -> Iterator[list[str]]:
    at = 0
    while at < len(lines):
        opened = _RST.match(lines[at])
        at += 1
        if opened:
            start, column = at, len(opened["indent"])
            while at < len(lines) and (not lines[at].strip() or _column(lines[at]) > column):
                at += 1
            yield lines[start:at]


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def _directive(lines: list[str]) -> Toctree:
    made = Toctree()
    in_options, is_block = True, False
    for line in lines:
        said = line.strip()
        if in_options and said == "---":
            is_block, in_options = not is_block, not is_block
        elif in_options and (option := _OPTION.match(line)) and (is_block or said.startswith(":")):
            if option["name"] == "caption":
                made.caption = option["value"].strip("\"'")
            made.is_glob = made.is_glob or option["name"] == "glob"
        elif said and not said.startswith("#"):
            in_options = False
            titled = _TITLED.match(said)
            made.rows.append((titled["title"], titled["target"]) if titled else ("", said))
    return made

"""The options after the language of fenced code: a title, lines that are marked, whether they are numbered.

Tools write it in several ways: `title="a.js" {1,3-5} showLineNumbers`, `hl_lines="2 3" linenums="1"`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

LAST_LINE = 10_000
_TITLE = re.compile(r"(?:title|filename)=(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)
_LINES = re.compile(r"(?<!\S)\{([0-9,\s-]+)\}|(?:hl_lines|highlight)=[\"']?([0-9,\s-]+)[\"']?")
_NUMBERED = re.compile(
    r"(?<!\S)(?:showLineNumbers|lineNumbers|:?line-numbers|linenums=\"?[0-9]+)", re.IGNORECASE
)
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


@dataclass(slots=True, frozen=True)
class FenceOptions:
    """The options of a code block: its title, marked lines, and whether lines are numbered."""

    title: str = ""
    lines: Collection[int] = ()
    numbered: bool = False


def read(given: str) -> FenceOptions:
    """Read what a fence says besides its language."""
    if not given:
        return FenceOptions()
    title, lines = _TITLE.search(given), _LINES.search(given)
    found = next(filter(None, title.groups()), "") if title else ""
    marked: set[int] = set()
    for first, last in _RANGE.findall((lines[1] or lines[2]) if lines else ""):
        marked.update(range(int(first), min(int(last or first), LAST_LINE) + 1))
    return FenceOptions(found, frozenset(marked), _NUMBERED.search(given) is not None)

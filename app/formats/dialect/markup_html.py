"""The block rule for HTML: which lines belong to one HTML block.

As in CommonMark, with two differences: a block that would run to the next empty line also stops before a
block tag of the dialect, and a `<table>` goes to its own `</table>` whatever stands between.
"""

from __future__ import annotations

import re

from markdown_it.common.html_blocks import block_names
from markdown_it.common.html_re import HTML_OPEN_CLOSE_TAG_RE
from markdown_it.rules_block import StateBlock

from app.formats.dialect import tags

# Each kind: how it begins, how it ends (None: at an empty line), and whether it may cut a paragraph short.
_UNTIL_SIGN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<script(?=\s|>|$)", re.IGNORECASE), "</script>"),
    (re.compile(r"<pre(?=\s|>|$)", re.IGNORECASE), "</pre>"),
    (re.compile(r"<style(?=\s|>|$)", re.IGNORECASE), "</style>"),
    (re.compile(r"<textarea(?=\s|>|$)", re.IGNORECASE), "</textarea>"),
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"<![A-Za-z]"), ">"),
)
_BLOCK_NAME = re.compile(r"</?(?:" + "|".join(block_names) + r")(?=\s|/?>|$)", re.IGNORECASE)
_TABLE = re.compile(r"<(/?)table(?=\s|>)", re.IGNORECASE)


def html_block(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Take the lines of one HTML block."""
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith("<", start) or state.is_code_block(line):
        return False
    first = state.src[start : state.eMarks[line]]
    sign = closing_sign(first)
    if not (_cuts_paragraphs(first) if silent else begins_block(first)):
        return False
    if silent:
        return True
    token = state.push("html_block", "", 0)
    end = _table_end(state, start, line, end_line)
    if end is None:
        end = _sign_line(state, line, end_line, sign) if sign else _empty_line(state, line, end_line)
    token.map = [line, end]
    token.content = whole(state.getLines(line, end, state.blkIndent, True))
    state.line = end
    return True


def whole(source: str) -> str:
    """An HTML block without space around it; one left open by its author is closed where it ends."""
    source = source.lstrip(" \t").rstrip("\n")
    sign = closing_sign(source)
    return f"{source}\n{sign}" if sign and sign not in source.lower() else source


def begins_block(line: str) -> bool:
    """Whether a line that stands free begins an HTML block."""
    return _cuts_paragraphs(line) or _lone_tag(line)


def _cuts_paragraphs(line: str) -> bool:
    return closing_sign(line) is not None or _BLOCK_NAME.match(line) is not None


def closing_sign(first_line: str) -> str | None:
    """What ends the block this line begins, or None if an empty line does."""
    if not first_line.startswith("<"):
        return None
    return next((sign for opening, sign in _UNTIL_SIGN if opening.match(first_line)), None)


def _lone_tag(first: str) -> bool:
    match = HTML_OPEN_CLOSE_TAG_RE.match(first[: tags.LONGEST_TAG])
    return match is not None and not first[match.end() :].strip()


def _sign_line(state: StateBlock, line: int, end_line: int, sign: str) -> int:
    while line < end_line:
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            break
        if sign in state.src[state.bMarks[line] : state.eMarks[line]].lower():
            return line + 1
        line += 1
    return line


def _empty_line(state: StateBlock, line: int, end_line: int) -> int:
    line += 1
    while line < end_line and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        start = state.bMarks[line] + state.tShift[line]
        if tags.read_tag(state.src, start, state.eMarks[line]) or tags.block_tag(state, line, end_line, True):
            break
        line += 1
    return line


def _table_end(state: StateBlock, start: int, line: int, end_line: int) -> int | None:
    """The line after the `</table>` that belongs to the `<table` beginning here, if it is in reach."""
    if not _TABLE.match(state.src, start):
        return None
    if "tables" not in state.env:
        state.env["tables"] = _table_ends(state.src)
    end = state.env["tables"].get(start)
    if end is None:
        return None
    last = tags.line_of(state, end)
    return last + 1 if last < tags.contained_until(state, line, end_line) else None


def _table_ends(source: str) -> dict[int, int]:
    """Where each `<table` in the source finds its end."""
    open_tables: list[int] = []
    ends: dict[int, int] = {}
    for match in _TABLE.finditer(source):
        if not match.group(1):
            open_tables.append(match.start())
        elif open_tables:
            ends[open_tables.pop()] = match.end()
    return ends

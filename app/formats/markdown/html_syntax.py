"""HTML as far as the dialect needs it: a flat list of tags and texts, attributes, and simple styles.

The block rule for HTML is CommonMark's with two differences: a block that would run to the next empty line
also stops before a block tag of the dialect, and a `<table>` goes to its own `</table>` whatever stands
between.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it.common.html_blocks import block_names
from markdown_it.common.html_re import HTML_OPEN_CLOSE_TAG_RE
from markdown_it.rules_block import StateBlock

from app.formats.markdown import tags

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_PIECE = re.compile(r"</?[A-Za-z][^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>")
_ATTRIBUTE = re.compile(r"([A-Za-z_:][\w:.-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_LENGTH = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,5})?)(%|px)?\Z")
_BLANK = " \t\n\r\f"
VOID = {"img", "br", "hr", "source", "col", "input", "wbr", "meta", "link"}


@dataclass(slots=True)
class Piece:
    """A tag, or the text between two tags (then `name` is empty); `raw` is how it was written."""

    raw: str
    name: str = ""
    closing: bool = False
    attributes: dict[str, str] = field(default_factory=dict)
    start: int = 0
    end: int = 0


def read_tag(raw: str) -> Piece | None:
    """Return one tag, or None for comments and the like."""
    match = _NAME.match(raw)
    if match is None:
        return None
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(raw[match.end() : -1].rstrip("/")):
        attributes.setdefault(name.lower(), html.unescape("".join(values)))
    return Piece(raw, match.group(1).lower(), raw.startswith("</"), attributes)


def pieces(source: str) -> list[Piece]:
    """Return the tags and non-blank texts of a source, in order, without comments."""
    found: list[Piece] = []
    position = 0
    source = without_comments(source)
    for match in _PIECE.finditer(source):
        _add_text(found, source, position, match.start())
        tag = read_tag(match.group())
        if tag is not None:
            tag.start, tag.end = match.span()
            found.append(tag)
        position = match.end()
    _add_text(found, source, position, len(source))
    return found


def _add_text(found: list[Piece], source: str, start: int, end: int) -> None:
    if source[start:end].strip(_BLANK):
        found.append(Piece(source[start:end], start=start, end=end))


def rewritten(source: str, change: Callable[[Piece], str]) -> str:
    """Return the source with every tag replaced by what `change` returns for it."""

    def replaced(match: re.Match[str]) -> str:
        tag = read_tag(match.group())
        return match.group() if tag is None else change(tag)

    return _PIECE.sub(replaced, source)


def without_comments(source: str) -> str:
    """Return the source without its `<!-- -->`; one left open hides the rest."""
    parts = source.split("<!--")
    return parts[0] + "".join(part.partition("-->")[2] for part in parts[1:])


def styles(attributes: dict[str, str]) -> dict[str, str]:
    """Return the declarations of a `style` attribute."""
    pairs = (part.partition(":") for part in attributes.get("style", "").split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def length(written: object) -> tuple[float, bool] | None:
    """Return a width or height in pixels or percent, and whether it is percent; None for what is none."""
    match = _LENGTH.match(str(written or "").strip())
    return (float(match[1]), match[2] == "%") if match else None


def write_tag(name: str, attributes: dict[str, str]) -> str:
    """Return an opening tag; an attribute without a value is written by its name alone."""
    return f"<{name}{''.join(_written(*attribute) for attribute in attributes.items())}>"


def _written(name: str, value: str) -> str:
    if not value and name not in ("alt", "src", "href"):
        return f" {name}"
    escaped = html.escape(value, quote=False).replace('"', "&quot;").replace("\n", "&#10;")
    escaped = escaped.replace("{%", "&#123;%")
    return f' {name}="{escaped}"'


def collapse(content: str) -> str:
    """Collapse white space as a browser shows it: runs become one space (non-breaking spaces are kept)."""
    return re.sub(rf"[{_BLANK}]+", " ", content)


def strip(content: str) -> str:
    """Return the content without white space around it."""
    return content.strip(_BLANK)


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
    """Return an HTML block without space around it; one left open by its author is closed where it ends."""
    source = source.lstrip(" \t").rstrip("\n")
    sign = closing_sign(source)
    return f"{source}\n{sign}" if sign and sign not in source.lower() else source


def begins_block(line: str) -> bool:
    """Return whether a line that stands free begins an HTML block."""
    return _cuts_paragraphs(line) or _lone_tag(line)


def _cuts_paragraphs(line: str) -> bool:
    return closing_sign(line) is not None or _BLOCK_NAME.match(line) is not None


def closing_sign(first_line: str) -> str | None:
    """Return what ends the block this line begins, or None if an empty line does."""
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
    """Return the line after the `</table>` that belongs to the `<table` beginning here, if it is in reach."""
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
    """Return where each `<table` in the source finds its end."""
    open_tables: list[int] = []
    ends: dict[int, int] = {}
    for match in _TABLE.finditer(source):
        if not match.group(1):
            open_tables.append(match.start())
        elif open_tables:
            ends[open_tables.pop()] = match.end()
    return ends

"""Escaping of text, labels, addresses, code and tables, so that Markdown reads them literally."""

from __future__ import annotations

import re

_ANYWHERE = re.compile(
    r"""[\\`*\[\]]            # code, emphasis, links
    |(?<![^\W_])_|_(?![^\W_]) # emphasis, but not inside a word
    |<(?=[A-Za-z/!?])         # HTML
    |&(?=\#?\w{1,31};)        # character references
    |~(?=~)|\$(?=\$)|\{(?=[%{])
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(r"(\s*)(?:(#{1,6}|[-+>]|={3,}|-{3,}|~{3,})(?=\s|$)|(>)|(\d{1,9})([.)])(?=\s|$))")
_UNSAFE = re.compile(r"[\s<>()\"\\|`*\[\]{}\x00-\x1f\x7f]")
_BACKTICKS = re.compile("`+")


def escape(text: str, *, starts_line: bool = False, in_cell: bool = False) -> str:
    """Return plain text as Markdown; `starts_line` if a line of Markdown may begin with it."""
    text = _ANYWHERE.sub(r"\\\g<0>", text)
    if in_cell:
        text = text.replace("|", "\\|")
    if starts_line and (match := _LINE_START.match(text)):
        at = match.start(5) if match.group(5) else match.end(1)
        text = f"{text[:at]}\\{text[at:]}"
    return text


def label(text: str, *, in_cell: bool = False, quotes: bool = False) -> str:
    """Escape plain text between the brackets of an image, or between the quotes of a title."""
    text = escape(text, in_cell=in_cell)
    return text.replace('"', '\\"') if quotes else text


def destination(address: str) -> str:
    """Return an address between the parentheses of a link: what could end it is percent-encoded."""
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), address)


def as_code(text: str, *, in_cell: bool = False) -> str:
    """Return one line as inline code, within more backticks than it has in a row."""
    if not text.strip():
        return ""
    if in_cell:
        text = text.replace("|", "\\|")
    runs = {len(run) for run in _BACKTICKS.findall(text)}
    ticks = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(code: str, language: str = "") -> str:
    """Return lines of code within a fence that they do not contain."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{code}\n{ticks}"


def pipes(rows: list[list[str]]) -> str:
    """Return rows of cells as a table whose first row is the header; short rows are filled up."""
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join(["---"] * width) + " |")
    return "\n".join(lines)

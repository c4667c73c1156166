"""The table of contents file: a Markdown list of pages, groups and links.

Rules: a heading begins a group that lasts to the next heading or separator; a list item without a link is a
group; an address with a scheme is a link, anything else a file. Lists may use any marker and any indentation
of two columns or more. What `write_summary` writes, `parse_summary` reads back the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from app.formats.repository.import_report import Report
from app.formats.repository.names import escaped, plain

MAX_DEPTH = 64
MAX_ENTRIES = 100_000
MAX_LINE = 16_384

_ITEM = re.compile(r"(?:[*+-]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_MARK = re.compile(r"<!-- (icon|emoji): ([A-Za-z0-9_-]{1,50}) -->")
_RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_IN_PATHS = re.compile(r"[\x00-\x1f\x7f<>\\%#]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_IN_BRACKETS = re.compile(r"[<>\\]")
# A link whose end no escape, quote or further bracket leaves in doubt, as most are.
_PLAIN_LINK = re.compile(r"""[^\[\\]*+(?<!!)\[([^\[\]\\]*+)\]\(([^()<"'\\]*+)\)""")
_BRACKETED = re.compile(r"<((?:[^<>\\]|\\.)*)>")
_NEEDS_BRACKETS = re.compile(r"[\s()\"'<>\\]")


@dataclass(slots=True)
class Entry:
    """One row: a page's file as written (decoded, without anchor), a group's title, or a link's address.

    The icon and emoji are a group's, which has no front matter: `## Title <!-- icon: gear -->`.
    """

    kind: Literal["page", "group", "link"]
    title: str
    target: str | None = None
    link_title: str | None = None
    icon: str | None = None
    emoji: str | None = None
    line: int = field(default=0, compare=False)
    children: list[Entry] = field(default_factory=list)


def parse_summary(text: str, report: Report | None = None, file: str = "SUMMARY.md") -> list[Entry]:
    """Return the entries of a table of contents. Lines that say nothing to us are noted in the report."""
    return _SummaryReader(report or Report(), file).read(text)


def write_summary(entries: Sequence[Entry]) -> str:
    """Return the entries as a table of contents; groups at the top become headings."""
    parts = ["# Table of contents\n\n"]
    in_group = False
    in_list = False
    for entry in entries:
        if entry.kind == "group":
            parts.append(f"{chr(10) * in_list}## {escaped(entry.title)}{_marks(entry)}\n\n")
            parts += _item_lines(entry.children, 0)
            in_group, in_list = True, bool(entry.children)
            continue
        if in_group:
            parts.append("\n" * in_list + "***\n\n")
        parts += _item_lines([entry], 0)
        in_group, in_list = False, True
    return "".join(parts)


class _SummaryReader:
    """Reads line by line, with the open list items as a stack of (column, where their children go, depth)."""

    def __init__(self, report: Report, file: str) -> None:
        self._report = report
        self._file = file
        self._entries: list[Entry] = []
        self._section = self._entries
        self._section_depth = 0
        self._open: list[tuple[int, list[Entry], int]] = []
        self._count = 0
        self._begun = False
        self._marks: dict[str, str] = {}

    def read(self, text: str) -> list[Entry]:
        for number, line, self._marks in _lines(text):
            if self._count >= MAX_ENTRIES:
                self._note("skipped", f"Only the first {MAX_ENTRIES:,} entries were read.", number)
                break
            self._line(line, number)
        return self._entries

    def _line(self, line: str, number: int) -> None:
        body = line.lstrip(" \t")
        column = len(line[: len(line) - len(body)].expandtabs(4))
        body = body.rstrip()
        if not body:
            return
        if len(body) > MAX_LINE:
            self._note("unsupported", "The line is too long and was not read.", number)
        elif _RULE.match(body):
            self._start_section(self._entries)
        elif column < 4 and (heading := _HEADING.match(body)):
            self._heading(heading, number)
        elif item := _ITEM.match(body):
            self._item(body[item.end() :].lstrip(), column, number)
        elif body.startswith("[") and (entry := self._linked(body, number)):
            self._add(entry, 0)
        else:
            self._note("unsupported", "This line is no entry and was not kept in the navigation.", number)

    def _heading(self, match: re.Match[str], number: int) -> None:
        title = plain(_CLOSING_MARKS.sub("", (match[2] or "").strip()))
        is_page_title = not self._begun and len(match[1]) == 1
        self._begun = True
        self._start_section(self._entries)
        if not is_page_title and title:
            group = self._group(title, number)
            self._entries.append(group)
            self._count += 1
            self._start_section(group.children)

    def _start_section(self, children: list[Entry]) -> None:
        self._section = children
        self._section_depth = 0 if children is self._entries else 1
        self._open = []

    def _item(self, text: str, column: int, number: int) -> None:
        entry = self._linked(text, number) if "](" in text else None
        if entry is None:
            title = plain(text)
            if not title:
                return
            entry = self._group(title, number)
        self._add(entry, column)

    def _add(self, entry: Entry, column: int) -> None:
        self._begun = True
        while self._open and column <= self._open[-1][0] + 1:
            self._open.pop()
        _, siblings, depth = self._open[-1] if self._open else (0, self._section, self._section_depth)
        siblings.append(entry)
        self._count += 1
        if depth == MAX_DEPTH:
            self._note("unsupported", f"Nested deeper than {MAX_DEPTH} levels; kept higher up.", entry.line)
        too_deep = depth + 1 >= MAX_DEPTH
        self._open.append((column, siblings if too_deep else entry.children, min(depth + 1, MAX_DEPTH)))

    def _linked(self, text: str, number: int) -> Entry | None:
        """Return the first link of a line as an entry; one without an address is a group."""
        found = _first_link(text)
        if found is None:
            return None
        label, inside, rest = found
        if "](" in rest:
            self._note("unsupported", "Only the first link of the line was kept.", number)
        target, link_title = _destination(inside)
        title = plain(label)
        if not target or target.startswith("#"):
            return self._group(title, number) if title else None
        if _SCHEME.match(target):
            return Entry("link", title or target[:500], target, link_title, line=number)
        path = unquote(target.partition("#")[0], errors="replace")
        return Entry("page", title, path, link_title, line=number)

    def _group(self, title: str, number: int) -> Entry:
        icon, emoji = self._marks.get("icon"), self._marks.get("emoji")
        return Entry("group", title, icon=icon, emoji=emoji, line=number)

    def _note(self, kind: Literal["unsupported", "skipped"], message: str, line: int) -> None:
        self._report.add(kind, self._file, message, line)


def _marks(entry: Entry) -> str:
    said = {"icon": entry.icon, "emoji": entry.emoji}
    return "".join(f" <!-- {name}: {value} -->" for name, value in said.items() if value)


def markable(value: str | None) -> str | None:
    """Return an icon or emoji where a table of contents can say it, else None."""
    return value if value and _MARK.fullmatch(f"<!-- icon: {value} -->") else None


def _lines(text: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield numbered lines without comments, and what these say of a group; an open one hides the rest."""
    text = text.removeprefix("\ufeff")
    hidden = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not hidden and "<!--" not in line:
            yield number, line, {}
            continue
        marks = {} if hidden else dict(_MARK.findall(line))
        shown: list[str] = []
        at = 0
        while at < len(line):
            mark = line.find("-->" if hidden else "<!--", at)
            if mark < 0:
                break
            if hidden:
                hidden, at = False, mark + 3
            elif mark and line[mark - 1] == "\\":
                shown.append(line[at : mark + 4])
                at = mark + 4
            else:
                shown.append(line[at:mark])
                hidden, at = True, mark + 4
        if not hidden:
            shown.append(line[at:])
        yield number, "".join(shown), marks


def _first_link(text: str) -> tuple[str, str, str] | None:
    """Return the label, what is between the parentheses, and what follows, of the first `[label](…)`."""
    if plain := _PLAIN_LINK.match(text):
        return plain[1], plain[2], text[plain.end() :]
    opened: list[int] = []
    inner: tuple[int, int] | None = None
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "[":
            opened.append(at)
        elif char == "]" and opened:
            start = opened.pop()
            if text.startswith("(", at + 1) and not (start and text[start - 1] == "!"):
                if not opened:
                    return _link_at(text, start, at)
                inner = inner or (start, at)
        at += 1
    return _link_at(text, *inner) if inner else None


def _link_at(text: str, start: int, end: int) -> tuple[str, str, str] | None:
    closing = _closing_parenthesis(text, end + 2)
    return (text[start + 1 : end], text[end + 2 : closing], text[closing + 1 :]) if closing else None


def _closing_parenthesis(text: str, at: int) -> int:
    """Return where the parenthesis opened just before `at` closes, 0 when it does not."""
    depth = 1
    quote = ""
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char == "<" and text[at - 1] == "(":
            quote = ">"
        elif char in "\"'" and text[at - 1] in " \t":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
            if not depth:
                return at
        at += 1
    return max(text.rfind(")"), 0) if quote else 0


def _destination(inside: str) -> tuple[str, str | None]:
    """Return the target and the quoted title of a link's parentheses, without escapes."""
    inside = inside.strip()
    if inside.startswith("<") and (bracketed := _BRACKETED.match(inside)):
        target, title = bracketed[1], inside[bracketed.end() :].strip()
    else:
        quote = inside[-1:]
        start = inside.find(f" {quote}") if quote in ("'", '"') else -1
        has_title = 0 <= start < len(inside) - 2
        target, title = (inside[:start].rstrip(), inside[start + 1 :]) if has_title else (inside, "")
    return _ESCAPED.sub(r"\1", target), plain(title[1:-1]) or None


def _item_lines(entries: Sequence[Entry], depth: int) -> Iterator[str]:
    for entry in entries:
        text = escaped(entry.title) + _marks(entry)
        if entry.kind != "group":
            link_title = f' "{_quotable(entry.link_title)}"' if entry.link_title else ""
            text = f"[{text}]({_written_target(entry)}{link_title})"
        yield f"{'  ' * depth}* {text}\n"
        yield from _item_lines(entry.children, depth + 1)


def _quotable(link_title: str) -> str:
    return escaped(link_title).replace('"', '\\"')


def _written_target(entry: Entry) -> str:
    """Return the target such that reading it gives it back; one with spaces or the like stands in `<…>`."""
    target = entry.target or ""
    if entry.kind == "link":
        target = _CONTROL.sub(_percent, target)
        return f"<{_IN_BRACKETS.sub(_backslash, target)}>" if _NEEDS_BRACKETS.search(target) else target
    target = _NOT_IN_PATHS.sub(_percent, target)
    target = target.replace(":", "%3A", 1) if _SCHEME.match(target) else target
    return f"<{target}>" if _NEEDS_BRACKETS.search(target) else target


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _backslash(found: re.Match[str]) -> str:
    return f"\\{found[0]}"

"""The report of an import: counts, and each construct that was not imported, with its file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

MAX_PROBLEMS = 10_000

Kind = Literal[
    "broken-link", "condition", "missing-file", "duplicate", "navigation", "unsupported", "undecodable",
    "skipped",
]  # fmt: skip

_HEADINGS: dict[Kind, str] = {
    "broken-link": "Links that lead nowhere",
    "condition": "Conditions that cannot be read",
    "missing-file": "Files that are named but missing",
    "duplicate": "Listed more than once",
    "navigation": "Navigation not followed",
    "unsupported": "Not supported",
    "undecodable": "Text that is not valid UTF-8",
    "skipped": "Left out",
}


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """One thing that could not be kept as it was; `line` counts from 1."""

    kind: Kind
    file: str
    line: int | None
    message: str

    @property
    def place(self) -> str:
        """Return the file, with the line where there is one."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(slots=True)
class Report:
    """Counters and problems of one import. At most `MAX_PROBLEMS` are held, the rest are counted."""

    pages: int = 0
    unlisted: int = 0
    groups: int = 0
    links: int = 0
    files: int = 0
    reusable_contents: int = 0
    problems: list[ImportProblem] = field(default_factory=list)
    left_out: int = 0

    def add(self, kind: Kind, file: str, message: str, line: int | None = None) -> None:
        """Note a problem in a file of the repository."""
        if len(self.problems) >= MAX_PROBLEMS:
            self.left_out += 1
            return
        self.problems.append(ImportProblem(kind, _printable(file), line, _printable(message)))

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data, in the wire's camelCase."""
        return {
            "pages": self.pages,
            "unlistedPages": self.unlisted,
            "groups": self.groups,
            "links": self.links,
            "files": self.files,
            "reusableContents": self.reusable_contents,
            "problems": [
                {"kind": each.kind, "file": each.file, "message": each.message}
                | ({} if each.line is None else {"line": each.line})
                for each in self.problems
            ],
            "moreProblems": self.left_out,
        }

    def as_text(self) -> str:
        """Return the report for people: one line of counts, then the problems grouped by kind."""
        lines = [
            f"{_count(self.pages, 'page')} ({self.unlisted} not in the table of contents), "
            f"{_count(self.groups, 'group')}, {_count(self.links, 'link')}, {_count(self.files, 'file')}, "
            f"{_count(self.reusable_contents, 'reusable content')}."
        ]
        for kind, heading in _HEADINGS.items():
            found = [each for each in self.problems if each.kind == kind]
            if found:
                lines += ["", f"{heading} ({len(found)})"]
                lines += [f"  {each.place}: {each.message}" for each in found]
        if self.left_out:
            lines += ["", f"{_count(self.left_out, 'more problem')} not shown."]
        return "\n".join(lines) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _printable(text: str) -> str:
    """Return the text on one line, safe for a terminal and for JSON, and not longer than anyone reads."""
    if not (text.isprintable() and text.isascii()):
        text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= 500 else text[:499] + "…"

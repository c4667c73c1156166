"""The report of an import: counts, and each construct that was not imported, with its file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

MAX_PROBLEMS = 10_000
SHOWN = 5  # places of a cause that are told one by one

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
_QUOTED = re.compile("“[^”]*”?")


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
class ImportCause:
    """The common part of several problems: their kind, and their message without what it quotes."""

    kind: Kind
    message: str
    problems: list[ImportProblem] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return how many problems there are."""
        return len(self.problems)


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

    def include(self, other: Report) -> None:
        """Take in the report of another part of the same import."""
        for name in ("pages", "unlisted", "groups", "links", "files", "reusable_contents", "left_out"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        room = MAX_PROBLEMS - len(self.problems)
        self.problems += other.problems[:room]
        self.left_out += len(other.problems[room:])

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
            "causes": [
                {
                    "kind": each.kind,
                    "message": each.message,
                    "count": each.count,
                    "places": [problem.place for problem in each.problems[:SHOWN]],
                }
                for each in causes(self.problems)
            ],
        }

    def as_text(self) -> str:
        """Return the report for people: one line of counts, then the problems by kind and cause.

        Of each cause the first places are told, and how many more there are.
        """
        lines = [
            f"{counted(self.pages, 'page')} ({self.unlisted} not in the table of contents), "
            f"{counted(self.groups, 'group')}, {counted(self.links, 'link')}, {counted(self.files, 'file')}, "
            f"{counted(self.reusable_contents, 'reusable content')}."
        ]
        for kind, heading in _HEADINGS.items():
            found = [each for each in causes(self.problems) if each.kind == kind]
            if found:
                lines += ["", f"{heading} ({sum(each.count for each in found)})"]
            for cause in found:
                lines += [f"  {each.place}: {each.message}" for each in cause.problems[:SHOWN]]
                if cause.count > SHOWN:
                    lines.append(f"  and {cause.count - SHOWN} more: {cause.message}")
        if self.left_out:
            lines += ["", f"{counted(self.left_out, 'more problem')} not shown."]
        return "\n".join(lines) + "\n"


def causes(problems: Iterable[ImportProblem]) -> list[ImportCause]:
    """Return what the problems have in common, the most frequent first."""
    found: dict[tuple[Kind, str], ImportCause] = {}
    for problem in problems:
        message = _QUOTED.sub("“…”", problem.message)
        found.setdefault((problem.kind, message), ImportCause(problem.kind, message)).problems.append(problem)
    return sorted(found.values(), key=lambda each: -each.count)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _printable(text: str) -> str:
    """Return the text on one line, safe for a terminal and for JSON, and not longer than anyone reads."""
    if not (text.isprintable() and text.isascii()):
        text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= 500 else text[:499] + "…"

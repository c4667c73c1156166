"""The lines a call leaves behind, as many as its budget allows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from app.kit.sandbox.shapes import Budget, Level, LogLine

LEVELS: tuple[Level, ...] = ("debug", "info", "warn", "error")


@dataclass(slots=True)
class Trace:
    """Lines of a script's console, and of the sandbox about it."""

    budget: Budget
    lines: list[LogLine] = field(default_factory=list)
    _bytes: int = 0
    _full: bool = False

    def heard(self, text: str) -> None:
        """A line as the prelude sends it: its level, a colon and the text."""
        if self._full:
            return
        level, _, line = text.partition(":")
        self._bytes += len(line.encode("utf-8", "replace"))
        if len(self.lines) >= self.budget.log_lines or self._bytes > self.budget.log_bytes:
            self._full = True
            self.note("warn", "Further lines were left out.")
        else:
            self.note(next((known for known in LEVELS if known == level), "info"), line)

    def note(self, level: Level, text: str) -> None:
        """Add a line of our own."""
        self.lines.append(LogLine(int(time.time() * 1000), level, text))

"""Command-line options of the benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True, frozen=True)
class Options:
    """Rounds of all contestants in turn, seconds per contestant and round, and where data is kept."""

    scratch: Path
    rounds: int | None = None
    seconds: float | None = None

    def rounds_or(self, usual: int) -> int:
        """The rounds that were asked for, or as many as this bench usually takes."""
        return self.rounds or usual

    def seconds_or(self, usual: float) -> float:
        """The seconds that were asked for, or as many as this bench usually takes."""
        return self.seconds or usual

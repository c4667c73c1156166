"""The report of a benchmark: a row per comparison with its ratios, its goal and the figures behind it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

WIDE = 180  # a file or a pipe has no edge at which to fold


@dataclass(slots=True, frozen=True)
class Goal:
    """A bound for the first ratio of a row: at least, or at most."""

    least: float | None = None
    most: float | None = None

    def met(self, value: float) -> bool:
        """Tell whether the value is within the bound."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"


@dataclass(slots=True, frozen=True)
class Row:
    """One comparison. The goal is about the first ratio; the figures of both sides are absolute and noisy."""

    what: str
    against: str
    ratios: dict[str, float]
    goal: Goal | None = None
    ours: dict[str, float] = field(default_factory=dict)
    theirs: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or nothing where no goal is set."""
        if self.goal is None:
            return ""
        return "met" if self.goal.met(next(iter(self.ratios.values()))) else "missed"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios round by round, which a machine's moods disturb least."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def tell(name: str, rows: Sequence[Row]) -> None:
    """Print the rows of a bench as a table."""
    table = Table(title=name, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("what", "ratio", "goal", "", "ours", "against", "theirs"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        ratios = "\n".join(f"{value:.3f} by {kind}" for kind, value in row.ratios.items())
        goal = str(row.goal or "")
        table.add_row(row.what, ratios, goal, row.verdict, _list(row.ours), row.against, _list(row.theirs))
    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    console.print(table)
    console.print()


def keep(path: Path, benches: dict[str, Sequence[Row]]) -> None:
    """Write all rows as JSON."""
    found: dict[str, list[dict[str, Any]]] = {
        name: [{**asdict(row), "verdict": row.verdict} for row in rows] for name, rows in benches.items()
    }
    path.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))


def _list(figures: dict[str, float]) -> str:
    return "\n".join(f"{_short(value)} {unit}" for unit, value in figures.items())


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

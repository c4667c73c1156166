"""What a bench found: one row per comparison, its ratios, the goal it is held to, and the figures behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table


@dataclass(slots=True, frozen=True)
class Goal:
    """A bound for the first ratio of a row: at least, or at most."""

    least: float | None = None
    most: float | None = None

    def met(self, value: float) -> bool:
        """Whether the value is within the bound."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"


@dataclass(slots=True, frozen=True)
class Row:
    """One comparison. The first ratio is the one that the goal is about; figures are absolute and noisy."""

    what: str
    against: str
    ratios: dict[str, float]
    goal: Goal | None = None
    figures: dict[str, float | str] = field(default_factory=dict)

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
    for heading in ("what", "against", "ratio", "goal", "", "figures"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        ratios = ", ".join(f"{kind} {value:.3f}" for kind, value in row.ratios.items())
        figures = ", ".join(f"{kind} {_short(value)}" for kind, value in row.figures.items())
        table.add_row(row.what, row.against, ratios, str(row.goal or ""), row.verdict, figures)
    console = Console()
    console.print(table if console.is_terminal else table, width=None if console.is_terminal else 220)
    console.print()


def keep(path: Path, benches: dict[str, Sequence[Row]]) -> None:
    """Write all rows as JSON."""
    found: dict[str, list[dict[str, Any]]] = {
        name: [{**asdict(row), "verdict": row.verdict} for row in rows] for name, rows in benches.items()
    }
    path.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

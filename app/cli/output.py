"""The output of a command: results on stdout, words and progress on stderr, advice after a refusal."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from app.kit.errors import Problem

# What moves a terminal's cursor, colours it, names its window or turns its letters round.
_COMMANDS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_MARK = "\N{REPLACEMENT CHARACTER}"
WIDE = 10_000  # a file or a pipe has no edge at which to fold


def say(text: str) -> None:
    """Print a sentence for people."""
    print(_inert(text), file=sys.stderr)


def give(result: str) -> None:
    """Print what the command made, alone on its line, for scripts."""
    print(result)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console() if sys.stdout.isatty() else Console(width=WIDE)
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(_inert(cell).replace("\n", _MARK)) for cell in row))
    console.print(grid)


def _inert(text: str) -> str:
    """Return a text, in which anybody may have written a name or a title, without what a terminal obeys."""
    return _COMMANDS.sub(_MARK, text)


@contextmanager
def advice(sentence: str) -> Iterator[None]:
    """Say after a refusal what to do next."""
    try:
        yield
    except Problem as problem:
        problem.message = f"{problem.message} {sentence}"
        raise


RUNNING: ContextVar[str] = ContextVar("command", default="docyard")


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar that moves by what the given function is told; None is an unknown total."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)

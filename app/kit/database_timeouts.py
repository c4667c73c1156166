"""Timeouts of PostgreSQL by who asks. A request gives up soon; a job or a command may take its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LONG = 600.0  # seconds that a statement of a job or a command may take, or wait for others


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The limits of a request, in seconds: for one statement, for a connection, until a transaction begins.

    A transaction waits for a connection and for others that write at the same place before it begins.
    """

    statement: float = 5.0
    connection: float = 3.0
    begin: float = 8.0

    @property
    def current(self) -> Timeouts:
        """Return the limits of whoever asks."""
        return self if self.is_hurried else _OF_JOBS

    @property
    def is_hurried(self) -> bool:
        """Return True if a request asks, which somebody waits for."""
        return not _is_unhurried.get()


_OF_JOBS = Timeouts(statement=LONG, connection=LONG, begin=LONG)
_is_unhurried: ContextVar[bool] = ContextVar("unhurried", default=False)


@contextmanager
def unhurried() -> Iterator[None]:
    """Let the statements inside the block take as long as those of jobs, since no request waits for them."""
    mark = _is_unhurried.set(True)
    try:
        yield
    finally:
        _is_unhurried.reset(mark)

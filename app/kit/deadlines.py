"""Deadlines of computing: whatever loops over texts that callers wrote asks now and then whether to go on.

A thread cannot be killed, so work ends itself: its loops call `check`, which costs less than a tenth of a
microsecond. Time is that of the processor, as far as this thread had it: a busy machine refuses nobody.
"""

from __future__ import annotations

import time
from contextvars import ContextVar


class Overdue(Exception):
    """The work has used up its time, or nobody waits for it any more."""


class Deadline:
    """So many seconds of one thread's computing; `cancel` ends it early, from any thread.

    `on_loop`: the thread is that of the event loop, and what is not done in time begins again in another.
    """

    __slots__ = ("_began", "_looks_at", "_seconds", "is_cancelled", "on_loop")

    def __init__(self, seconds: float, *, on_loop: bool = False) -> None:
        self._seconds = seconds
        self.on_loop = on_loop
        self._began = self._looks_at = 0.0
        self.is_cancelled = False

    def begin(self) -> None:
        """Let the seconds run, for the thread that calls this."""
        self._began = time.thread_time()
        self._looks_at = time.monotonic() + self._seconds

    def cancel(self) -> None:
        """Let the work end at its next check."""
        self.is_cancelled = True

    @property
    def used(self) -> float:
        """Return seconds that the thread which began this has computed since."""
        return time.thread_time() - self._began

    def check(self) -> None:
        """Raise Overdue if the work is to end."""
        if self.is_cancelled:
            raise Overdue
        now = time.monotonic()
        if now < self._looks_at:
            return
        used = self.used  # ten times as slow as the clock on the wall
        if used >= self._seconds:
            raise Overdue
        self._looks_at = now + self._seconds - used


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class until:
    """Hold what runs inside to a deadline, which begins now.

    A class: `contextmanager` takes as long as reading a small body does.
    """

    __slots__ = ("_deadline", "_mark")

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def __enter__(self) -> None:
        self._deadline.begin()
        self._mark = _current.set(self._deadline)

    def __exit__(self, *_raised: object) -> None:
        _current.reset(self._mark)


def leave_loop() -> None:
    """Raise Overdue if the work began on the event loop, so that it begins again in a thread.

    It stands before what takes long once in a process, such as the import of a large module.
    """
    deadline = _current.get()
    if deadline is not None and deadline.on_loop:
        raise Overdue


def check() -> None:
    """Raise Overdue if the work that this is part of has used up its time; without a deadline, never."""
    deadline = _current.get()
    if deadline is not None:
        deadline.check()

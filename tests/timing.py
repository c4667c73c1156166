"""Time in tests: timeouts, polling, and a clock that a test sets."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from app.kit.clock import utc_now

TIMEOUT = 90  # seconds; reached only when something is broken
T = TypeVar("T")


def until(look: Callable[[], T], otherwise: str) -> T:
    """Call `look` until it returns something true, and return that; fail with `otherwise` after `TIMEOUT`."""
    ends = time.monotonic() + TIMEOUT
    while not (found := look()):
        assert time.monotonic() < ends, otherwise
        time.sleep(0.05)
    return found


def on_one_day(call: Callable[[], T]) -> T:
    """Return the result of a call that did not run across midnight: URLs of files change every day."""
    while True:
        day = datetime.now(UTC).date()
        given = call()
        if datetime.now(UTC).date() == day:
            return given


class Clock:
    """A clock for servers that the test sets."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

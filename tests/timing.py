"""Time in tests: timeouts, polling, and a clock that a test sets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from app.kit.clock import utc_now

TIMEOUT = 90  # seconds; reached only when something is broken
T = TypeVar("T")


def looks() -> Iterator[None]:
    """Yield whenever it is time to look again, until `TIMEOUT`: soon at first, then less and less often."""
    ends, pause = time.monotonic() + TIMEOUT, 0.005
    while time.monotonic() < ends:
        yield
        time.sleep(pause)
        pause = min(1.5 * pause, 0.05)


def until(look: Callable[[], T], otherwise: str) -> T:
    """Call `look` until it returns something true, and return that; fail with `otherwise` after `TIMEOUT`."""
    for _ in looks():
        if found := look():
            return found
    raise AssertionError(otherwise)


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

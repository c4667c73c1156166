"""A clock for servers that the test turns."""

from __future__ import annotations

from datetime import datetime, timedelta

from app.kit.clock import utc_now


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

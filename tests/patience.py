"""How tests wait: for the thing itself, and as long as a machine with much else to do may need."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

PATIENCE = 90  # seconds; only a fault needs them
T = TypeVar("T")


def until(look: Callable[[], T], otherwise: str) -> T:
    """What somebody sees who looks again and again until there is something."""
    ends = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < ends, otherwise
        time.sleep(0.05)
    return found


def on_one_day(call: Callable[[], T]) -> T:
    """What a call gives; again if a day ended meanwhile, since addresses of files are good for days."""
    while True:
        day = datetime.now(UTC).date()
        given = call()
        if datetime.now(UTC).date() == day:
            return given

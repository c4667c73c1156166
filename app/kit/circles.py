"""How many scripts stand behind a request: what a script fetches says so, so that none calls itself for ever.

A script's call would end with its seconds, but one that calls itself hands over to the next in time.
"""

from __future__ import annotations

from contextvars import ContextVar

HEADER = "x-docyard-scripts"
MOST = 3  # scripts that wait for each other

behind: ContextVar[int] = ContextVar("scripts_behind", default=0)


def told(value: bytes) -> int:
    """What the header of a request says; whoever says nonsense is nobody's script."""
    return int(value) if value.isdigit() and len(value) < 4 else 0

"""The one clock: UTC, to the millisecond, and how a time is written. Tests hand the Context another one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time now, cut to milliseconds, since that is what is stored and shown."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def wire_time(moment: datetime) -> str:
    """A time as it is sent, and as SQLite keeps it: `2026-11-21T09:30:00.125Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"

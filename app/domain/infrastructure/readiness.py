"""Tells whether this server can do its work: whether its database answers, and its disk has room."""

from __future__ import annotations

import asyncio
import shutil
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from sqlalchemy import Select, func, literal_column, or_, select

from app.domain.jobs import IS_WAITING, JOBS, JobRuntime
from app.kit.database.columns import Instant
from app.kit.database.statements import given, rows
from app.kit.errors import Problem
from app.kit.settings import Settings

PATIENCE = 2.0  # seconds that the database has to answer
LATE = 900.0  # seconds after which a job that is due is late
MEMORY = ":memory:"


class ReadinessCheck(NamedTuple):
    """One thing that was looked at. Without what is `needed`, the server is not ready."""

    name: str
    is_good: bool
    needed: bool
    facts: dict[str, Any]


async def check(runtime: JobRuntime) -> list[ReadinessCheck]:
    """Look at the database, the disk and the queue of jobs.

    Jobs that are late say nothing about the next request: a server that left its load balancer for them would
    make things worse.
    """
    database, jobs = await _database(runtime)
    disk = await asyncio.to_thread(_disk, runtime.settings)
    return [each for each in (database, disk, jobs) if each is not None]


async def _database(runtime: JobRuntime) -> tuple[ReadinessCheck, ReadinessCheck | None]:
    started, now = perf_counter(), runtime.clock()
    try:
        async with asyncio.timeout(PATIENCE):
            found = await runtime.db.all(_OLDEST_DUE, now=now)
    except Exception as error:  # whatever the driver raises, the database is of no use
        reason = error.message if isinstance(error, Problem) else type(error).__name__
        return ReadinessCheck("database", False, True, {"reason": reason}), None
    milliseconds = round((perf_counter() - started) * 1000, 1)
    database = ReadinessCheck("database", True, True, {"milliseconds": milliseconds})
    late = seconds_late(found[0].due_at, now)
    return database, ReadinessCheck("jobs", late <= LATE, False, {"oldestDueSeconds": late})


def seconds_late(due_at: datetime | None, now: datetime) -> float:
    """Return how long a job has been due; 0 where there is none."""
    return 0.0 if due_at is None else max(0.0, round((now - due_at).total_seconds(), 1))


def _disk(settings: Settings) -> ReadinessCheck | None:
    """Look at the disk of a database that is a file; the disk of a server is not known here."""
    if settings.is_postgres or settings.database == MEMORY:
        return None
    file = Path(settings.database.removeprefix("sqlite:///")).absolute()
    log = [file.with_name(f"{file.name}-wal")] if settings.journal.upper() == "WAL" else []
    if gone := [each.name for each in (file, *log) if not each.exists()]:  # open, so they go on being written
        reason = f"{gone[0]} was removed, and what is written now may be lost. Restart the server."
        return ReadinessCheck("disk", False, True, {"reason": reason})
    try:
        free = shutil.disk_usage(file.parent).free
    except OSError as error:
        return ReadinessCheck("disk", False, True, {"reason": error.strerror})
    facts = {"freeBytes": free, "neededBytes": settings.minimum_disk}
    return ReadinessCheck("disk", free >= settings.minimum_disk, True, facts)


def _oldest_due() -> Select[Any]:
    """Return when the job became due that waits for longest; a lease that has ended is not looked at."""
    is_overdue = (JOBS.c.state == literal_column("'scheduled'")) & (JOBS.c.due_at <= given("now", Instant()))
    return select(func.min(JOBS.c.due_at, type_=Instant()).label("due_at")).where(or_(IS_WAITING, is_overdue))


_OLDEST_DUE = rows(_oldest_due)

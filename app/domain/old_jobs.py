"""Ends jobs that nobody will do, and forgets those that failed long ago."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import Delete, Update, delete, literal_column, update

from app.domain.jobs import IS_WAITING, JOBS, UPKEEP
from app.kit.database.columns import Instant
from app.kit.database.interface import Database
from app.kit.database.sql import among
from app.kit.database.statements import command, given

KEPT = timedelta(days=30)  # after which a job that failed is forgotten
UNKNOWN_FOR = timedelta(days=1)
UNKNOWN = "This version of Docyard does not know this kind of job."


async def tidy(db: Database, kinds: Collection[str], now: datetime) -> None:
    """Fail jobs of other kinds than these that have waited for a day; forget jobs that failed long ago.

    A kind may be that of another version of the server, which runs beside this one during an upgrade.
    Upkeep that failed is kept until it is done.
    """
    await db.execute(_FAIL_UNKNOWN, kinds=kinds, now=now, until=now - UNKNOWN_FOR, why=UNKNOWN)
    await db.execute(_FORGET, until=now - KEPT, upkeep=UPKEEP)


def _fail_unknown() -> Update:
    why = {"error": given("why"), "reason": given("why")}
    failed = {"state": "failed", "due_at": given("now", Instant()), **why}
    is_old = JOBS.c.due_at < given("until", Instant())
    return update(JOBS).values(**failed).where(IS_WAITING, is_old, ~among(JOBS.c.kind, "kinds"))


def _forget() -> Delete:
    is_failed = JOBS.c.state == literal_column("'failed'")
    is_old = JOBS.c.due_at < given("until", Instant())
    return delete(JOBS).where(is_failed, is_old, ~among(JOBS.c.kind, "upkeep"))


_FAIL_UNKNOWN = command(_fail_unknown)
_FORGET = command(_forget)

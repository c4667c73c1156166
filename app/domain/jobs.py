"""Work that outlasts a request: rows written in the transaction that asks, done later, at least once.

A worker leases a job for a while. One that fails is tried again after growing pauses and given up at last,
with the reason kept; one whose worker died is due again when its lease ends.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, Update, delete, or_, select, update

from app.access.context import Context
from app.kit.clock import Clock
from app.kit.columns import Instant
from app.kit.db import Database, Retry
from app.kit.ids import new_id
from app.kit.predicates import among
from app.kit.statements import command, given, query, rows, table
from app.models.jobs import Job

log = logging.getLogger("docyard.jobs")
Perform = Callable[[Job], Awaitable[None]]
ATTEMPTS = 5
LEASE = timedelta(minutes=15)
FIRST_PAUSE = timedelta(seconds=30)
_j = table(Job)


async def enqueue(
    cx: Context, kind: str, subject: str, *, due_at: datetime, payload: dict[str, Any] | None = None
) -> None:
    """Ask for work on something at a time, if this transaction commits."""
    await cx.tx.add(
        Job,
        id=new_id(),
        kind=kind,
        subject=subject,
        payload=payload or {},
        state="waiting",
        due_at=due_at,
        attempts=0,
        error=None,
        created_at=cx.now,
    )
    if cx.notes is not None and due_at <= cx.now:
        cx.notes.stirs = True


async def cancel(cx: Context, kind: str, subject: str) -> None:
    """Forget the work of a kind on something; what is being done right now goes on."""
    await cx.tx.run(_CANCEL, kind=kind, subject=subject)


async def run_due(db: Database, kinds: Mapping[str, Perform], clock: Clock, limit: int) -> int:
    """Do what is due of these kinds, at most `limit` jobs one after another; how many were tried."""
    for done in range(limit):
        job = await _next(db, list(kinds), clock)
        if job is None:
            return done
        await _attempt(db, kinds, job, clock)
    return limit


async def _next(db: Database, kinds: list[str], clock: Clock) -> Job | None:
    """The job of these kinds that is due first, leased; None where none is due."""
    while await db.all(_DUE, now=clock(), kinds=kinds):
        job = await _lease(db, kinds, clock())
        if job is not None:
            return job
    return None


async def _lease(db: Database, kinds: list[str], now: datetime) -> Job | None:
    try:
        async with db.transaction() as tx:
            return await tx.first(_LEASE, now=now, until=now + LEASE, kinds=kinds)
    except Retry:  # another worker was quicker, or leased another job at the same time
        return None


async def _attempt(db: Database, kinds: Mapping[str, Perform], job: Job, clock: Clock) -> None:
    try:
        await kinds[job.kind](job)
    except Exception as error:
        log.exception("job %s on %s failed", job.kind, job.subject)
        await _postpone(db, job, f"{type(error).__name__}: {error}", clock())
    else:
        await db.write(lambda tx: tx.run(_DONE, id=job.id, attempts=job.attempts))


async def _postpone(db: Database, job: Job, error: str, now: datetime) -> None:
    state = "waiting" if job.attempts < ATTEMPTS else "failed"
    pause = FIRST_PAUSE * 4 ** (job.attempts - 1)
    values = {"state": state, "due_at": now + pause, "error": error.replace("\x00", "")[:1000]}
    await db.write(lambda tx: tx.run(_POSTPONE, id=job.id, attempts=job.attempts, **values))


def _is_due() -> ColumnElement[bool]:
    unfinished = or_(_j.c.state == "waiting", _j.c.state == "running")
    return unfinished & (_j.c.due_at <= given("now", Instant())) & among(_j.c.kind, "kinds")


def _next_due() -> Select[Any]:
    return select(_j.c.id).where(_is_due()).order_by(_j.c.due_at, _j.c.id).limit(1)


def _lease_next() -> Update:
    return (
        update(_j)
        .values(state="running", due_at=given("until", Instant()), attempts=_j.c.attempts + 1)
        .where(_j.c.id == _next_due().scalar_subquery())
        .returning(*_j.c)
    )


def _mine() -> ColumnElement[bool]:
    # Whoever outlived its lease has lost the job to the next attempt.
    return (_j.c.id == given("id")) & (_j.c.attempts == given("attempts"))


def _postponed() -> Update:
    return (
        update(_j)
        .values(state=given("state"), due_at=given("due_at", Instant()), error=given("error"))
        .where(_mine())
    )


_DUE = rows(_next_due)
_LEASE = query(Job, _lease_next)
_DONE = command(lambda: delete(_j).where(_mine()))
_POSTPONE = command(_postponed)
_CANCEL = command(
    lambda: delete(_j).where(
        _j.c.kind == given("kind"), _j.c.subject == given("subject"), _j.c.state != "running"
    )
)

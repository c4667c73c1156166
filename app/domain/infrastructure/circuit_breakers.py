"""Circuit breakers: a remote server that fails again and again is left alone for a while.

After `FAILURES` failures in a row the circuit opens: nothing is sent to the server until a time. Then one
request goes through as a probe; if it is answered the circuit closes, if not it stays open for twice as long.
The state is in the database, so all processes share it. A circuit belongs to one organization or integration
and a server, so nobody can open it for others.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from random import SystemRandom

from sqlalchemy import Insert, Integer, Update, and_, case, delete, null, or_, select, update

from app.kit.database.columns import Instant, Key
from app.kit.database.interface import Database
from app.kit.database.statements import by_engine, command, given, insert_into, query, rows, table
from app.kit.errors import Unavailable
from app.models.jobs import Circuit

FAILURES = 5
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=10)
FORGOTTEN = timedelta(days=1)  # failures further apart are not in a row
SWEEPS = 0.01  # how often noting a failure also removes circuits that are forgotten
_chance = SystemRandom()
CIRCUITS = table(Circuit)


class CircuitOpen(Unavailable):
    """Nothing is sent to the server before `retry_at`."""

    def __init__(self, retry_at: datetime, now: datetime) -> None:
        at = f"{retry_at:%H:%M:%S} UTC"
        said = f"The server failed {FAILURES} times in a row; it is asked again after {at}."
        super().__init__(said, max(1, ceil((retry_at - now).total_seconds())))
        self.retry_at = retry_at


@dataclass(slots=True)
class GuardedRequest:
    """A request that is let through. Whoever sends it sets `failed`: True if the server did not answer."""

    failed: bool | None = None


def key_of(*parts: str) -> str:
    """Return the key of the circuit of an owner and a server."""
    return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@asynccontextmanager
async def guarded(db: Database, key: str, now: datetime, *, seconds: float) -> AsyncIterator[GuardedRequest]:
    """Let a request through and note whether the server answered; raises CircuitOpen.

    `seconds` are how long the request may take: a probe that was not heard of by then is given up. A block
    that raises without having set `failed` counts neither way.
    """
    began = time.monotonic()
    held = await _enter(db, key, now, timedelta(seconds=seconds + 1))
    request = GuardedRequest()
    try:
        yield request
        request.failed = bool(request.failed)
    finally:
        if request.failed is not None and (request.failed or held):
            await _note(db, key, held, now + timedelta(seconds=time.monotonic() - began), request.failed)


async def _enter(db: Database, key: str, now: datetime, patience: timedelta) -> Circuit | None:
    """Return the circuit, if there is one and it lets a request through."""
    held = await db.first(_FIND, key=key)
    if held is None or held.retry_at is None:
        return held
    if held.retry_at > now:
        raise CircuitOpen(held.retry_at, now)
    if not await db.execute(_PROBE, key=key, now=now, until=now + patience):
        raise CircuitOpen(now + patience, now)  # another process probes at this moment
    return held


async def _note(db: Database, key: str, held: Circuit | None, now: datetime, failed: bool) -> None:
    if not failed:
        await db.execute(_CLOSE, key=key)
    elif held is not None and held.retry_at is not None:
        pause = min(FIRST_PAUSE * 2**held.opened, LONGEST_PAUSE)
        await db.execute(_REOPEN, key=key, now=now, until=now + pause)
    else:
        since = now - FORGOTTEN
        await db.execute(_FAIL, key=key, now=now, until=now + FIRST_PAUSE, since=since, most=FAILURES)
        if _chance.random() < SWEEPS:
            await db.execute(_SWEEP, since=since)


def _probe() -> Update:
    is_due = and_(CIRCUITS.c.key == given("key", Key), CIRCUITS.c.retry_at <= given("now", Instant()))
    return update(CIRCUITS).values(retry_at=given("until", Instant())).where(is_due).returning(CIRCUITS.c.key)


def _reopen() -> Update:
    until, now = given("until", Instant()), given("now", Instant())
    changes = {
        "failures": CIRCUITS.c.failures + 1,
        "opened": CIRCUITS.c.opened + 1,
        "retry_at": until,
        "changed_at": now,
    }
    return update(CIRCUITS).values(changes).where(CIRCUITS.c.key == given("key", Key))


def _fail(dialect: str) -> Insert:
    now, until = given("now", Instant()), given("until", Instant())
    in_row = or_(CIRCUITS.c.retry_at.is_not(None), CIRCUITS.c.changed_at >= given("since", Instant()))
    failures = case((in_row, CIRCUITS.c.failures + 1), else_=1)
    opens = and_(CIRCUITS.c.retry_at.is_(None), failures >= given("most", Integer()))
    changes = {
        "failures": failures,
        "opened": case((opens, 1), else_=CIRCUITS.c.opened),
        "retry_at": case((opens, until), else_=CIRCUITS.c.retry_at),
        "changed_at": now,
    }
    begun = {"key": given("key", Key), "failures": 1, "opened": 0, "retry_at": null(), "changed_at": now}
    added: Insert = (
        insert_into(CIRCUITS, dialect)
        .values(begun)
        .on_conflict_do_update(index_elements=[CIRCUITS.c.key], set_=changes)
    )
    return added


_FIND = query(Circuit, lambda: select(*CIRCUITS.c).where(CIRCUITS.c.key == given("key", Key)))
_PROBE = rows(_probe)
_REOPEN = command(_reopen)
_FAIL = command(by_engine(_fail))
_CLOSE = command(lambda: delete(CIRCUITS).where(CIRCUITS.c.key == given("key", Key)))
_SWEEP = command(
    lambda: delete(CIRCUITS).where(
        CIRCUITS.c.changed_at < given("since", Instant()),
        or_(CIRCUITS.c.retry_at.is_(None), CIRCUITS.c.retry_at < given("since", Instant())),
    )
)

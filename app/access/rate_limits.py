"""Rate limits of verified callers: buckets of calls in memory, synchronised through the database.

A call is counted in memory and costs no statement. Now and then a process writes what it let through into the
shared buckets, all in one statement, and goes on with what is left there: once a second where a twentieth of
a limit was used since, else every ten seconds. In between processes do not know of each other: together they
may let more through than a limit says, by a twentieth of it or by what comes in a second for each of them.
The bucket is the emptier for it afterwards, so the limit holds over time.

A bucket belongs to what was verified, never to what a request says of itself (threats, 46).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from random import SystemRandom
from typing import Any

from sqlalchemy import ColumnElement, Double, Select, Text, case, column, delete, func, select, true
from sqlalchemy.types import TypeEngine

from app.kit.database.columns import Json
from app.kit.database.interface import Database
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.kit.errors import TooManyRequests
from app.models.access import Bucket

INTERVAL = timedelta(seconds=1)
LONGEST_INTERVAL = timedelta(seconds=10)
PART = 20  # of a limit: what is more than this part is told soon
MOST_BUCKETS = 20_000  # in memory; those not used for longest are forgotten, once they are synchronised
AT_ONCE = 5_000  # buckets of one statement
KEPT = timedelta(days=2)  # a bucket that was not used for so long is full
SWEEPS = 0.01  # how often a synchronisation also removes such buckets
_chance = SystemRandom()
BUCKETS = table(Bucket)


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls in so many seconds; `message` tells whoever makes more."""

    calls: int
    message: str
    seconds: float = 60.0

    def waiting(self, left: float) -> int:
        """Return the seconds until there is a call in a bucket with so many left."""
        return max(1, ceil((1 - left) * self.seconds / self.calls))


@dataclass(slots=True)
class _Held:
    """A bucket as this process knows it; `spent` is what it has not told yet."""

    rate: Rate
    left: float
    filled_at: float
    spent: float = 0.0

    def fill(self, now: float) -> None:
        filled = self.left + max(0.0, now - self.filled_at) * self.rate.calls / self.rate.seconds
        self.left, self.filled_at = min(float(self.rate.calls), filled), now


@dataclass(slots=True)
class RateLimits:
    """The buckets of this process. `runs_alone`: something synchronises them in the background."""

    runs_alone: bool = False
    _held: OrderedDict[str, _Held] = field(default_factory=OrderedDict)
    _spent: set[str] = field(default_factory=set)
    _is_urgent: bool = False
    _synchronised_at: datetime | None = None

    def left(self, key: str, rate: Rate, now: datetime) -> float:
        """Return the calls that are left in a bucket, as far as this process knows."""
        return self._filled(key, rate, now).left

    def spend(self, key: str, rate: Rate, now: datetime, calls: float = 1) -> None:
        """Take calls out of a bucket, more than are left if need be."""
        self._spend(key, self._filled(key, rate, now), calls)

    def take(self, key: str, rate: Rate, now: datetime) -> None:
        """Take one call out of a bucket; raises TooManyRequests, saying when to come back."""
        held = self._filled(key, rate, now)
        if held.left < 1:
            raise TooManyRequests(rate.message, rate.waiting(held.left))
        self._spend(key, held, 1)

    def _filled(self, key: str, rate: Rate, now: datetime) -> _Held:
        moment = now.timestamp()
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = _Held(rate, float(rate.calls), moment)
        self._held.move_to_end(key)
        held.fill(moment)
        if held.rate is not rate and held.rate != rate:
            held.left += rate.calls - held.rate.calls  # what was used stays used
            held.rate = rate
        return held

    def _spend(self, key: str, held: _Held, calls: float) -> None:
        held.left -= calls
        held.spent += calls
        self._is_urgent = self._is_urgent or held.spent * PART >= held.rate.calls
        self._spent.add(key)

    @property
    def is_unsynchronised(self) -> bool:
        """Tell whether calls were counted since the last synchronisation."""
        return bool(self._spent)

    def are_due(self, now: datetime) -> bool:
        """Tell whether calls were counted, and the last synchronisation was long enough ago."""
        interval = INTERVAL if self._is_urgent else LONGEST_INTERVAL
        if not self._spent or self._synchronised_at is None:
            return bool(self._spent)
        return not timedelta(0) <= now - self._synchronised_at < interval

    async def synchronise(self, db: Database, now: datetime) -> None:
        """Tell the database what was let through here, and learn what others let through."""
        self._synchronised_at, self._is_urgent = now, False
        told = {}
        for key in sorted(self._spent)[:AT_ONCE]:
            told[key], self._held[key].spent = self._held[key].spent, 0.0
        self._spent.difference_update(told)
        try:
            found = await db.execute(_SYNCHRONISE, rows=self._rows(told), now=now.timestamp())
        except BaseException:
            for key, spent in told.items():  # told another time
                if held := self._held.get(key):
                    held.spent += spent
                    self._spent.add(key)
            raise
        for row in found:
            if held := self._held.get(row.key):
                held.left, held.filled_at = row.calls_left - held.spent, now.timestamp()
        self._forget()
        if _chance.random() < SWEEPS:
            await db.execute(_SWEEP, until=(now - KEPT).timestamp())

    def _rows(self, told: dict[str, float]) -> list[dict[str, Any]]:
        return [
            {"key": key, "spent": spent, "most": rate.calls, "seconds": rate.seconds}
            for key, spent in told.items()
            for rate in (self._held[key].rate,)
        ]

    def _forget(self) -> None:
        for key in list(self._held)[: max(0, len(self._held) - MOST_BUCKETS)]:
            if key not in self._spent:
                del self._held[key]


def _told(dialect: str) -> Select[Any]:
    """Read what a process tells, a row for each bucket; in one order, so that no two block each other."""
    given_rows = given("rows", Json())
    moment = given("now", Double()).label("filled_at")
    found: dict[str, ColumnElement[Any]]
    if dialect == "sqlite":
        row = func.json_each(given_rows).table_valued("value").c.value
        found = {name: func.json_extract(row, f"$.{name}", type_=type_) for name, type_ in _TOLD.items()}
    else:
        columns = [column(name, type_) for name, type_ in _TOLD.items()]
        told_rows = func.jsonb_to_recordset(given_rows).table_valued(*columns)
        found = dict(told_rows.render_derived(with_types=True).c.items())
    left = (found["most"] - found["spent"]).label("calls_left")
    told = select(found["key"].label("key"), left, found["most"], found["seconds"], moment)
    return told.where(true()).order_by("key")  # SQLite cannot tell ON CONFLICT from a join without a WHERE


def _synchronise(dialect: str) -> Any:
    """Take what was spent out of each bucket, after it was filled up."""
    names = ["key", "calls_left", "most", "seconds", "filled_at"]
    added = insert_into(BUCKETS, dialect).from_select(names, _told(dialect))
    now = added.excluded
    more = now.most - BUCKETS.c.most  # what was used stays used where a limit changes
    filled = BUCKETS.c.calls_left + more + (now.filled_at - BUCKETS.c.filled_at) * now.most / now.seconds
    spent = now.most - now.calls_left
    changes = {
        "calls_left": case((filled > now.most, now.most), else_=filled) - spent,
        "most": now.most,
        "seconds": now.seconds,
        "filled_at": now.filled_at,
    }
    return added.on_conflict_do_update(index_elements=[BUCKETS.c.key], set_=changes).returning(
        BUCKETS.c.key, BUCKETS.c.calls_left
    )


_TOLD: dict[str, TypeEngine[Any]] = {"key": Text(), "spent": Double(), "most": Double(), "seconds": Double()}
_SYNCHRONISE = rows(by_engine(_synchronise))
_SWEEP = command(lambda: delete(BUCKETS).where(BUCKETS.c.filled_at < given("until", Double())))

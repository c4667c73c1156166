"""Leases of jobs: which job is next, and whose turn it is.

Leases are shared among organizations: the next job is that of the organization with the fewest running jobs
of the same kinds, of those the one whose turn was longest ago. However many jobs an organization has queued,
and however quickly they are done, the first job of another comes next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import CTE, ColumnElement, Integer, Select, Update, and_, func, literal_column, select, update

from app.domain.jobs import IS_WAITING, JOBS, LEASE, Perform, attempt
from app.kit.clock import Clock
from app.kit.database.columns import Instant
from app.kit.database.interface import Database
from app.kit.database.sql import among, each, place_in
from app.kit.database.statements import by_engine, given, query, rows
from app.models.jobs import Job

MOST_RELEASED = 1000  # jobs whose time has come, in one statement
MOST_TURNS = 1000  # organizations that are remembered
FEW = 8  # jobs that one lease chooses from
NO_LIMIT = 1_000_000
_IS_RUNNING = JOBS.c.state == literal_column("'running'")


class Turns:
    """The organizations that had a turn in this process, the last one at the end."""

    def __init__(self) -> None:
        self._had: dict[str, None] = {}

    def take(self, organization_id: str) -> None:
        """Note that an organization had its turn."""
        self._had.pop(organization_id, None)
        self._had[organization_id] = None
        if len(self._had) > MOST_TURNS:
            del self._had[next(iter(self._had))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._had)


async def run_due(
    db: Database,
    kinds: Mapping[str, Perform],
    clock: Clock,
    limit: int,
    *,
    most_running: int = NO_LIMIT,
    length: timedelta = LEASE,
) -> int:
    """Do what is due of these kinds, at most `limit` jobs one after another; returns how many were tried."""
    turns = Turns()
    for done in range(limit):
        job = await lease(db, kinds, clock, turns, most_running=most_running, length=length)
        if job is None:
            return done
        await attempt(db, kinds[job.kind], job, clock, length)
    return limit


async def lease(
    db: Database,
    kinds: Collection[str],
    clock: Clock,
    turns: Turns,
    *,
    most_running: int = NO_LIMIT,
    besides: Collection[str] = (),
    length: timedelta = LEASE,
) -> Job | None:
    """Lease the next job of these kinds for `length`; None where none is due.

    An organization that has `most_running` jobs of these kinds running, here and in other processes, has to
    wait, as have those in `besides`. Processes that lease at the same moment do not see each other's leases:
    they may pass `most_running` by one each.
    """
    now = clock()
    if await db.all(_TIMED, now=now):
        await db.execute(_RELEASE, now=now, most=MOST_RELEASED)
    values = {"kinds": kinds, "most_running": most_running, "besides": besides, "turns": turns}
    while await db.all(_NEXT, **values):
        leased = await db.execute(_LEASE, until=clock() + length, **values)
        if leased:  # if not, other workers were quicker
            turns.take(leased[0].organization_id)
            return leased[0]
    return None


def _has_come() -> ColumnElement[bool]:
    """Return the jobs that become due by time: those scheduled, and those whose worker has not ended its
    lease."""
    is_timed = JOBS.c.state.in_([literal_column("'scheduled'"), literal_column("'running'")])
    return is_timed & (JOBS.c.due_at <= given("now", Instant()))


def _release() -> Update:
    some = select(JOBS.c.id).where(_has_come()).order_by(JOBS.c.due_at).limit(given("most", Integer()))
    some = some.with_for_update(skip_locked=True)
    return update(JOBS).values(state="waiting").where(JOBS.c.id.in_(some)).returning(JOBS.c.id)


def _heads(dialect: str) -> CTE:
    """Return the first waiting job of each queue: the jobs of a kind and an organization.

    The walk goes from one queue to the next by the index, so that it costs as much as there are queues,
    however long they are.
    """
    kinds = each("kinds", dialect)

    def next_queue(kind: ColumnElement[Any], *after: ColumnElement[bool]) -> ColumnElement[Any]:
        found = select(func.min(JOBS.c.organization_id)).where(IS_WAITING, JOBS.c.kind == kind, *after)
        return found.scalar_subquery().label("organization_id")

    queue = select(kinds.c.value.label("kind"), next_queue(kinds.c.value)).cte("queue", recursive=True)
    further = next_queue(queue.c.kind, JOBS.c.organization_id > queue.c.organization_id)
    queue = queue.union_all(select(queue.c.kind, further).where(queue.c.organization_id.is_not(None)))

    def first(column: ColumnElement[Any]) -> ColumnElement[Any]:
        found = select(column).where(
            IS_WAITING, JOBS.c.kind == queue.c.kind, JOBS.c.organization_id == queue.c.organization_id
        )
        return found.order_by(JOBS.c.due_at, JOBS.c.id).limit(1).scalar_subquery().label(column.name)

    found = select(queue.c.organization_id, first(JOBS.c.id), first(JOBS.c.due_at))
    return found.where(queue.c.organization_id.is_not(None)).cte("head")


def _running() -> CTE:
    """Return how many jobs of the kinds each organization has running."""
    found = select(JOBS.c.organization_id, func.count().label("jobs"))
    return found.where(_IS_RUNNING, among(JOBS.c.kind, "kinds")).group_by(JOBS.c.organization_id).cte("busy")


def _next_in_line(dialect: str) -> Select[Any]:
    """Return the job to lease next; of a few in case that others lease the first at this moment."""
    head, busy = _heads(dialect), _running()
    running = func.coalesce(busy.c.jobs, 0).label("running")
    turn = place_in(head.c.organization_id, "turns").label("turn")
    few = (
        select(head.c.id, head.c.due_at, running, turn)
        .select_from(head.outerjoin(busy, busy.c.organization_id == head.c.organization_id))
        .where(running < given("most_running", Integer()), ~among(head.c.organization_id, "besides"))
        .order_by(running, turn, head.c.due_at, head.c.id)
        .limit(FEW)
        .cte("few")
    )
    ordered = select(JOBS.c.id).join(few, and_(JOBS.c.id == few.c.id, IS_WAITING))
    return ordered.order_by(few.c.running, few.c.turn, few.c.due_at, few.c.id).limit(1)


def _lease(dialect: str) -> Update:
    free = _next_in_line(dialect).with_for_update(of=JOBS, skip_locked=True)
    return (
        update(JOBS)
        .values(state="running", due_at=given("until", Instant()), attempts=JOBS.c.attempts + 1)
        .where(JOBS.c.id == free.scalar_subquery())
        .returning(*JOBS.c)
    )


_TIMED = rows(lambda: select(JOBS.c.id).where(_has_come()).limit(1))
_RELEASE = rows(_release)
_NEXT = rows(by_engine(_next_in_line))
_LEASE = query(Job, by_engine(_lease))

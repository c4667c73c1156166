"""Background jobs: rows written in the transaction that asks for the work, done later, at least once.

A worker leases a job for a while. One that fails is tried again after growing pauses and given up at last,
with the reason kept; one whose worker died is due again when its lease ends.

Leases are shared among organizations: the next job is that of the organization with the fewest running jobs
of the same kinds, of those the one whose turn was longest ago. However many jobs an organization has queued,
and however quickly they are done, the first job of another comes next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import (
    CTE,
    ColumnElement,
    Integer,
    Select,
    Update,
    and_,
    delete,
    func,
    literal_column,
    select,
    update,
)

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.access.rate_limits import RateLimits
from app.access.token_actors import TokenUses
from app.kit.clock import Clock
from app.kit.database.columns import Instant, Key
from app.kit.database.interface import Database
from app.kit.database.sql import among, each, place_in
from app.kit.database.statements import by_engine, command, given, query, rows, table
from app.kit.errors import Problem
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.jobs import Job

NOBODY = Actor("")


class JobRuntime(Protocol):
    """What work needs of its surroundings."""

    @property
    def db(self) -> Database:
        """Return the database that keeps the jobs."""

    @property
    def settings(self) -> Settings:
        """Return the installation's settings."""

    @property
    def token_uses(self) -> TokenUses:
        """Return when tokens were used."""

    @property
    def limits(self) -> RateLimits:
        """Return the calls that callers have left."""

    @property
    def clock(self) -> Clock:
        """Return what tells the time."""

    @property
    def job_due(self) -> asyncio.Event:
        """Set when something was asked for that is due now."""

    def context(self, actor: Actor) -> Context:
        """Return a Context that reads."""

    async def write(
        self, actor: Actor, call: Callable[[Context], Awaitable[Any]], action: AuditAction
    ) -> Any:
        """Run `call` in one transaction and commit it."""


log = logging.getLogger("docyard.jobs")
Perform = Callable[[Job], Awaitable[None]]
ATTEMPTS = 5
LEASE = timedelta(minutes=15)
FIRST_PAUSE = timedelta(seconds=30)
MOST_RELEASED = 1000  # jobs whose time has come, in one statement
MOST_TURNS = 1000  # organizations that are remembered
FEW = 8  # jobs that one lease chooses from
NO_LIMIT = 1_000_000
INSTALLATION = ""  # the organization of work that is for none
UNFINISHED = ("scheduled", "waiting", "running")
UNEXPECTED = "Something went wrong in Docyard; its log says what."
UPKEEP = ("purge_space", "purge_integration", "check_domain", "rebuild_links", "remove_upload")
"""Kinds of work that the server owes itself: no quota counts them or keeps anybody from causing them."""
JOBS = table(Job)


class Postponed(Exception):
    """The job cannot be done before a time, nor can others of its kind on the same subject that wait.

    This attempt does not count.
    """

    def __init__(self, until: datetime, reason: str) -> None:
        super().__init__(reason)
        self.until = until


async def enqueue(
    cx: Context,
    kind: str,
    subject: str,
    organization_id: str,
    *,
    due_at: datetime,
    payload: dict[str, Any] | None = None,
) -> None:
    """Ask for work on something of an organization at a time, if this transaction commits."""
    is_due = due_at <= cx.now
    await cx.tx.add(
        Job,
        id=new_id(),
        kind=kind,
        subject=subject,
        organization_id=organization_id,
        payload=payload or {},
        state="waiting" if is_due else "scheduled",
        due_at=due_at,
        attempts=0,
        error=None,
        reason=None,
        created_at=cx.now,
    )
    if cx.notes is not None:
        cx.notes.job_due = cx.notes.job_due or is_due
        if organization_id and kind not in UPKEEP:
            cx.notes.jobs.add(organization_id)


async def cancel(cx: Context, kind: str, subject: str) -> None:
    """Forget the work of a kind on something; what is being done right now goes on."""
    await cx.tx.run(_CANCEL, kind=kind, subject=subject)


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
    db: Database, kinds: Mapping[str, Perform], clock: Clock, limit: int, *, most_running: int = NO_LIMIT
) -> int:
    """Do what is due of these kinds, at most `limit` jobs one after another; returns how many were tried."""
    turns = Turns()
    for done in range(limit):
        job = await lease(db, kinds, clock, turns, most_running=most_running)
        if job is None:
            return done
        await attempt(db, kinds[job.kind], job, clock)
    return limit


async def lease(
    db: Database,
    kinds: Collection[str],
    clock: Clock,
    turns: Turns,
    *,
    most_running: int = NO_LIMIT,
    besides: Collection[str] = (),
) -> Job | None:
    """Lease the next job of these kinds; None where none is due.

    An organization that has `most_running` jobs of these kinds running, here and in other processes, has to
    wait, as have those in `besides`. Processes that lease at the same moment do not see each other's leases:
    they may pass `most_running` by one each.
    """
    now = clock()
    if await db.all(_TIMED, now=now):
        await db.execute(_RELEASE, now=now, most=MOST_RELEASED)
    values = {"kinds": kinds, "most_running": most_running, "besides": besides, "turns": turns}
    while await db.all(_NEXT, **values):
        leased = await db.execute(_LEASE, until=clock() + LEASE, **values)
        if leased:  # if not, other workers were quicker
            turns.take(leased[0].organization_id)
            return leased[0]
    return None


async def attempt(db: Database, perform: Perform, job: Job, clock: Clock) -> None:
    """Do a leased job, and keep how it went."""
    try:
        await perform(job)
    except Postponed as postponed:
        values = {"state": "scheduled", "due_at": postponed.until, "counted": job.attempts - 1}
        await _keep(db, job, **values, error=str(postponed), reason=str(postponed))
        alike = {"kind": job.kind, "subject": job.subject, "organization": job.organization_id}
        await db.execute(_POSTPONE_ALIKE, **alike, until=postponed.until)
    except Exception as error:
        log.exception("job %s on %s failed", job.kind, job.subject)
        state = "scheduled" if job.attempts < ATTEMPTS else "failed"
        pause = FIRST_PAUSE * 4 ** (job.attempts - 1) if state == "scheduled" else timedelta()
        values = {"state": state, "due_at": clock() + pause, "counted": job.attempts}
        reason = error.message if isinstance(error, Problem) else UNEXPECTED
        await _keep(db, job, **values, error=f"{type(error).__name__}: {error}", reason=reason)
    else:
        await db.execute(_DONE, id=job.id, attempts=job.attempts)


async def _keep(db: Database, job: Job, *, error: str, reason: str, **values: Any) -> None:
    why = {"error": error, "reason": reason}
    values |= {name: text.replace("\x00", "")[:1000] for name, text in why.items()}
    await db.execute(_POSTPONE, id=job.id, attempts=job.attempts, **values)


# Conditions of partial indexes are written out: an engine does not look into parameters for them.
IS_WAITING = JOBS.c.state == literal_column("'waiting'")
_IS_RUNNING = JOBS.c.state == literal_column("'running'")


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


def _mine() -> ColumnElement[bool]:
    # Whoever outlived its lease has lost the job to the next attempt.
    return (JOBS.c.id == given("id", Key)) & (JOBS.c.attempts == given("attempts"))


def _postponed() -> Update:
    why = {"error": given("error"), "reason": given("reason")}
    counted = {"attempts": given("counted", Integer()), **why}
    return (
        update(JOBS).values(state=given("state"), due_at=given("due_at", Instant()), **counted).where(_mine())
    )


_TIMED = rows(lambda: select(JOBS.c.id).where(_has_come()).limit(1))
_RELEASE = rows(_release)
_NEXT = rows(by_engine(_next_in_line))
_LEASE = query(Job, by_engine(_lease))
_DONE = command(lambda: delete(JOBS).where(_mine()))
_POSTPONE = command(_postponed)
_POSTPONE_ALIKE = command(
    lambda: (
        update(JOBS)
        .values(state="scheduled", due_at=given("until", Instant()))
        .where(
            JOBS.c.subject == given("subject", Key),
            JOBS.c.kind == given("kind"),
            JOBS.c.organization_id == given("organization", Key),
            IS_WAITING,
        )
    )
)
_CANCEL = command(
    lambda: delete(JOBS).where(
        JOBS.c.kind == given("kind"), JOBS.c.subject == given("subject"), JOBS.c.state != "running"
    )
)

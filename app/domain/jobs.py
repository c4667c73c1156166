"""Background jobs: rows written in the transaction that asks for the work, done later, at least once.

A worker leases a job for a while, and renews the lease as long as it works on it. A job that fails is tried
again after growing pauses and given up at last, with the reason kept. One whose worker was stopped is due
again at once, one whose worker died when its lease ends. `job_leases` says which job is next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Integer, Update, delete, func, literal_column, select, update

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.access.rate_limits import RateLimits
from app.access.token_actors import TokenUses
from app.kit import counts
from app.kit.clock import Clock
from app.kit.database.columns import Instant, Key
from app.kit.database.interface import Database
from app.kit.database.statements import command, given, rows, table
from app.kit.database_timeouts import unhurried
from app.kit.errors import Problem, Unavailable
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.jobs import Job

NOBODY = Actor("")


class JobRuntime(Protocol):
    """The surroundings that work needs."""

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

    async def keep_visit_counts(self) -> None:
        """Write down what was counted of visits of sites."""

    def context(self, actor: Actor) -> Context:
        """Return a Context that reads."""

    async def write(
        self, actor: Actor, call: Callable[[Context], Awaitable[Any]], action: AuditAction
    ) -> Any:
        """Run `call` in one transaction and commit it."""


log = logging.getLogger("docyard.jobs")
Perform = Callable[[Job], Awaitable[None]]
ATTEMPTS = 5
LEASE = timedelta(seconds=Settings.model_fields["job_lease"].default)
RENEWALS = 4  # in the time of a lease: a worker that cannot renew it for a while still has it
GIVING_BACK = 1.0  # seconds that a worker which is stopped takes to give a job back
FIRST_PAUSE = timedelta(seconds=30)
INSTALLATION = ""  # the organization of work that is for none
UNFINISHED = ("scheduled", "waiting", "running")
UNEXPECTED = "Something went wrong in Docyard; its log says what."
UPKEEP = (
    "purge_space",
    "purge_integration",
    "remove_organization",
    "check_domain",
    "rebuild_links",
    "remove_upload",
)
"""Kinds of work that the server owes itself: no quota counts them or keeps anybody from causing them."""
JOBS = table(Job)


class Postponed(Exception):
    """The job cannot be done before a time, nor can others of its kind on the same subject that wait.

    This attempt does not count.
    """

    def __init__(self, until: datetime, reason: str) -> None:
        super().__init__(reason)
        self.until = until


class LeaseLost(Exception):
    """Another attempt has begun, since this one did not renew its lease in time."""


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


async def numbers(db: Database) -> list[Any]:
    """Return a row for each kind and state of jobs: how many there are, and the time of the first."""
    return await db.all(NUMBERS)


async def attempt(db: Database, perform: Perform, job: Job, clock: Clock, length: timedelta = LEASE) -> None:
    """Do a job that is leased for `length`, and keep how it went.

    One that is cancelled is given back, for the next worker to begin at once.
    """
    try:
        with unhurried():
            await _perform(db, perform, job, clock, length)
    except asyncio.CancelledError:
        with suppress(Exception):
            async with asyncio.timeout(GIVING_BACK):
                await db.execute(_GIVE_BACK, id=job.id, attempts=job.attempts)
        raise
    except LeaseLost:
        log.warning("job %s on %s was taken over by another worker", job.kind, job.subject)
        counts.job_attempts[job.kind, "lost"] += 1
    except Postponed as postponed:
        values = {"state": "scheduled", "due_at": postponed.until, "counted": job.attempts - 1}
        await _keep(db, job, **values, error=str(postponed), reason=str(postponed))
        alike = {"kind": job.kind, "subject": job.subject, "organization": job.organization_id}
        await db.execute(_POSTPONE_ALIKE, **alike, until=postponed.until)
        counts.job_attempts[job.kind, "postponed"] += 1
    except Exception as error:
        log.exception("job %s on %s failed", job.kind, job.subject)
        state = "scheduled" if job.attempts < ATTEMPTS else "failed"
        pause = FIRST_PAUSE * 4 ** (job.attempts - 1) if state == "scheduled" else timedelta()
        values = {"state": state, "due_at": clock() + pause, "counted": job.attempts}
        reason = error.message if isinstance(error, Problem) else UNEXPECTED
        await _keep(db, job, **values, error=f"{type(error).__name__}: {error}", reason=reason)
        counts.job_attempts[job.kind, "failed" if state == "failed" else "retried"] += 1
    else:
        await db.execute(_DONE, id=job.id, attempts=job.attempts)
        counts.job_attempts[job.kind, "done"] += 1


async def _perform(db: Database, perform: Perform, job: Job, clock: Clock, length: timedelta) -> None:
    """Do a job and renew its lease meanwhile; where another attempt has begun, cancel this one."""
    performing = asyncio.ensure_future(perform(job))
    renewing = asyncio.create_task(_renew(db, job, clock, length))
    try:
        await asyncio.wait((performing, renewing), return_when=asyncio.FIRST_COMPLETED)
        if not performing.done():
            raise LeaseLost
        performing.result()
    finally:
        for task in (performing, renewing):
            task.cancel()
        await asyncio.gather(performing, renewing, return_exceptions=True)


async def _renew(db: Database, job: Job, clock: Clock, length: timedelta) -> None:
    """Renew the lease of a job again and again; returns once another attempt has it."""
    while True:
        await asyncio.sleep(length.total_seconds() / RENEWALS)
        with suppress(Unavailable):  # the lease is long enough to try again
            if not await db.execute(_RENEW, id=job.id, attempts=job.attempts, until=clock() + length):
                return


async def _keep(db: Database, job: Job, *, error: str, reason: str, **values: Any) -> None:
    why = {"error": error, "reason": reason}
    values |= {name: text.replace("\x00", "")[:1000] for name, text in why.items()}
    await db.execute(_POSTPONE, id=job.id, attempts=job.attempts, **values)


# Conditions of partial indexes are written out: an engine does not look into parameters for them.
NUMBERS = rows(
    lambda: select(
        JOBS.c.kind, JOBS.c.state, func.count().label("jobs"), func.min(JOBS.c.due_at).label("due_at")
    ).group_by(JOBS.c.kind, JOBS.c.state)
)
IS_WAITING = JOBS.c.state == literal_column("'waiting'")


def _mine() -> ColumnElement[bool]:
    # Whoever outlived its lease has lost the job to the next attempt.
    return (JOBS.c.id == given("id", Key)) & (JOBS.c.attempts == given("attempts"))


def _postponed() -> Update:
    why = {"error": given("error"), "reason": given("reason")}
    counted = {"attempts": given("counted", Integer()), **why}
    return (
        update(JOBS).values(state=given("state"), due_at=given("due_at", Instant()), **counted).where(_mine())
    )


def _renewed() -> Update:
    # A lease that has ended is renewed too, as long as nobody else has the job.
    is_held = JOBS.c.state.in_([literal_column("'running'"), literal_column("'waiting'")])
    lease = {"state": "running", "due_at": given("until", Instant())}
    return update(JOBS).values(lease).where(_mine(), is_held).returning(JOBS.c.id)


_RENEW = rows(_renewed)
_GIVE_BACK = command(lambda: update(JOBS).values(state="waiting").where(_mine(), JOBS.c.state == "running"))
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

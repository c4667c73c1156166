"""Turns at content sources: an integration computes one page of an organization at a time.

Of several jobs for it the one that was leased first goes on, and the others come back a moment later. A job
that begins stands for all that wait and ask for the same.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, literal_column, select

from app.domain import jobs
from app.domain.jobs import IS_WAITING, JOBS, JobRuntime
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows
from app.models.jobs import Job

PAUSE = timedelta(seconds=1)
_IS_RUNNING = JOBS.c.state == literal_column("'running'")
_ALIKE = rows(
    lambda: select(JOBS.c.id, JOBS.c.payload, JOBS.c.state, JOBS.c.due_at).where(
        JOBS.c.kind == given("kind"),
        JOBS.c.subject == given("subject"),
        JOBS.c.organization_id == given("organization"),
        JOBS.c.id != given("id"),
        IS_WAITING | _IS_RUNNING,
    )
)
_STAND_FOR = command(lambda: delete(JOBS).where(among(JOBS.c.id, "ids"), IS_WAITING))


async def take_turn(runtime: JobRuntime, job: Job) -> None:
    """Let a job begin, which then does what others that wait would do; raises Postponed while one runs."""
    now = runtime.clock()
    alike = await runtime.db.all(
        _ALIKE, kind=job.kind, subject=job.subject, organization=job.organization_id, id=job.id
    )
    for row in alike:
        is_alive = row.state == "running" and row.due_at > now
        if is_alive and (row.due_at, row.id) < (job.due_at, job.id):
            raise jobs.Postponed(now + PAUSE, "Another page of the same integration is being computed.")
    same = [row.id for row in alike if row.state == "waiting" and row.payload == job.payload]
    if same:
        await runtime.db.execute(_STAND_FOR, ids=same)

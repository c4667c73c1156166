"""Factories for background jobs: jobs in states that take long to reach, and jobs run before they are due."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain import jobs
from app.domain.lanes import Perform
from app.kit.clock import utc_now
from app.kit.database.columns import Instant
from app.kit.database.interface import Database
from app.kit.database.statements import given, query, table
from app.kit.ids import new_id
from app.kit.signing import Signer
from app.models.jobs import Job
from app.runtime import Runtime
from tests.cast import Cast
from tests.instance import Instance

JOBS = table(Job)
_DUE = query(
    Job,
    lambda: select(*JOBS.c).where(JOBS.c.kind == given("kind"), JOBS.c.due_at <= given("now", Instant())),
)


def do_jobs(
    instance: Instance, kind: str, perform: Perform, ahead: timedelta, *, those: Callable[[Job], bool]
) -> None:
    """Do those jobs of a kind that are due by then, each once."""

    async def do(db: Database) -> None:
        runtime = Runtime(db, instance.settings, Signer(b""), lambda: utc_now() + ahead)
        for job in await db.all(_DUE, kind=kind, now=runtime.clock()):
            if those(job):
                await jobs.attempt(db, partial(perform, runtime), job, runtime.clock)

    instance.opened(do)


UNTIL = timedelta(days=1)


def queued(cast: Cast, kind: str, subject: str, state: str, **values: Any) -> str:
    """The id of a job that no worker does during the test; a failed one has the reasons of its failure."""
    is_failed = state == "failed"
    made = {
        "id": new_id(),
        "kind": kind,
        "subject": subject,
        "organization_id": cast.organization,
        "payload": {},
        "state": state,
        "attempts": jobs.ATTEMPTS if is_failed else 0,
        "error": "ValueError: inside" if is_failed else None,
        "reason": jobs.UNEXPECTED if is_failed else None,
        **values,
    }

    async def add(cx: Context) -> None:
        due = cx.now if is_failed else cx.now + UNTIL
        await cx.tx.add(Job, **{"due_at": due, "created_at": cx.now, **made})

    cast.instance.inside(add)
    return str(made["id"])

"""Jobs that are due some time from now, done at once as if that time had come.

They are not leased: what is released to be leased may be taken by the product itself, whose clock is right.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from sqlalchemy import select

from app.domain import jobs
from app.domain.worker import Perform
from app.kit.clock import utc_now
from app.kit.database.columns import Instant
from app.kit.database.interface import Database
from app.kit.database.statements import given, query, table
from app.kit.signing import Signer
from app.models.jobs import Job
from app.runtime import Runtime
from tests.house import House

JOBS = table(Job)
_DUE = query(
    Job,
    lambda: select(*JOBS.c).where(JOBS.c.kind == given("kind"), JOBS.c.due_at <= given("now", Instant())),
)


def do_jobs(
    house: House, kind: str, perform: Perform, ahead: timedelta, *, those: Callable[[Job], bool]
) -> None:
    """Do those jobs of a kind that are due by then, each once."""

    async def do(db: Database) -> None:
        runtime = Runtime(db, house.settings, Signer(b""), lambda: utc_now() + ahead)
        for job in await db.all(_DUE, kind=kind, now=runtime.clock()):
            if those(job):
                await jobs.attempt(db, partial(perform, runtime), job, runtime.clock)

    house.opened(do)

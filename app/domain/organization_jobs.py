"""The jobs of an organization as its administrators see them: listed, retried and cancelled.

A job that is done is gone; one that failed is kept for thirty days, so that somebody can retry it. Operators
do the same to all jobs of the installation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    case,
    delete,
    func,
    literal_column,
    or_,
    select,
    update,
)

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.git_sync import sync_state
from app.domain.jobs import JOBS, UPKEEP
from app.kit.database.columns import Instant, Key
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import Conflict, NotFound
from app.models.domain_claims import DomainClaim
from app.models.integrations import Integration
from app.models.jobs import Job, JobsQuery
from app.models.openapi_specs import OpenAPISpec
from app.models.spaces import Space

NONE = "There is no such job."
SPACES, OPENAPI_SPECS = table(Space), table(OpenAPISpec)
INTEGRATIONS, DOMAIN_CLAIMS = table(Integration), table(DomainClaim)


class JobRow(Protocol):
    """A job with the title of what it works on, and that object itself as far as it is there."""

    id: str
    kind: str
    subject: str
    organization_id: str
    payload: dict[str, Any]
    state: str
    due_at: datetime
    attempts: int
    error: str | None
    reason: str | None
    created_at: datetime
    title: str | None
    space_id: str | None
    spec_id: str | None
    integration_name: str | None


def _shown() -> Select[Any]:
    subject, here = JOBS.c.subject, JOBS.c.organization_id
    joined = (
        JOBS.outerjoin(SPACES, and_(SPACES.c.id == subject, SPACES.c.organization_id == here))
        .outerjoin(
            OPENAPI_SPECS, and_(OPENAPI_SPECS.c.id == subject, OPENAPI_SPECS.c.organization_id == here)
        )
        .outerjoin(
            DOMAIN_CLAIMS, and_(DOMAIN_CLAIMS.c.id == subject, DOMAIN_CLAIMS.c.organization_id == here)
        )
        .outerjoin(INTEGRATIONS, and_(INTEGRATIONS.c.id == subject, INTEGRATIONS.c.deleted_at.is_(None)))
    )
    title = func.coalesce(SPACES.c.title, OPENAPI_SPECS.c.slug, DOMAIN_CLAIMS.c.name, INTEGRATIONS.c.title)
    return select(
        *JOBS.c,
        title.label("title"),
        case((SPACES.c.deleted_at.is_(None), SPACES.c.id)).label("space_id"),
        OPENAPI_SPECS.c.id.label("spec_id"),
        INTEGRATIONS.c.name.label("integration_name"),
    ).select_from(joined)


def _of_organization() -> Select[Any]:
    return _shown().where(JOBS.c.organization_id == given("organization", Key), _in_state())


def _in_state() -> ColumnElement[bool]:
    return or_(given("state", Key) == "", JOBS.c.state == given("state", Key))


def _newest() -> Select[Any]:
    organization = given("organization", Key)
    here = or_(organization == "", JOBS.c.organization_id == organization)
    return _shown().where(here, _in_state()).order_by(JOBS.c.id.desc()).limit(given("most", Integer()))


_LIST: Listing[Any] = Listing(
    "jobs of an organization", Job, _of_organization, order=lambda: [JOBS.c.id], descending=True
)
_NEWEST: Statement[Any] = query(Job, _newest)
_ONE: Statement[Any] = query(Job, lambda: _shown().where(JOBS.c.id == given("id", Key)))
_RETRY = query(
    Job,
    lambda: (
        update(JOBS)
        .values(state="waiting", due_at=given("now", Instant()), attempts=0)
        .where(
            JOBS.c.id == given("id", Key),
            JOBS.c.state.in_([literal_column("'scheduled'"), literal_column("'failed'")]),
        )
        .returning(*JOBS.c)
    ),
)
_REMOVE = query(
    Job,
    lambda: delete(JOBS).where(JOBS.c.id == given("id", Key), JOBS.c.state != "running").returning(*JOBS.c),
)


async def list_jobs(cx: Context, organization_id: str, query: JobsQuery) -> Page[Any]:
    """List the jobs of an organization that are not done, newest first.

    Failed jobs are kept for thirty days.
    """
    permit_in(cx, organization_id, can="admin")
    return await _LIST.page(
        cx.db, query.paging, cx.tokens, organization=organization_id, state=query.state or ""
    )


async def get(cx: Context, organization_id: str, job_id: str) -> Any:
    """Get a job of an organization. Completed jobs are not found."""
    permit_in(cx, organization_id, can="admin")
    found = await cx.db.first(_ONE, id=job_id)
    if found is None or found.organization_id != organization_id:
        raise NotFound(NONE)
    return found


async def retry(cx: Context, organization_id: str, job_id: str) -> Any:
    """Retry a job whose last attempt failed: now, and as often as a new one.

    Raises Conflict for a job that has not failed.
    """
    return await retry_found(cx, await get(cx, organization_id, job_id))


async def cancel(cx: Context, organization_id: str, job_id: str) -> None:
    """Cancel a job: it is not done, nor tried again. The sync or import that it does ends as failed or
    cancelled, and its events as failed.

    Raises Conflict for a running job, other than an import or a sync, and for upkeep.
    """
    await cancel_found(cx, await get(cx, organization_id, job_id))


async def newest(cx: Context, organization_id: str, state: str, most: int) -> list[Any]:
    """Return jobs of the installation for operators, newest first; "" is any organization, and any state."""
    return await cx.db.all(_NEWEST, organization=organization_id, state=state, most=most)


async def find(cx: Context, job_id: str) -> Any:
    """Return any job of the installation, for operators; raises NotFound."""
    found = await cx.db.first(_ONE, id=job_id)
    if found is None:
        raise NotFound(NONE)
    return found


def can_retry(job: JobRow) -> bool:
    """Return whether the last attempt failed and none is running or about to begin."""
    return job.state == "failed" or (job.state == "scheduled" and job.error is not None)


def can_cancel(job: JobRow) -> bool:
    """Return whether something is there to cancel, and nothing is left half done by it."""
    return job.kind in _ABANDON and (job.state != "running" or job.kind in _STOPPABLE)


async def retry_found(cx: Context, job: JobRow) -> Any:
    """Retry a job; raises Conflict where its last attempt did not fail."""
    _note(cx, job)
    if not can_retry(job) or await cx.tx.first(_RETRY, id=job.id, now=cx.now) is None:
        raise Conflict("Only a job whose last attempt failed can be retried.")
    if cx.notes is not None:
        cx.notes.job_due = True
        if job.organization_id and job.kind not in UPKEEP:
            cx.notes.jobs.add(job.organization_id)
    return await find(cx, job.id)


async def cancel_found(cx: Context, job: JobRow) -> None:
    """Cancel a job; raises Conflict where it runs, or is upkeep that the server owes itself."""
    _note(cx, job)
    if job.kind not in _ABANDON:
        raise Conflict("This job is upkeep and cannot be cancelled. It can be retried when it has failed.")
    removed = await cx.tx.first(_REMOVE, id=job.id)
    if removed is None and job.kind not in _STOPPABLE:
        raise Conflict("The job is running. Wait until it has ended.")
    await _ABANDON[job.kind](cx, job)


def _note(cx: Context, job: JobRow) -> None:
    if job.organization_id:
        cx.note("job", job.id, job.organization_id, job.title)


async def _end_sync(cx: Context, job: JobRow) -> None:
    await sync_state.cancel(cx, job.subject, job.payload["operation"])


async def _end_import(cx: Context, job: JobRow) -> None:
    from app.domain.imports import import_runs  # with what imports need

    await import_runs.abandon(cx, job.subject)


async def _fail_events(cx: Context, job: JobRow) -> None:
    from app.domain.integrations import deliveries  # with what deliveries need

    await deliveries.give_up(cx, job.payload["events"])


async def _nothing(_cx: Context, _job: JobRow) -> None:
    """Leave everything as it is: the job has begun nothing."""


# What becomes of the object of a job that is cancelled. The other kinds cannot be cancelled.
_ABANDON: Mapping[str, Callable[[Context, JobRow], Awaitable[None]]] = {
    sync_state.SYNC: _end_sync,
    "run_import": _end_import,
    "deliver_events": _fail_events,
    "deliver_task": _nothing,
    "fetch_site_scripts": _nothing,
}
_STOPPABLE = (sync_state.SYNC, "run_import")  # they write at the end, and only if they have not been ended

"""`docyard jobs`: the background jobs of the whole installation, for its operators."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from app.access.context import Context
from app.cli.command_settings import DatabaseOption
from app.cli.output import say, table
from app.cli.session import change, read
from app.domain import organization_jobs
from app.models.jobs import JobState

MOST = 1000
app = App(name="jobs")
JobId = Annotated[str, Parameter(help="the job's id (docyard jobs list)")]


@app.command(name="list")
async def list_(
    *,
    org: Annotated[str, Parameter(help="only those of the organization with this id")] = "",
    state: Annotated[JobState | None, Parameter(help="only those in this state")] = None,
    database: DatabaseOption = None,
) -> None:
    """List the jobs that are not done, newest first; 1,000 at most."""

    async def newest(cx: Context) -> list[Any]:
        return await organization_jobs.newest(cx, org, state or "", MOST)

    found = await read(database, newest)
    columns = ("id", "organization", "kind", "about", "state", "attempts", "due", "error")
    table(
        columns,
        (
            (
                job.id,
                job.organization_id or "-",
                job.kind,
                job.title or job.subject,
                job.state,
                str(job.attempts),
                f"{job.due_at:%Y-%m-%d %H:%M:%S}",
                job.error or "",
            )
            for job in found
        ),
    )


@app.command
async def retry(job: JobId, /, *, database: DatabaseOption = None) -> None:
    """Retry a job whose last attempt failed."""

    async def again(cx: Context) -> None:
        await organization_jobs.retry_found(cx, await organization_jobs.find(cx, job))

    await change(database, again)
    say("The job waits for a worker.")


@app.command
async def cancel(job: JobId, /, *, database: DatabaseOption = None) -> None:
    """Cancel a job. Upkeep, such as removing a deleted space, cannot be cancelled."""

    async def stop(cx: Context) -> None:
        await organization_jobs.cancel_found(cx, await organization_jobs.find(cx, job))

    await change(database, stop)
    say("The job is cancelled.")

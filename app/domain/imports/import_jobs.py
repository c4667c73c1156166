"""Doing import runs: everything is read first, and written in one transaction at the end.

While a run reads, it keeps how far it is every second, and stops where it was cancelled. What it writes it
writes as who started it, with the rights that they have then. A run whose process died begins again when the
lease of its job ends.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Integer, select, update

from app.access import memberships
from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.domain.change_requests import change_requests
from app.domain.content.views import Where
from app.domain.imports import import_runs, import_sources, trees
from app.domain.imports.agent_pictures import refuse_outside_pictures_in
from app.domain.imports.tree_import import Imported
from app.domain.imports.trees import ReadTree
from app.domain.infrastructure import blobs
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.revisions.documents import SkippedFiles, around_faults
from app.domain.sites import site_spaces, structure
from app.domain.spaces import spaces
from app.formats.repository.import_plan import Plan
from app.formats.repository.import_report import SHOWN, ImportCause, ImportProblem, causes
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Forbidden, Invalid, Problem
from app.kit.http.outbound import OutboundError, OutboundResponse
from app.models.change_requests import ChangeRequestCreate
from app.models.imports import ImportFile, ImportRun
from app.models.jobs import Job
from app.models.site_items import SiteSpaceCreate
from app.models.spaces import Space, SpaceCreate
from app.models.texts import without_hidden

log = logging.getLogger("docyard.import")
T = TypeVar("T")
MOST_ATTEMPTS = 3
MOST_TOLD = 200  # problems that are kept
MOST_CAUSES = 100
LOOK = 1.0  # seconds between two looks at whether a run was cancelled
ACTION = AuditAction("job", "performImportRun")
IMPORT_RUNS, IMPORT_FILES = table(ImportRun), table(ImportFile)
_IN_PROGRESS = (
    (IMPORT_RUNS.c.id == given("id"))
    & (IMPORT_RUNS.c.status == "in-progress")
    & (IMPORT_RUNS.c.attempt == given("attempt"))
)
_BEGIN = query(
    ImportRun,
    lambda: (
        update(IMPORT_RUNS)
        .values(status="in-progress", attempt=given("attempt", Integer()), pages_read=0, pages_found=0)
        .where(IMPORT_RUNS.c.id == given("id"), IMPORT_RUNS.c.ended_at.is_(None))
        .returning(*IMPORT_RUNS.c)
    ),
)
_MINE = query(ImportRun, lambda: select(*IMPORT_RUNS.c).where(_IN_PROGRESS))
_FILES = rows(
    lambda: select(IMPORT_FILES.c.name, IMPORT_FILES.c.blob_id).where(IMPORT_FILES.c.run_id == given("run"))
)


class RunEnded(Problem):
    """The run was cancelled, or another attempt has it: there is nothing to do."""


@dataclass(slots=True)
class _Progress:
    """The number of pages that a run has read, and of those that it has found."""

    pages_read: int = 0
    pages_found: int = 0

    def note(self, pages_read: int, pages_found: int) -> None:
        """Note how far it is now."""
        self.pages_read, self.pages_found = pages_read, pages_found


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Do a run, and keep how it went. What goes wrong is not tried again: the run tells."""
    run = await runtime.write(NOBODY, lambda cx: _begin(cx, job), ACTION)
    if run is None:
        return
    try:
        if job.attempts > MOST_ATTEMPTS:
            raise Invalid("The import was interrupted too often.")
        async with asyncio.timeout(runtime.settings.import_run_timeout):
            await _run(runtime, run)
    except RunEnded:
        log.info("the import run %s was ended", run.id)
    except TimeoutError:
        await _fail(runtime, run, "The import took too long.")
    except OutboundError as error:
        await _fail(runtime, run, error.message)
    except Problem as problem:
        await _fail(runtime, run, problem.message)
    except Exception:
        log.exception("the import run %s failed", run.id)
        await _fail(runtime, run, "Something went wrong in Docyard; its log says what.")


async def _begin(cx: Context, job: Job) -> ImportRun | None:
    run = await cx.db.first(_BEGIN, id=job.subject, attempt=job.attempts)
    if run is not None and run.started_at is None:
        await cx.tx.put(ImportRun, {"started_at": cx.now}, id=run.id)
        import_runs.note_change(cx, "started", run)
    return run


async def _fail(runtime: JobRuntime, run: ImportRun, message: str) -> None:
    async def keep(cx: Context) -> None:
        if await cx.db.first(_MINE, id=run.id, attempt=run.attempt) is not None:
            await import_runs.end(cx, run, "failed", error=message[:1000])

    await runtime.write(NOBODY, keep, ACTION)


async def _run(runtime: JobRuntime, run: ImportRun) -> None:
    progress = _Progress()
    brought = await _watched(runtime, run, progress, _read(runtime, run, progress))
    actor = await _actor(runtime, run)

    async def attempt(leaving: SkippedFiles) -> None:
        plan = await brought.plan()
        if not plan.pages and not plan.files and not plan.reusable:
            raise Invalid("There is nothing to import there.")
        if run.agent_task_id is not None:
            await refuse_outside_pictures_in(plan)

        async def write(cx: Context) -> None:
            if await cx.db.first(_MINE, id=run.id, attempt=run.attempt) is None:
                raise RunEnded("The run was cancelled.")
            await _write(cx, run, plan, leaving)

        await runtime.write(actor, write, ACTION)

    await around_faults(attempt)


async def _actor(runtime: JobRuntime, run: ImportRun) -> Actor:
    """Return who started the run, with the rights that they have now."""
    membership = await memberships.of_person(runtime.db, run.created_by, run.organization_id)
    if membership is None:
        raise Forbidden(
            "The person who started the import is no longer an active member of the organization."
        )
    return Actor(run.created_by, memberships={run.organization_id: membership})


async def _watched(runtime: JobRuntime, run: ImportRun, progress: _Progress, work: Awaitable[T]) -> T:
    """Wait for work, keeping how far it is; raises Ended where the run was cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=LOOK)
            if not await runtime.write(NOBODY, partial(_keep, run=run, progress=progress), ACTION):
                raise RunEnded("The run was cancelled.")
            if done:
                return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def _keep(cx: Context, *, run: ImportRun, progress: _Progress) -> bool:
    """Keep how far a run is; tells whether it still is in progress."""
    found = await cx.db.first(_MINE, id=run.id, attempt=run.attempt)
    if found is None:
        return False
    if (found.pages_read, found.pages_found) != (progress.pages_read, progress.pages_found):
        await cx.tx.put(ImportRun, asdict(progress), id=run.id)
        import_runs.note_change(cx, "progressed", run)
    return True


async def _read(runtime: JobRuntime, run: ImportRun, progress: _Progress) -> ReadTree:
    settings = runtime.settings
    outbound = trees.outbound_of(settings)
    if run.source["type"] == "website":
        return await trees.read_website(
            outbound.fetch,
            run.source["url"],
            most_pages=settings.import_run_max_pages,
            seconds=settings.import_run_timeout,
            told=progress.note,
        )
    cx = runtime.context(NOBODY)
    held = {row.name: row.blob_id for row in await cx.db.all(_FILES, run=run.id)}
    room, deadline = settings.outbound_max_bytes, time.monotonic() + settings.import_run_timeout
    files: dict[str, OutboundResponse] = {}
    for file in run.source["files"]:
        name = file["name"]
        if name in held:
            files[name] = trees.sent(name, await blobs.read(cx, held[name]))
        else:
            files[name] = await outbound.fetch(file["url"], max_bytes=room, deadline=deadline)
            room -= len(files[name].body)
    return await trees.read_files(files)


async def _write(cx: Context, run: ImportRun, plan: Plan, leaving: SkippedFiles) -> None:
    """Write the content, show it on the site, and end the run: all of it or nothing."""
    origin = run.source["url"] if run.source["type"] == "website" else run.source["files"][0]["name"]
    where = await _where(cx, run, plan, origin)
    if run.page_id is None:
        done = await import_sources.into_space(cx, where, origin, plan, leaving)
    else:
        done = await import_sources.into_page(cx, where, run.page_id, origin, plan, leaving)
    if run.site_id is not None:
        whole = await structure.of(cx, run.organization_id, run.site_id, can="create")
        if not whole.shows(where.space):
            new = SiteSpaceCreate(space_id=where.space)
            await site_spaces.add(cx, run.organization_id, run.site_id, new)
    into = {"space_id": where.space, "change_request_id": where.change_request}
    await import_runs.end(cx, run, "completed", **into, **_told(plan, done))


async def _where(cx: Context, run: ImportRun, plan: Plan, origin: str) -> Where:
    """Return where the content goes; opens the change request, or makes the space, that is to be new."""
    if run.space_id is None:
        return Where((await _new_space(cx, run, plan, origin)).id)
    if run.change_request_subject is None:
        return Where(run.space_id, run.change_request_id)
    new = ChangeRequestCreate(subject=run.change_request_subject, agent_task_id=run.agent_task_id)
    opened = await change_requests.create(cx, run.space_id, new)
    return Where(run.space_id, opened.request.id)


async def _new_space(cx: Context, run: ImportRun, plan: Plan, origin: str) -> Space:
    """Return a space called after the first page."""
    title = plan.pages[0].title if plan.pages else origin
    try:
        new = SpaceCreate(title=without_hidden(title)[: spaces.LONGEST_TITLE].strip())
    except ValidationError:
        new = SpaceCreate()
    return await spaces.create(cx, run.organization_id, new)


def _told(plan: Plan, done: Imported) -> dict[str, Any]:
    """Return what is kept of a run that is completed."""
    pages = sum(page.kind == "document" for page in plan.pages)
    found = list(dict.fromkeys(done.report.problems))  # a transaction that began again has told some twice
    return {
        "result": {
            "revision": done.revision_id,
            "imported": done.imported,
            "total": done.total,
            "problems": Counter(problem.kind for problem in found),
            "causes": [_cause(each) for each in causes(found)[:MOST_CAUSES]],
        },
        "pages_read": pages,
        "pages_found": pages + sum(problem.kind == "skipped" for problem in done.report.problems),
        "problems": [_problem(each) for each in found[:MOST_TOLD]],
        "more_problems": len(found[MOST_TOLD:]) + done.report.left_out,
    }


def _cause(cause: ImportCause) -> dict[str, Any]:
    first = [_problem(each) for each in cause.problems[:SHOWN]]
    return {"kind": cause.kind, "message": cause.message, "count": cause.count, "problems": first}


def _problem(problem: ImportProblem) -> dict[str, Any]:
    return {name: value for name, value in asdict(problem).items() if value is not None}

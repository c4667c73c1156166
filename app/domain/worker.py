"""Which jobs there are, in which lanes they run, and the worker that runs them.

Jobs of different lanes never wait for each other, and no organization takes all places of a lane: whatever
one has queued, and however slow the hosts are that its jobs wait for, there is a place for the jobs of
others.

Where no process stays (a function that is frozen between requests), a schedule calls `run_for` instead.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.rate_limits import INTERVAL
from app.domain import jobs
from app.domain.domains import domain_claims
from app.domain.git_sync import sync_state
from app.domain.infrastructure import blobs
from app.domain.jobs import NOBODY, JobRuntime
from app.domain.openapi import openapi_specs
from app.domain.spaces import purge
from app.kit.database.statements import rows, table
from app.models.installations import Installation
from app.models.jobs import Job

log = logging.getLogger("docyard.work")
Perform = Callable[[JobRuntime, Job], Awaitable[None]]
PAUSE = 3.0  # seconds between two looks at the queue when nobody says that there is work
PRUNE_INTERVAL = 600.0  # seconds between two looks for changes and jobs that are old
GRACE = 10.0  # seconds that running jobs have to end when the process ends
INSTALLATIONS = table(Installation)
_INSTALLED = rows(lambda: select(INSTALLATIONS.c.id).limit(1))


async def purge_space(runtime: JobRuntime, job: Job) -> None:
    """Remove a deleted space for good."""
    action = AuditAction("job", "purgeSpace")
    await runtime.write(NOBODY, lambda cx: purge.purge_space(cx, job.subject), action)


async def remove_objects(runtime: JobRuntime, job: Job) -> None:
    """Remove from the bucket what no row names any more."""
    await blobs.remove_objects(runtime.settings, job.payload["places"])


async def remove_upload(runtime: JobRuntime, job: Job) -> None:
    """Remove an upload that nobody used."""
    from app.domain.uploads import uploads

    action = AuditAction("job", "removeUpload")
    await runtime.write(NOBODY, lambda cx: uploads.remove_unused(cx, job.subject), action)


async def sync_space(runtime: JobRuntime, job: Job) -> None:
    """Synchronise a space with its repository."""
    from app.domain.git_sync import sync_runs  # with the whole importer, which few processes need

    await sync_runs.perform(runtime, job)


async def run_import(runtime: JobRuntime, job: Job) -> None:
    """Do an import run."""
    from app.domain.imports import import_jobs  # with the whole importer

    await import_jobs.perform(runtime, job)


async def process_openapi(runtime: JobRuntime, job: Job) -> None:
    """Read an OpenAPI specification."""
    from app.domain.openapi import openapi_jobs  # with what fetches, which few processes need

    await openapi_jobs.process(runtime, job)


async def renew_openapi_pages(runtime: JobRuntime, job: Job) -> None:
    """Bring the pages that are computed from an OpenAPI specification up to date."""
    from app.domain.revisions import openapi_pages  # with what writes content

    await openapi_pages.renew(runtime, job)


async def rebuild_links(runtime: JobRuntime, job: Job) -> None:
    """Work out the links of a space anew from its texts."""
    from app.domain.revisions import link_rebuild  # with what writes content

    await link_rebuild.rebuild(runtime, job)


async def deliver_events(runtime: JobRuntime, job: Job) -> None:
    """Tell an integration what happened."""
    from app.domain.integrations import deliveries  # few installations have integrations

    await deliveries.deliver(runtime, job)


async def fetch_site_scripts(runtime: JobRuntime, job: Job) -> None:
    """Ask an integration for the scripts of sites."""
    from app.domain.integrations import deliveries

    await deliveries.fetch_scripts(runtime, job)


async def deliver_task(runtime: JobRuntime, job: Job) -> None:
    """Tell an integration of a task whose time has come."""
    from app.domain.integrations import integration_events

    action = AuditAction("job", "queueIntegrationTask")
    await runtime.write(
        NOBODY, lambda cx: integration_events.begin_task(cx, job.subject, job.payload), action
    )


async def purge_integration(runtime: JobRuntime, job: Job) -> None:
    """Remove an integration that was taken back."""
    from app.domain.integrations import integrations

    await runtime.write(
        NOBODY, lambda cx: integrations.purge(cx, job.subject), AuditAction("job", "purgeIntegration")
    )


async def check_domain(runtime: JobRuntime, job: Job) -> None:
    """Look up the proof of a domain again."""
    from app.domain.domains import domain_checks

    await domain_checks.check(runtime, job)


async def send_mail(runtime: JobRuntime, job: Job) -> None:
    """Send a mail."""
    from app.domain import mail

    await mail.perform(runtime, job)


async def tell_notifications(runtime: JobRuntime, job: Job) -> None:
    """Tell somebody by mail what is due."""
    from app.domain import notifications

    await notifications.perform(runtime, job)


async def send_sign_in_link(runtime: JobRuntime, job: Job) -> None:
    """Send a link to sign in, if somebody may have it."""
    from app.domain.accounts import sign_in_links

    await sign_in_links.perform(runtime, job)


@dataclass(frozen=True, slots=True)
class Lane:
    """Kinds of jobs that share places: so many run at a time in one process, `share` of them for one
    organization."""

    kinds: dict[str, Perform]
    places: int
    share: int


LANES: Sequence[Lane] = (
    Lane(
        {
            blobs.REMOVE_OBJECTS: remove_objects,
            openapi_specs.RENEW: renew_openapi_pages,
            purge.PURGE_SPACE: purge_space,
            "purge_integration": purge_integration,
            "rebuild_links": rebuild_links,
            "remove_upload": remove_upload,
        },
        places=2,
        share=1,
    ),
    # These wait for other people's servers and scripts.
    Lane({sync_state.SYNC: sync_space}, places=3, share=1),
    Lane({"run_import": run_import}, places=3, share=1),
    Lane({openapi_specs.PROCESS: process_openapi}, places=3, share=1),
    Lane({"deliver_events": deliver_events, "deliver_task": deliver_task}, places=16, share=8),
    Lane({"fetch_site_scripts": fetch_site_scripts}, places=4, share=2),
    Lane({domain_claims.CHECK: check_domain}, places=4, share=1),
    Lane(
        {
            "send_sign_in_link": send_sign_in_link,
            "send_mail": send_mail,
            "tell_notifications": tell_notifications,
        },
        places=4,
        share=4,
    ),
)


async def run(runtime: JobRuntime, *, limit: int = 100, of: Mapping[str, Perform] | None = None) -> int:
    """Do what is due, of these kinds or of all, at most `limit` jobs one after another; returns how many were
    tried."""
    performed = of or {kind: perform for lane in LANES for kind, perform in lane.kinds.items()}
    kinds = {kind: partial(perform, runtime) for kind, perform in performed.items()}
    return await jobs.run_due(runtime.db, kinds, runtime.clock, limit)


async def run_for(runtime: JobRuntime, seconds: float) -> int:
    """Do what is due, one job of each lane at a time; returns how many were tried.

    No job begins after so many seconds; those that run then are waited for.
    """
    await prune(runtime)
    until, tried = time.monotonic() + seconds, 0
    running = [RunningLane(runtime, lane, places=1) for lane in LANES]
    while (left := until - time.monotonic()) > 0:
        begun = sum([await each.begin_next() for each in running])
        tried += begun
        tasks = [task for each in running for task in each.tasks]
        if not tasks:
            break
        if not begun:
            await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(*(task for each in running for task in each.tasks))
    return tried


async def prune(runtime: JobRuntime) -> None:
    """Remove changes from the feed and jobs from the queue that are too old."""
    from app.domain import old_jobs
    from app.domain.change_feed import recorded_changes  # starting should not load it

    await recorded_changes.prune(runtime.db, runtime.clock())
    await old_jobs.tidy(runtime.db, [kind for lane in LANES for kind in lane.kinds], runtime.clock())


async def prepare_scripts(runtime: JobRuntime) -> None:
    """Make ready what scripts run in where something is installed, so that nobody waits for it."""
    try:
        if await runtime.db.all(_INSTALLED):
            from app.kit.sandbox import running

            await running.prepare()
    except Exception:
        log.exception("scripts could not be prepared")


class RunningLane:
    """The jobs of one lane that run in this process."""

    def __init__(self, runtime: JobRuntime, lane: Lane, *, places: int | None = None) -> None:
        self._runtime = runtime
        self._lane = lane
        self._places = places or lane.places
        self._turns = jobs.Turns()
        self.tasks: dict[asyncio.Task[None], str] = {}

    async def begin_next(self) -> bool:
        """Begin the next job if a place is free and one is due; returns whether it began."""
        if len(self.tasks) >= self._places:
            return False
        busy = [id_ for id_, count in Counter(self.tasks.values()).items() if count >= self._lane.share]
        most = self._runtime.settings.running_jobs
        job = await jobs.lease(
            self._runtime.db,
            self._lane.kinds,
            self._runtime.clock,
            self._turns,
            most_running=most,
            besides=busy,
        )
        if job is None:
            return False
        perform = partial(self._lane.kinds[job.kind], self._runtime)
        task = asyncio.create_task(jobs.attempt(self._runtime.db, perform, job, self._runtime.clock))
        self.tasks[task] = job.organization_id
        task.add_done_callback(self._ended)
        return True

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self.tasks[task]
        self._runtime.job_due.set()
        if not task.cancelled() and (error := task.exception()):
            log.error("what became of a job could not be kept", exc_info=error)


class Worker:
    """Does what is due, every few seconds and when something was asked for, from `start` until `stop`."""

    def __init__(self, runtime: JobRuntime) -> None:
        self._runtime = runtime
        self._pause = PAUSE
        self._lanes = [RunningLane(runtime, lane) for lane in LANES]
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin; needs a running loop."""
        self._runtime.limits.runs_alone = True
        self._tasks = [
            asyncio.create_task(self._keep_running()),
            asyncio.create_task(self._repeat(self._synchronise_limits, INTERVAL.total_seconds())),
            asyncio.create_task(self._repeat(partial(prune, self._runtime), PRUNE_INTERVAL)),
            asyncio.create_task(prepare_scripts(self._runtime)),
        ]

    async def stop(self) -> None:
        """End, leaving running jobs a moment; those cut off are done again when their leases end."""
        self._stopping.set()
        self._runtime.job_due.set()
        self._runtime.limits.runs_alone = False
        running = [*self._tasks, *(task for lane in self._lanes for task in lane.tasks)]
        if running:
            await asyncio.wait(running, timeout=GRACE)
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _keep_running(self) -> None:
        while not self._stopping.is_set():
            self._runtime.job_due.clear()
            try:
                if self._runtime.token_uses.are_due(self._runtime.clock()):
                    await self._runtime.token_uses.keep(self._runtime.db)
                begun = [await lane.begin_next() for lane in self._lanes]
            except Exception:
                log.exception("work could not go on")
                begun = []
            if not any(begun):
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._runtime.job_due.wait(), self._pause)

    async def _synchronise_limits(self) -> None:
        """Synchronise the rate limits, so that no request has to."""
        if self._runtime.limits.are_due(self._runtime.clock()):
            await self._runtime.limits.synchronise(self._runtime.db, self._runtime.clock())

    async def _repeat(self, upkeep: Callable[[], Awaitable[None]], seconds: float) -> None:
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)
            try:
                await upkeep()
            except Exception:
                log.exception("upkeep failed: rate limits, the feed of changes, or old jobs")

"""The worker: does what is due, in lanes.

Where no process stays (a function that is frozen between requests), a schedule calls `run_for` instead.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial

from sqlalchemy import select

from app.access.rate_limits import INTERVAL
from app.domain import job_leases, jobs
from app.domain.jobs import JobRuntime
from app.domain.lanes import LANES, Lane, Perform
from app.kit.database.statements import rows, table
from app.models.installations import Installation

log = logging.getLogger("docyard.work")
PAUSE = 3.0  # seconds between two looks at the queue when nobody says that there is work
PRUNE_INTERVAL = 600.0  # seconds between two looks for changes and jobs that are old
GRACE = 10.0  # seconds that running jobs have to end when the process ends
INSTALLATIONS = table(Installation)
_INSTALLED = rows(lambda: select(INSTALLATIONS.c.id).limit(1))


async def run(runtime: JobRuntime, *, limit: int = 100, of: Mapping[str, Perform] | None = None) -> int:
    """Do what is due, of these kinds or of all, at most `limit` jobs; returns how many were tried."""
    performed = of or {kind: perform for lane in LANES for kind, perform in lane.kinds.items()}
    kinds = {kind: partial(perform, runtime) for kind, perform in performed.items()}
    length = timedelta(seconds=runtime.settings.job_lease)
    return await job_leases.run_due(runtime.db, kinds, runtime.clock, limit, length=length)


async def run_for(runtime: JobRuntime, seconds: float) -> int:
    """Do what is due, one job of each lane at a time; returns how many were tried.

    No job begins after so many seconds; those that run then are waited for.
    """
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
    """Remove changes from the feed, jobs from the queue and statistics of sites that are too old."""
    from app.domain import old_jobs
    from app.domain.change_feed import recorded_changes  # starting should not load it
    from app.domain.sites import kept_counts

    await recorded_changes.prune(runtime.db, runtime.clock())
    await kept_counts.forget(runtime.db, runtime.clock(), runtime.settings.statistics_days)
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
        self._turns = job_leases.Turns()
        self._length = timedelta(seconds=runtime.settings.job_lease)
        self.tasks: dict[asyncio.Task[None], str] = {}

    async def begin_next(self) -> bool:
        """Begin the next job if a place is free and one is due; returns whether it began."""
        if len(self.tasks) >= self._places:
            return False
        busy = [id_ for id_, count in Counter(self.tasks.values()).items() if count >= self._lane.share]
        most = self._runtime.settings.running_jobs
        job = await job_leases.lease(
            self._runtime.db,
            self._lane.kinds,
            self._runtime.clock,
            self._turns,
            most_running=most,
            besides=busy,
            length=self._length,
        )
        if job is None:
            return False
        perform = partial(self._lane.kinds[job.kind], self._runtime)
        doing = jobs.attempt(self._runtime.db, perform, job, self._runtime.clock, self._length)
        task = asyncio.create_task(doing)
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
            asyncio.create_task(self._repeat(self._runtime.keep_visit_counts, PAUSE)),
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
                log.exception("upkeep failed: rate limits, the feed of changes, statistics, or old jobs")

"""Which jobs there are, and the loop in which a serving process does them.

Where no loop runs (a function that is frozen between requests), a schedule calls `run` instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial

from sqlalchemy import select

from app.access.deeds import Deed
from app.domain import blobs, jobs
from app.domain.openapi import openapi_specs
from app.domain.spaces import purging
from app.domain.surroundings import NOBODY, Edge
from app.domain.syncing import git_sync
from app.kit.statements import rows, table
from app.models.installations import Installation
from app.models.jobs import Job

log = logging.getLogger("docyard.work")
Kinds = Mapping[str, Callable[[Edge, Job], Awaitable[None]]]
PAUSE = 3.0
GRACE = 10.0
_n = table(Installation)
_INSTALLED = rows(lambda: select(_n.c.id).limit(1))


async def purge_space(edge: Edge, job: Job) -> None:
    """Remove a deleted space for good."""
    deed = Deed("job", "purgeSpace")
    await edge.write(NOBODY, lambda cx: purging.purge_space(cx, job.subject), deed)


async def remove_objects(edge: Edge, job: Job) -> None:
    """Remove from the bucket what no row names any more."""
    await blobs.remove_objects(edge.settings, job.payload["places"])


async def sync_space(edge: Edge, job: Job) -> None:
    """Synchronise a space with its repository."""
    from app.domain.syncing import syncing  # with the whole importer, which few processes need

    await syncing.perform(edge, job)


async def process_openapi(edge: Edge, job: Job) -> None:
    """Read an OpenAPI specification."""
    from app.domain.openapi import openapi_processing  # with what fetches, which few processes need

    await openapi_processing.process(edge, job)


async def renew_openapi_pages(edge: Edge, job: Job) -> None:
    """Bring the pages that are computed from an OpenAPI specification up to date."""
    from app.domain.writing import openapi_renewing  # with what writes content

    await openapi_renewing.renew(edge, job)


async def deliver_events(edge: Edge, job: Job) -> None:
    """Tell an integration what happened."""
    from app.domain.integrations import delivering  # few installations have integrations

    await delivering.deliver(edge, job)


async def fetch_site_scripts(edge: Edge, job: Job) -> None:
    """Ask an integration for the scripts of sites."""
    from app.domain.integrations import delivering

    await delivering.fetch_scripts(edge, job)


async def deliver_task(edge: Edge, job: Job) -> None:
    """Tell an integration of a task whose time has come."""
    from app.domain.integrations import integration_events

    deed = Deed("job", "queueIntegrationTask")
    await edge.write(NOBODY, lambda cx: integration_events.begin_task(cx, job.subject, job.payload), deed)


async def purge_integration(edge: Edge, job: Job) -> None:
    """Remove an integration that was taken back."""
    from app.domain.integrations import integrations

    await edge.write(NOBODY, lambda cx: integrations.purge(cx, job.subject), Deed("job", "purgeIntegration"))


KINDS: dict[str, Callable[[Edge, Job], Awaitable[None]]] = {
    blobs.REMOVE_OBJECTS: remove_objects,
    git_sync.SYNC: sync_space,
    openapi_specs.PROCESS: process_openapi,
    openapi_specs.RENEW: renew_openapi_pages,
    purging.PURGE_SPACE: purge_space,
    "deliver_task": deliver_task,
    "purge_integration": purge_integration,
}
# They wait for somebody else's server or script: several at a time, and no other job behind them.
DELIVERIES: dict[str, Callable[[Edge, Job], Awaitable[None]]] = {
    "deliver_events": deliver_events,
    "fetch_site_scripts": fetch_site_scripts,
}
LANES = (KINDS, *(DELIVERIES,) * 4)


async def run(edge: Edge, *, limit: int = 100, of: Kinds | None = None) -> int:
    """Do what is due, of these kinds or of all, at most `limit` jobs; how many were tried."""
    performed = {**KINDS, **DELIVERIES} if of is None else of
    kinds = {kind: partial(perform, edge) for kind, perform in performed.items()}
    return await jobs.run_due(edge.db, kinds, edge.clock, limit)


async def prepare_scripts(edge: Edge) -> None:
    """Make ready what scripts run in where something is installed, so that nobody waits for it."""
    try:
        if await edge.db.all(_INSTALLED):
            from app.kit import sandbox

            await sandbox.prepare()
    except Exception:
        log.exception("scripts could not be prepared")


class Worker:
    """Does what is due, every few seconds, from `start` until `stop`."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._pause = PAUSE
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin; needs a running loop."""
        self._tasks = [asyncio.create_task(self._keep_running(lane)) for lane in LANES]
        self._tasks.append(asyncio.create_task(prepare_scripts(self._edge)))

    async def stop(self) -> None:
        """End, leaving a job in hand a moment to finish; cut off, it is done again when its lease ends."""
        self._stopping.set()
        self._edge.stirred.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_running(self, lane: Kinds) -> None:
        while not self._stopping.is_set():
            try:
                if self._edge.uses.are_due(self._edge.clock()):
                    await self._edge.uses.keep(self._edge.db)
                self._edge.stirred.clear()
                done = await run(self._edge, limit=1, of=lane)
            except Exception:
                log.exception("work could not go on")
                done = 0
            if not done:
                await self._wait()

    async def _wait(self) -> None:
        if self._stopping.is_set():
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._edge.stirred.wait(), self._pause)

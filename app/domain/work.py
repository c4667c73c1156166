"""Which jobs there are, and the loop in which a serving process does them.

Where no loop runs (a function that is frozen between requests), a schedule calls `run` instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from app.access.deeds import Deed
from app.domain import blobs, git_sync, jobs, openapi_specs, purging
from app.domain.surroundings import NOBODY, Edge
from app.models.jobs import Job

log = logging.getLogger("docyard.work")
PAUSE = 3.0
GRACE = 10.0


async def purge_space(edge: Edge, job: Job) -> None:
    """Remove a deleted space for good."""
    deed = Deed("job", "purgeSpace")
    await edge.write(NOBODY, lambda cx: purging.purge_space(cx, job.subject), deed)


async def remove_objects(edge: Edge, job: Job) -> None:
    """Remove from the bucket what no row names any more."""
    await blobs.remove_objects(edge.settings, job.payload["places"])


async def sync_space(edge: Edge, job: Job) -> None:
    """Synchronise a space with its repository."""
    from app.domain import syncing  # with the whole importer, which few processes need

    await syncing.perform(edge, job)


async def process_openapi(edge: Edge, job: Job) -> None:
    """Read an OpenAPI specification."""
    from app.domain import openapi_processing  # with what fetches, which few processes need

    await openapi_processing.process(edge, job)


async def renew_openapi_pages(edge: Edge, job: Job) -> None:
    """Bring the pages that are computed from an OpenAPI specification up to date."""
    from app.domain import openapi_renewing  # with what writes content

    await openapi_renewing.renew(edge, job)


KINDS: dict[str, Callable[[Edge, Job], Awaitable[None]]] = {
    blobs.REMOVE_OBJECTS: remove_objects,
    git_sync.SYNC: sync_space,
    openapi_specs.PROCESS: process_openapi,
    openapi_specs.RENEW: renew_openapi_pages,
    purging.PURGE_SPACE: purge_space,
}


async def run(edge: Edge, *, limit: int = 100) -> int:
    """Do what is due, at most `limit` jobs; how many were tried."""
    kinds = {kind: partial(perform, edge) for kind, perform in KINDS.items()}
    return await jobs.run_due(edge.db, kinds, edge.clock, limit)


class Worker:
    """Does what is due, every few seconds, from `start` until `stop`."""

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._pause = PAUSE
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; needs a running loop."""
        self._task = asyncio.create_task(self._keep_running())

    async def stop(self) -> None:
        """End, leaving a job in hand a moment to finish; cut off, it is done again when its lease ends."""
        self._stopping.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=GRACE)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _keep_running(self) -> None:
        while not self._stopping.is_set():
            try:
                if self._edge.uses.are_due(self._edge.clock()):
                    await self._edge.uses.keep(self._edge.db)
                done = await run(self._edge, limit=1)
            except Exception:
                log.exception("work could not go on")
                done = 0
            if not done:
                await self._wait()

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), self._pause)

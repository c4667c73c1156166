"""Which jobs there are, and the loop in which a serving process does them.

Where no loop runs (a function that is frozen between requests), a schedule calls `run` instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from app.access.context import Actor, Context
from app.domain import blobs, jobs, purging
from app.kit.clock import Clock
from app.kit.db import Database
from app.kit.settings import Settings
from app.models.jobs import Job

log = logging.getLogger("docyard.work")
PAUSE = 3.0
GRACE = 10.0
NOBODY = Actor("")


class Edge(Protocol):
    """What work needs of its surroundings."""

    @property
    def db(self) -> Database:
        """The database that keeps the jobs."""

    @property
    def settings(self) -> Settings:
        """The installation's settings."""

    @property
    def clock(self) -> Clock:
        """What tells the time."""

    async def write(self, actor: Actor, call: Callable[[Context], Awaitable[Any]]) -> Any:
        """Run `call` in one transaction and commit it."""


async def purge_space(edge: Edge, job: Job) -> None:
    """Remove a deleted space for good."""
    await edge.write(NOBODY, lambda cx: purging.purge_space(cx, job.subject))


async def remove_objects(edge: Edge, job: Job) -> None:
    """Remove from the bucket what no row names any more."""
    await blobs.remove_objects(edge.settings, job.payload["places"])


KINDS: dict[str, Callable[[Edge, Job], Awaitable[None]]] = {
    blobs.REMOVE_OBJECTS: remove_objects,
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
                done = await run(self._edge, limit=1)
            except Exception:
                log.exception("work could not go on")
                done = 0
            if not done:
                await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), PAUSE)

"""Typesetting of documents: a few at a time, once for all who wait for the same one, with a cache."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from cachetools import LRUCache

from app.kit import callers
from app.kit.errors import TooLarge, Unavailable

KEPT = 128 << 20  # bytes of documents in memory
REFUSALS = 1_000
MOST_WAITING = 32
PATIENCE = 60.0  # seconds a caller waits
Stopped = Callable[[], bool]
Run = Callable[[Stopped], Awaitable[bytes]]


class PdfQueue:
    """Runs by their keys: equal keys are equal documents, forever."""

    def __init__(self, at_once: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._running: dict[str, asyncio.Task[bytes]] = {}
        self._kept: LRUCache[str, bytes] = LRUCache(KEPT, getsizeof=len)
        self._refused: LRUCache[str, str] = LRUCache(REFUSALS)
        self._stopping = threading.Event()

    async def get(self, key: str, run: Run) -> bytes:
        """Return the document that `run` sets, if it is not kept or being set already.

        Raises what it raises, and Unavailable where that takes longer than a caller waits or too many wait;
        it goes on, so that asking again later is answered.
        """
        if key in self._kept:
            return self._kept[key]
        if key in self._refused:
            raise TooLarge(self._refused[key])
        task = self._running.get(key) or self._begin(key, run)
        done, _ = await asyncio.wait([task], timeout=PATIENCE)
        if not done:
            raise Unavailable("The document is still being set; ask again in a minute.")
        return task.result()

    async def close(self) -> None:
        """Stop what runs, and wait until it has."""
        self._stopping.set()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _begin(self, key: str, run: Run) -> asyncio.Task[bytes]:
        if self._stopping.is_set() or len(self._running) >= MOST_WAITING:
            raise Unavailable("Too many documents are being set; ask again in a minute.")
        task = self._running[key] = callers.apart(self._run(run))
        task.add_done_callback(lambda task: self._end(key, task))
        return task

    async def _run(self, run: Run) -> bytes:
        async with self._free:
            if self._stopping.is_set():
                raise Unavailable("The server is stopping.")
            return await run(self._stopping.is_set)

    def _end(self, key: str, task: asyncio.Task[bytes]) -> None:
        """Keep what came out; what is too large stays so, other refusals may pass."""
        del self._running[key]
        if task.cancelled():
            return
        refusal = task.exception()
        if refusal is None:
            with suppress(ValueError):  # too large to be kept
                self._kept[key] = task.result()
        elif isinstance(refusal, TooLarge):
            self._refused[key] = refusal.message

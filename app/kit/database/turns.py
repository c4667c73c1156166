"""Queues for what only so many may have at a time: a connection, or the right to write at a place.

All are served in the order in which they came, however many there are and however slow the machine is. They
give up where nobody is served any more: then the database does not answer, or somebody holds what is waited
for.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.kit.errors import Unavailable


class Patience:
    """The time for which somebody waits, for one thing after another.

    It ends `limit` seconds after it began, or after somebody before them was served.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._since = asyncio.get_running_loop().time()

    def renew(self, at: float) -> None:
        """Wait on, since somebody was served at this time of the loop."""
        self._since = max(self._since, at)

    @property
    def left(self) -> float:
        """Return the seconds that are left, at least none."""
        return max(0.0, self._since + self._limit - asyncio.get_running_loop().time())


class OrderedTurns:
    """OrderedTurns at something that at most `number` may have at the same time."""

    def __init__(self, number: int = 1) -> None:
        self._free = number
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.served_at = 0.0
        """The time of the loop when somebody was served last."""

    @property
    def is_free(self) -> bool:
        """Return True if a turn can be had without waiting."""
        return self._free > 0

    @property
    def waiting(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def note_progress(self) -> None:
        """Let those who wait do so for longer, since the one before them gets on."""
        self.served_at = asyncio.get_running_loop().time()

    @asynccontextmanager
    async def taken(self, patience: Patience) -> AsyncIterator[None]:
        """Hold a turn until the end of the block; raises TimeoutError where the patience ends first."""
        if not self.take_free():
            await self._wait(patience)
        try:
            yield
        except (Unavailable, TimeoutError, asyncio.CancelledError):
            self.leave()
            raise
        except BaseException:  # was answered, though it does not like the answer
            self.note_progress()
            self.leave()
            raise
        self.note_progress()
        self.leave()

    def take_free(self) -> bool:
        """Take a turn if one is free; `leave` ends it."""
        if self._free == 0:
            return False
        self._free -= 1
        return True

    def leave(self) -> None:
        """End a turn: the next who waits has it."""
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():
                following.set_result(None)
                return
        self._free += 1

    async def _wait(self, patience: Patience) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            while not place.done():
                if not patience.left:
                    raise TimeoutError
                await asyncio.wait([place], timeout=patience.left)
                patience.renew(self.served_at)
        except BaseException:
            if place.done():  # has the turn already, and does not want it any more
                self.leave()
            else:
                self._waiting.remove(place)
            raise

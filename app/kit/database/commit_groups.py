"""Writes that share one commit, and waiting for it."""

from __future__ import annotations

import asyncio
from typing import Any

from app.kit.errors import Unavailable


class CommitGroup:
    """Writes that share one commit; `committed` tells all of them how it ended."""

    def __init__(self) -> None:
        self.size = 0
        self.committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, error: BaseException) -> None:
        """Tell that nothing of it was stored."""
        self.committed.set_exception(Unavailable(f"The change could not be stored: {type(error).__name__}."))
        self.committed.exception()  # seen: whoever waits raises it, nobody else need complain


async def despite_cancellation(task: asyncio.Task[Any]) -> asyncio.CancelledError | None:
    """Wait until a task has ended, whoever is cancelled meanwhile; returns the cancellation."""
    gone = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as cancelled:
            gone = cancelled
    return gone

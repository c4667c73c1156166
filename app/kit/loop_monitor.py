"""Writes to the log what blocked the event loop: for how long, which request, and where in the code.

A thread asks the loop for a sign of life, now and then. While that does not come, it looks at what the loop's
thread is doing, and tells what it saw last. As long as nothing blocks, that is a few switches between threads
a second; a request costs being noted as begun and ended.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

log = logging.getLogger("docyard.loop")
MOST_FRAMES = 20
MOST_REQUESTS = 5  # that are named where none is known to have blocked
_ROOT = Path(__file__).parents[2]
Scope = dict[str, Any]


class LoopMonitor:
    """Watches the event loop that `start` is called on, until `stop`.

    `seconds` is how long it may be blocked. `name_of` names what a request asks for without ids or secrets.
    """

    def __init__(self, seconds: float, name_of: Callable[[Any], str]) -> None:
        self.requests: dict[asyncio.Task[Any] | None, Any] = {}
        """What each task answers; whoever begins and ends one keeps this."""
        self._seconds = seconds
        self._name_of = name_of
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch the running loop; without seconds there is nothing to watch."""
        if not self._seconds:
            return
        watched = (asyncio.get_running_loop(), threading.get_ident())
        self._thread = threading.Thread(target=self._watch, args=watched, name="docyard-loop", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stopping.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        while not self._stopping.wait(self._seconds):
            alive, asked = threading.Event(), time.monotonic()
            try:
                loop.call_soon_threadsafe(alive.set)
            except RuntimeError:  # the loop is closed
                return
            found: dict[str, Any] = {}
            while not alive.wait(self._seconds) and not self._stopping.is_set():
                doing = self._doing(asyncio.current_task(loop))
                found = {**doing, "stack": _stack(sys._current_frames().get(thread))}
            if found:
                facts = {"seconds": round(time.monotonic() - asked, 2), **found}
                log.warning("the event loop was blocked", extra={"facts": facts})

    def _doing(self, task: asyncio.Task[Any] | None) -> dict[str, Any]:
        """The request that the running task answers; those that are answered, where that is not known."""
        if task in self.requests:
            return {"doing": self._name_of(self.requests[task])}
        return {"among": [self._name_of(scope) for scope in list(self.requests.values())[:MOST_REQUESTS]]}


def _stack(frame: FrameType | None) -> list[str]:
    """Return where in our code a thread is, the innermost first."""
    found: list[str] = []
    while frame is not None and len(found) < MOST_FRAMES:
        place = Path(frame.f_code.co_filename)
        if not found or place.is_relative_to(_ROOT / "app"):
            shown = place.relative_to(_ROOT) if place.is_relative_to(_ROOT) else place.name
            found.append(f"{shown}:{frame.f_lineno} {frame.f_code.co_qualname}")
        frame = frame.f_back
    return found

"""The worker pool: computing whose time callers choose leaves the event loop, within bounds.

`run` is told the size of what is read, in characters. Small work begins on the event loop, since handing it
over costs more than most of it takes; what is not done when `MOMENT` is over, which all small work of one
turn of the loop shares, begins again in a thread. There are two pools of threads, so that large bodies never
stand before small ones; a small body that takes as long as a large one moves over to their pool, and what
runs in a transaction has a pool of its own. Whatever runs here is therefore a function that may be started
again, and calls `deadlines.check` in its loops, and `deadlines.leave_loop` before it loads a large module.
`run_long` is for whole trees of files, in a fourth pool.

Threads share the interpreter: they do not compute faster than the event loop would, but leave it free. It
gets its turn within `SWITCH` for each thread that computes, which is why they are few.
"""

from __future__ import annotations

import asyncio
import math
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import TypeVar

from app.kit import callers
from app.kit.deadlines import Deadline, Overdue, until
from app.kit.errors import OverBudget, Unavailable

T = TypeVar("T")
_loaded: set[str] = set()

INLINE = 4_000  # characters up to which work begins on the event loop
MOMENT = 0.02  # seconds of computing that all of it may take in one turn of the loop
SMALL = 50_000  # characters up to which work begins in the pool of small bodies
LARGE = 200_000  # characters up to which rows are read, and shown, on the event loop
SHORT = 1.0  # seconds of computing that it may take there
MOST_WAITING = 64  # pieces of work that wait for a thread of a pool
PATIENCE = 30.0  # seconds that a piece of work waits
LONG = 120.0  # seconds of computing, and of waiting, for work on a whole tree of files
SWITCH = 0.001  # seconds after which a thread that computes lets another go on


@dataclass(slots=True)
class PoolLimits:
    """The limits of a process: threads of each pool, and seconds of computing for one piece of work."""

    threads: int = 2
    seconds: float = 10.0


limits = PoolLimits()
"""Of this process; the threads count from the first large work on."""


async def run(size: int, call: Callable[..., T], *arguments: object, seconds: float = math.inf) -> T:
    """Call a pure function that reads `size` characters, apart from the event loop where it takes long.

    Raises OverBudget where it takes more than `seconds` of computing, or than the process allows, Unavailable
    where too much else waits, and Disconnected where the caller of the request went away meanwhile.
    """
    seconds = min(seconds, limits.seconds)
    work = partial(call, *arguments)
    if size <= INLINE and (left := _turn.left()) > 0:
        deadline = Deadline(min(left, seconds), on_loop=True)
        try:
            with until(deadline):
                return work()
        except Overdue:
            pass
        finally:
            _turn.spend(deadline.used)
    own = _own_pool.get()
    try:
        if not own and size <= SMALL and seconds > SHORT:
            try:
                return await _pool("small").run(Deadline(SHORT), work)
            except Overdue:
                pass
        return await _pool(own or "large").run(Deadline(seconds), work)
    except Overdue:
        raise _over(seconds) from None


async def run_long(call: Callable[..., T], *arguments: object) -> T:
    """Call a function that reads or writes a whole tree of files, as imports and exports do.

    It has threads in which nothing else runs. Raises what `run` raises; the time is `LONG`.
    """
    try:
        return await _pool("trees").run(Deadline(LONG), partial(call, *arguments), LONG)
    except Overdue:
        raise _over(LONG) from None


async def load(*modules: str) -> None:
    """Import modules that take a while to load, before they are imported where they are used."""
    for name in modules:
        if name not in _loaded:  # `sys.modules` has those that another thread is still loading
            await prepare(import_module, name)
            _loaded.add(name)


async def prepare(call: Callable[..., T], *arguments: object) -> T:
    """Call a function in a thread that makes something once per process; no caller's text stands before it.

    It goes on when the caller of the request goes away.
    """
    return await callers.apart(_pool("once").run(Deadline(math.inf), partial(call, *arguments)))


class _Turn(threading.local):
    """The rest of the time for small work until the event loop of this thread comes round again."""

    def __init__(self) -> None:
        self._left = MOMENT

    def left(self) -> float:
        return self._left

    def spend(self, seconds: float) -> None:
        if self._left == MOMENT:
            asyncio.get_running_loop().call_soon(self._renew)
        self._left -= seconds

    def _renew(self) -> None:
        self._left = MOMENT


_turn = _Turn()


_own_pool: ContextVar[str] = ContextVar("pool", default="")


class in_own_pool:
    """Let what is begun inside have a pool of this name to itself: others wait behind who holds a lock."""

    __slots__ = ("_mark", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._mark = _own_pool.set(self._name)

    def __exit__(self, *_raised: object) -> None:
        _own_pool.reset(self._mark)


@cache
def _pool(name: str) -> ThreadPool:
    # Everybody who calls first waits for what is made once: these are few computations, however many wait.
    return ThreadPool(name, sys.maxsize if name == "once" else limits.threads + MOST_WAITING)


class ThreadPool:
    """A few threads, and a queue before them: `places` is how many pieces of work there may be."""

    def __init__(self, name: str, places: int) -> None:
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH))
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix=f"docyard-{name}")
        self._places = threading.BoundedSemaphore(places)

    async def run(self, deadline: Deadline, work: Callable[[], T], patience: float | None = None) -> T:
        """Run some work in a thread; it ends early where its task is cancelled or its caller goes away.

        It waits for a thread for `patience` seconds. Raises Overdue, Unavailable and Disconnected, and what
        the work raises.
        """
        if not self._places.acquire(blocking=False):
            raise _busy()
        latest = time.monotonic() + (PATIENCE if patience is None else patience)
        begun = partial(_begun, deadline, latest, work)
        submitted = self._threads.submit(copy_context().run, begun)
        submitted.add_done_callback(lambda _done: self._places.release())
        running = asyncio.wrap_future(submitted)
        try:
            return await callers.wait(running)
        finally:
            deadline.cancel()
            running.cancel()


def _begun(deadline: Deadline, latest: float, work: Callable[[], T]) -> T:
    """Do some work in this thread, unless it waited for too long or nobody waits for it."""
    if time.monotonic() > latest:
        raise _busy()
    with until(deadline):
        deadline.check()
        return work()


def _over(seconds: float) -> OverBudget:
    return OverBudget(f"This takes more than the {seconds:g} seconds that it may take.")


def _busy() -> Unavailable:
    return Unavailable("The server is busy with other large texts; try again in a moment.")

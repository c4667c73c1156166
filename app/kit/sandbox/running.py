"""Calls scripts: computing goes to threads of its own, waiting happens here, and places are shared out.

Rules that live here: only so many scripts live at once and only so many compute; one owner's scripts leave a
thread and half the places to others; a call ends when its seconds are over, whatever it waits for.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import os
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial

from app.kit.http.outbound import OutboundError
from app.kit.sandbox.engine import Machine, SandboxMissing, new_machine
from app.kit.sandbox.guest import Images, new_images
from app.kit.sandbox.host import shown
from app.kit.sandbox.session import FetchOutcome, PendingFetch, Session
from app.kit.sandbox.shapes import PLACES, Budget, Code, Fetch, ScriptRequest, ScriptResult

log = logging.getLogger("docyard.sandbox")
COMPUTING = max(2, min(4, os.cpu_count() or 2))

FETCHING = 4  # fetches of one call at once; each holds its answer in memory


class NoFreeSlot(Exception):
    """No place became free in time."""


@dataclass(slots=True)
class Owner:
    """One owner's share of the places."""

    living: asyncio.Semaphore
    computing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(COMPUTING - 1))
    scripts: int = 0


@dataclass(slots=True)
class ScriptSlots:
    """The places of one event loop: so many scripts live at once."""

    count: int
    living: asyncio.Semaphore = field(init=False)
    owners: dict[str, Owner] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.living = asyncio.Semaphore(self.count)

    @asynccontextmanager
    async def place(self, name: str, seconds: float) -> AsyncIterator[Owner]:
        """Hold a place for a script of this owner. Raises NoFreeSlot when none is free in time."""
        owner = self.owners.get(name)
        if owner is None:
            owner = self.owners[name] = Owner(asyncio.Semaphore(max(1, self.count // 2)))
        owner.scripts += 1
        try:
            await self._enter(owner, seconds)
            try:
                yield owner
            finally:
                self.living.release()
                owner.living.release()
        finally:
            owner.scripts -= 1
            if not owner.scripts:
                self.owners.pop(name, None)

    async def _enter(self, owner: Owner, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await owner.living.acquire()
                try:
                    await self.living.acquire()
                except BaseException:
                    owner.living.release()
                    raise
        except TimeoutError:
            raise NoFreeSlot from None


_PLACES: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, ScriptSlots]] = (
    weakref.WeakKeyDictionary()
)
_LOCK = threading.Lock()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(COMPUTING, thread_name_prefix="sandbox")


_PREPARED: list[tuple[Machine, Images]] = []
atexit.register(_PREPARED.clear)  # the library cannot take its things apart once Python has begun to


def _prepared() -> tuple[Machine, Images]:
    """Return the engine and the images, made by whoever comes first. Raises SandboxMissing."""
    with _LOCK:
        if not _PREPARED:
            machine = new_machine()
            _PREPARED.append((machine, new_images(machine)))
        return _PREPARED[0]


async def prepare() -> None:
    """Compile the engine before the first call needs it, which takes about a second unless packaging did so.

    Without the extra `integrations` nothing happens: calls will tell.
    """
    with suppress(SandboxMissing):
        await asyncio.get_running_loop().run_in_executor(_threads(), _prepared)


async def run(
    script: str,
    request: ScriptRequest | None,
    *,
    environment: dict[str, object] | None = None,
    owner: str = "",
    budget: Budget | None = None,
    fetch: Fetch | None = None,
    places: int = PLACES,
) -> ScriptResult:
    """Call the `fetch` of a script with a request; `environment` is its second argument, `env`.

    Without a request the script is only loaded, to see whether it can be.

    At most `places` scripts live at once, each with the memory of its budget, and those of one `owner` never
    take more than half of the places. Waits for a place at most for the budget's seconds. Without `fetch` a
    script cannot reach the network. Returns when what was given to `ctx.waitUntil` is settled too.

    Never raises because of the script: what went wrong is in the result. May be awaited from any event loop.
    """
    budget = budget or Budget()
    loop = asyncio.get_running_loop()
    held = _PLACES.setdefault(loop, {})
    here = held.get(places) or held.setdefault(places, ScriptSlots(places))
    session = Session(script, request, environment or {}, budget)
    began = time.monotonic()
    try:
        machine, images = _PREPARED[0] if _PREPARED else await loop.run_in_executor(_threads(), _prepared)
        async with here.place(owner, budget.seconds) as share:
            began = time.monotonic()
            try:
                await _RunningScript(session, share, fetch, began + budget.seconds).drive(machine, images)
            finally:
                if not session.released:
                    _threads().submit(session.close)
    except SandboxMissing as missing:
        return _failed(session, "SANDBOX_MISSING", str(missing), began)
    except NoFreeSlot:
        return _failed(session, "SANDBOX_BUSY", "Too many scripts are running.", began)
    return _result(session, began)


def _failed(session: Session, code: Code, message: str, began: float) -> ScriptResult:
    session.fail(code, message)
    return _result(session, began)


def _result(session: Session, began: float) -> ScriptResult:
    duration = (time.monotonic() - began) * 1000
    lines = session.trace.lines
    if session.error is None and session.answer is not None:
        status, headers, body = session.answer
        return ScriptResult(status, headers, body, lines, duration=duration)
    if session.error is None and session.request is None:
        return ScriptResult(logs=lines, duration=duration)
    code, message = session.error or ("SCRIPT_FAILED", "The script gave no answer.")
    return ScriptResult(logs=lines, error=code, message=message, duration=duration)


@dataclass(slots=True)
class _RunningScript:
    """A session being driven to its end."""

    session: Session
    share: Owner
    fetch: Fetch | None
    ends: float
    fetching: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(FETCHING))
    under_way: set[asyncio.Task[FetchOutcome]] = field(default_factory=set)

    async def drive(self, machine: Machine, images: Images) -> None:
        session = self.session
        try:
            await self._compute(partial(session.begin, machine, images))
            while not session.finished:
                self._send()
                arrived = await self._wait()
                if arrived is None:
                    break
                await self._compute(partial(session.go_on, arrived))
        finally:
            for task in self.under_way:
                task.cancel()

    @property
    def left(self) -> float:
        return self.ends - time.monotonic()

    async def _compute(self, work: Callable[[float], None]) -> None:
        """Run one turn on a thread; its time is measured from its start, not from when it was queued."""
        async with self.share.computing:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(_threads(), lambda: work(self.left))

    def _send(self) -> None:
        wishes, self.session.wishes = self.session.wishes, []
        for wish in wishes:
            self.under_way.add(asyncio.create_task(self._fetched(wish)))

    async def _fetched(self, wish: PendingFetch) -> FetchOutcome:
        try:
            if self.fetch is None:
                raise OutboundError("FETCH_ERROR", "There is no network here.")
            async with self.fetching:
                left = self.session.allowance.left
                fetched = await self.fetch(replace(wish.asked, max_bytes=left, seconds=self.left))
                self.session.allowance.spend(len(fetched.body))
            return FetchOutcome("answered", *shown(wish.id, fetched, wish.asked.url))
        except OutboundError as error:
            return _refusal(wish, error.message)
        except Exception:
            log.exception("a script's fetch failed")
            return _refusal(wish, "The request failed.")

    async def _wait(self) -> list[FetchOutcome] | None:
        """Return what arrives next; nothing when it is time for a timer, None when the call is over."""
        timer = self.session.next_timer
        if not self.under_way and timer is None:
            self.session.fail_waiting()
            return None
        patience = max(0.0, min(self.left, self.left if timer is None else timer))
        if self.under_way:
            done, self.under_way = await asyncio.wait(
                self.under_way, timeout=patience, return_when=asyncio.FIRST_COMPLETED
            )
        else:
            done = set()
            await asyncio.sleep(patience)
        if self.left <= 0:
            self.session.fail("SCRIPT_TIMEOUT", "The script took too long.")
            return None
        return [task.result() for task in done]


def _refusal(wish: PendingFetch, message: str) -> FetchOutcome:
    return FetchOutcome("refused", json.dumps({"id": wish.id, "message": message}))

"""The caller of a request: its address, its browser, whether it still waits, and the scripts behind it.

A request that a script makes carries the number of scripts that wait for its answer. A script that calls
itself would otherwise never end: each call hands over to the next before its own time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextvars import ContextVar, copy_context
from ipaddress import ip_address
from typing import Any, Generic, TypeVar

from app.kit.errors import Disconnected

T = TypeVar("T")
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


def address_of(scope: Mapping[str, Any], proxies: int = 0) -> str | None:
    """Return the caller's address, as the connection has it or, behind so many proxies,
    as the outermost saw it.

    Each proxy adds to the end of `X-Forwarded-For` whom it was called by; what stands before that is
    anybody's word.
    """
    peer = (scope.get("client") or (None,))[0]
    if not proxies:
        return peer
    given = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
    entries = [entry.strip() for entry in given.decode("latin-1").split(",")]
    try:
        return str(ip_address(entries[-min(proxies, len(entries))]))
    except ValueError:
        return peer


class CallerConnection:
    """The connection of a request: read as ASGI has it, and asked whether the caller is still there."""

    __slots__ = ("_early", "_is_read", "_receive")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_read = False
        self._early: list[Message] = []  # one or two

    async def receive(self) -> Message:
        """Return the next message of the request."""
        return self._early.pop(0) if self._early else await self._next()

    async def closed(self) -> None:
        """Wait until the caller goes away, which cannot be seen before the whole body was received."""
        while not self._early or self._early[-1]["type"] != "http.disconnect":
            if self._early and not self._is_read:
                await asyncio.Event().wait()  # a body on its way is left to whoever reads it
            self._early.append(await self._next())

    async def _next(self) -> Message:
        message = await self._receive()
        self._is_read = self._is_read or not message.get("more_body", False)
        return message


connection: ContextVar[CallerConnection | None] = ContextVar("connection", default=None)


async def wait(running: asyncio.Future[T]) -> T:
    """Return the result of some work; raise Disconnected where the caller of the request goes away first."""
    caller = connection.get()
    if caller is None:
        await asyncio.wait((running,))
        return running.result()
    closed = asyncio.ensure_future(caller.closed())
    try:
        await asyncio.wait((running, closed), return_when=asyncio.FIRST_COMPLETED)
    finally:
        closed.cancel()
    if running.done():
        return running.result()
    raise Disconnected("The caller went away.")


def apart(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin a task that goes on when the caller of the request that began it goes away."""
    context = copy_context()
    context.run(connection.set, None)
    return asyncio.create_task(work, context=context)


class SharedWork(Generic[T]):
    """Work that several callers wait for: it goes on while one of them does, and ends with the last."""

    __slots__ = ("_task", "_waiting")

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._task = apart(work)
        self._waiting = 0

    @property
    def is_over(self) -> bool:
        """Tell whether nobody can wait for this any more: it has ended, or is about to."""
        return self._task.done() or self._task.cancelling() > 0

    async def result(self) -> T:
        """Wait for the result. Raises what the work raises, and Disconnected where this caller goes away."""
        self._waiting += 1
        try:
            return await wait(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._task.cancel()


SCRIPTS_HEADER = "x-docyard-scripts"
MAX_WAITING_SCRIPTS = 3  # scripts that wait for each other

waiting_scripts: ContextVar[int] = ContextVar("scripts_behind", default=0)


def waiting_scripts_of(value: bytes) -> int:
    """Return what the header of a request says; whoever says nonsense is nobody's script."""
    return int(value) if value.isdigit() and len(value) < 4 else 0


_BROWSERS = (  # the first that is found: most call themselves by the names of others, too
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
LONGEST = 60


def browser_name(user_agent: str | None) -> str | None:
    """Return the browser and its system, such as “Firefox on Linux”; what else a program calls itself, cut
    to its first word; None where it says nothing."""
    text = "".join(c for c in user_agent or "" if c.isprintable()).strip()
    if not text:
        return None
    browser = next((name for sign, name in _BROWSERS if sign in text), None)
    system = next((name for sign, name in _SYSTEMS if sign in text), None)
    if browser is None:
        return text.split()[0][:LONGEST]
    return f"{browser} on {system}" if system else browser

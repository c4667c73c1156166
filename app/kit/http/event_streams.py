"""Streams of server-sent events, as GraphQL over SSE has them in its distinct connections mode.

A stream is one response: `next` for each result, `complete` at its end. Each result has the `id` to go on
after, which browsers send as `Last-Event-ID` when they connect again. A stream that is interrupted, for the
server stops, ends without `complete`: clients connect again by themselves.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field

from app.kit.callers import Message, Receive
from app.kit.errors import Problem, TooManyRequests, Unavailable
from app.kit.http.headers import NO_STORE, Application, Send

KEEP_ALIVE = 15.0  # seconds without an event after which a comment shows that both ends are there
AFTERWARDS = "docyard.streams"  # in the scope of a request: those that go on when it is answered
RETRY_AFTER = 10  # seconds
LONGEST_ID = 100  # characters
COMPLETE = b"event: complete\ndata:\n\n"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", f"{NO_STORE}, no-transform".encode()),  # nobody keeps it, and no proxy compresses it
    (b"x-accel-buffering", b"no"),  # nginx passes on each event at once
]


class Interrupted(Unavailable):
    """A stream ends before it is complete; connecting again goes on after the last event."""


@dataclass(slots=True, frozen=True)
class StreamEvent:
    """A result as JSON, with the id to go on after."""

    data: bytes
    id: str | None = None


def encode(event: StreamEvent) -> bytes:
    """Return a `next` event. JSON has no line breaks outside of its strings, and escapes those within."""
    assert b"\n" not in event.data
    return b"event: next\n" + _id_line(event.id) + b"data: " + event.data + b"\n\n"


def encode_position(id: str | None) -> bytes:
    """Return what keeps a connection alive: a comment, and perhaps the id to go on after. It is no event."""
    return b":\n" + _id_line(id) + b"\n"


def _id_line(id: str | None) -> bytes:
    return f"id: {id}\n".encode() if id is not None else b""


def last_event_id(headers: Mapping[str, str]) -> str | None:
    """Return the id that a client which connects again goes on after, if it says one."""
    return headers.get("last-event-id", "")[:LONGEST_ID].strip() or None


class StreamPlace:
    """The place of an open stream among those that there may be."""

    __slots__ = ("_caller", "_limits")

    def __init__(self, limits: StreamLimits, caller: str) -> None:
        self._limits: StreamLimits | None = limits
        self._caller = caller

    def release(self) -> None:
        """Leave the place to another stream."""
        limits, self._limits = self._limits, None
        if limits is not None:
            limits.release(self._caller)


@dataclass(slots=True)
class StreamLimits:
    """The most streams at a time: of this process, and of one caller."""

    most: int
    most_of_caller: int
    _open: Counter[str] = field(default_factory=Counter)
    _total: int = 0

    def take(self, caller: str) -> StreamPlace:
        """Take a place for a stream of a caller; raises TooManyRequests or Unavailable without one."""
        if self._open[caller] >= self.most_of_caller:
            raise TooManyRequests(
                f"You have {self.most_of_caller} streams open; close one first.", RETRY_AFTER
            )
        if self._total >= self.most:
            raise Unavailable("The server has as many streams open as it may; try again later.", RETRY_AFTER)
        self._open[caller] += 1
        self._total += 1
        return StreamPlace(self, caller)

    def release(self, caller: str) -> None:
        """Count a stream less."""
        self._total -= 1
        self._open[caller] -= 1
        if not self._open[caller]:
            del self._open[caller]


@dataclass(slots=True, eq=False)
class EventStream:
    """An ASGI response that sends what a generator gives until that ends or the client goes away.

    What the generator raises is told by `failed`, as the data of a last event. In the end the generator is
    closed and `close` called, also where nothing was sent. `position` gives the id to go on after while there
    are no events. While it waits it is one task for events, one for the client, and a timer.
    """

    events: AsyncGenerator[StreamEvent, None]
    failed: Callable[[Problem], bytes]
    close: Callable[[], None] = lambda: None
    position: Callable[[], str | None] = lambda: None
    keep_alive: float = KEEP_ALIVE
    _send: Send = field(init=False)
    _task: asyncio.Task[object] | None = field(default=None, init=False)
    _was_sent: bool = field(default=False, init=False)  # since the last beat
    _beat: asyncio.TimerHandle | None = field(default=None, init=False)
    _comment: asyncio.Task[None] | None = field(default=None, init=False)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request whose body was read: begin, and go on now or after the application."""
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        except BaseException:
            self.close()
            raise
        if AFTERWARDS in scope:
            scope[AFTERWARDS].append(self)
        else:
            await self.go_on(receive, send)

    async def go_on(self, receive: Receive, send: Send) -> None:
        """Send the events, to their end or the client's."""
        self._send, self._task = send, asyncio.current_task()
        gone = asyncio.ensure_future(_disconnected(receive))
        gone.add_done_callback(self._stop)
        try:
            await self._write(encode_position(self.position()))
            self._keep_beating()
            await self._send_all()
        except asyncio.CancelledError:
            if self._task is not None or asyncio.current_task().uncancel():  # type: ignore[union-attr]
                raise  # somebody else ends the request
        finally:
            self._task = None
            gone.cancel()
            for later in (self._beat, self._comment):
                if later is not None:
                    later.cancel()
            self.close()
            await self.events.aclose()
        await self._write(b"", more=False)

    async def _send_all(self) -> None:
        try:
            async for event in self.events:
                await self._write(encode(event))
                await asyncio.sleep(0)  # neither of the two may have waited for anything
            await self._write(COMPLETE)
        except Interrupted:
            return
        except Problem as problem:
            await self._write(encode(StreamEvent(self.failed(problem))) + COMPLETE)

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        self._was_sent = True
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    def _stop(self, gone: asyncio.Future[None]) -> None:
        """End the stream when the client goes away."""
        task, self._task = self._task, None
        if task is not None and not gone.cancelled():
            task.cancel()

    def _keep_beating(self) -> None:
        """Send a comment now and then, unless something was sent meanwhile or the client does not read."""
        if not self._was_sent and (self._comment is None or self._comment.done()):
            self._comment = asyncio.ensure_future(self._write(encode_position(self.position())))
        self._was_sent = False
        self._beat = asyncio.get_running_loop().call_later(self.keep_alive, self._keep_beating)


class StreamsAfterwards:
    """ASGI middleware that goes on with a stream when the application has begun it and returned.

    So what the application needed for the request is given back, and not kept for as long as the stream.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        begun: list[EventStream] = []
        scope[AFTERWARDS] = begun
        try:
            await self._app(scope, receive, send)
        except BaseException:
            for stream in begun:
                stream.close()
            raise
        for stream in begun:
            await stream.go_on(receive, send)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

"""Streams of server-sent events, as GraphQL over SSE has them in its distinct connections mode.

A stream is one response: `next` for each result, `complete` at its end. Each result has the `id` to go on
after, which browsers send as `Last-Event-ID` when they connect again. A stream that is interrupted, for the
server stops, ends without `complete`: clients connect again by themselves.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from app.kit.errors import Problem, TooManyRequests, Unavailable
from app.kit.http.callers import Message, Receive
from app.kit.http.headers import NO_STORE, Send

log = logging.getLogger("docyard.streams")
KEEP_ALIVE = 15.0  # seconds without an event after which a comment shows that both ends are there
RETRY_AFTER = 10  # seconds
LONGEST_ID = 100  # characters
COMPLETE = b"event: complete\ndata:\n\n"
HEADERS: Mapping[str, str] = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": f"{NO_STORE}, no-transform",  # nobody keeps it, and no proxy compresses it
    "x-accel-buffering": "no",  # nginx passes on each event at once
}


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


@dataclass(slots=True)
class StreamLimits:
    """How many streams there may be at a time: of this process, and of one caller."""

    most: int
    most_of_caller: int
    _open: Counter[str] = field(default_factory=Counter)
    _total: int = 0

    @contextmanager
    def place(self, caller: str) -> Iterator[None]:
        """Take a place until the end of the block; raises TooManyRequests or Unavailable without one."""
        if self._open[caller] >= self.most_of_caller:
            raise TooManyRequests(
                f"You have {self.most_of_caller} streams open; close one first.", RETRY_AFTER
            )
        if self._total >= self.most:
            raise Unavailable("The server has as many streams open as it may; try again later.", RETRY_AFTER)
        self._open[caller] += 1
        self._total += 1
        try:
            yield
        finally:
            self._total -= 1
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]


@dataclass(slots=True)
class EventStream:
    """An ASGI response that sends what a generator gives until that ends or the client goes away.

    What the generator raises is told by `failed`, as the data of a last event. In the end the generator is
    closed and `close` called, also where nothing was sent. `position` gives the id to go on after while there
    are no events.
    """

    events: AsyncGenerator[StreamEvent, None]
    failed: Callable[[Problem], bytes]
    close: Callable[[], None] = lambda: None
    position: Callable[[], str | None] = lambda: None
    keep_alive: float = KEEP_ALIVE

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request whose body was read."""
        headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await _send(send, encode_position(self.position()))
            await self._send_all(send, gone)
        finally:
            gone.cancel()
            self.close()
            await self.events.aclose()
        await _send(send, b"", more=False)

    async def _send_all(self, send: Send, gone: asyncio.Future[None]) -> None:
        upcoming: asyncio.Future[StreamEvent | None] | None = None
        try:
            while not gone.done():
                upcoming = upcoming or asyncio.ensure_future(_next(self.events))
                await asyncio.wait((upcoming, gone), timeout=self.keep_alive, return_when="FIRST_COMPLETED")
                if not upcoming.done():
                    await _send(send, encode_position(self.position()))
                    continue
                event, upcoming = upcoming.result(), None
                if event is None:
                    await _send(send, COMPLETE)
                    return
                await _send(send, encode(event))
        except Interrupted as interrupted:
            log.info("a stream was interrupted: %s", interrupted.message)
        except Problem as problem:
            await _send(send, encode(StreamEvent(self.failed(problem))) + COMPLETE)
        finally:
            if upcoming is not None:
                upcoming.cancel()
                with suppress(asyncio.CancelledError, Problem):
                    await upcoming


async def _next(events: AsyncGenerator[StreamEvent, None]) -> StreamEvent | None:
    return await anext(events, None)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(send: Send, data: bytes, *, more: bool = True) -> None:
    message: dict[str, Any] = {"type": "http.response.body", "body": data, "more_body": more}
    await send(message)

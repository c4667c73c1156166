"""Server-sent events over a real socket: what is sent, when a stream ends, and what it leaves behind."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
import httpx
import pytest
import uvicorn

from app.kit.errors import Forbidden, Problem
from app.kit.http.event_streams import (
    EventStream,
    Interrupted,
    StreamEvent,
    StreamsAfterwards,
    last_event_id,
)
from tests.timing import TIMEOUT, until

Events = Callable[[], AsyncGenerator[StreamEvent, None]]


@dataclass
class Served:
    """Where streams of some events are, and what became of them."""

    port: int = 0
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def whole(self) -> str:
        """A stream to its end."""
        return httpx.get(f"http://127.0.0.1:{self.port}/", timeout=TIMEOUT).text

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        """A connection that has asked for a stream."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            yield connection


@contextmanager
def serving(events: Events, *, keep_alive: float = 60.0, afterwards: bool = True) -> Iterator[Served]:
    """A server that answers everything with a stream of these events."""
    served = Served()

    async def noting() -> AsyncGenerator[StreamEvent, None]:
        try:
            async for event in events():
                served.begun.append(event.data.decode())
                yield event
        finally:
            served.ended.append("generator")

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        failed: Callable[[Problem], bytes] = lambda problem: f'"{problem.code}"'.encode()  # noqa: E731
        closed = lambda: served.ended.append("close")  # noqa: E731
        await EventStream(noting(), failed, closed, lambda: "7", keep_alive)(scope, receive, send)
        served.ended.append("application")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        served.port = listener.getsockname()[1]
        whole = StreamsAfterwards(app) if afterwards else app
        server = uvicorn.Server(uvicorn.Config(whole, lifespan="off", log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        until(lambda: server.started, "the server does not start")
        yield served
        server.should_exit = True
        thread.join(TIMEOUT)
        assert not thread.is_alive(), "a stream keeps the server from ending"


async def two() -> AsyncGenerator[StreamEvent, None]:
    """Two events, and the end."""
    yield StreamEvent(b'{"n":1}', "1")
    yield StreamEvent(b'{"n":2}')


async def never() -> AsyncGenerator[StreamEvent, None]:
    """One event, and then a wait for ever."""
    yield StreamEvent(b'{"n":1}', "1")
    await anyio.sleep_forever()


async def endless() -> AsyncGenerator[StreamEvent, None]:
    """Event after event."""
    while True:
        yield StreamEvent(b'"' + b"x" * 10_000 + b'"')


@pytest.mark.parametrize("afterwards", [True, False])
def test_a_stream_has_its_events_and_is_complete(afterwards: bool) -> None:
    with serving(two, afterwards=afterwards) as served:
        expected = ':\nid: 7\n\nevent: next\nid: 1\ndata: {"n":1}\n\nevent: next\ndata: {"n":2}\n\n'
        assert served.whole() == f"{expected}event: complete\ndata:\n\n"
        in_order = (
            ["application", "generator", "close"] if afterwards else ["generator", "close", "application"]
        )
        assert served.ended == in_order


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (Forbidden("No more."), 'event: next\ndata: "FORBIDDEN"\n\nevent: complete\ndata:\n\n'),
        (Interrupted("Later."), ""),
    ],
)
def test_what_ends_a_stream_is_told_unless_clients_should_connect_again(raised: Problem, told: str) -> None:
    async def failing() -> AsyncGenerator[StreamEvent, None]:
        yield StreamEvent(b"1", "1")
        raise raised

    with serving(failing) as served:
        assert served.whole() == f":\nid: 7\n\nevent: next\nid: 1\ndata: 1\n\n{told}"
        assert "close" in served.ended


def test_a_client_that_goes_away_ends_its_stream(caplog: pytest.LogCaptureFixture) -> None:
    with serving(never) as served:
        with served.connected() as connection:
            until(lambda: served.begun, "nothing is sent")
            assert connection.recv(10)
        until(lambda: {"generator", "close"} <= set(served.ended), "the stream goes on")
    assert not caplog.records


def test_a_stream_that_waits_says_so() -> None:
    with serving(never, keep_alive=0.05) as served, served.connected() as connection:
        received = b""
        while received.count(b":\nid: 7\n\n") < 4:
            received += connection.recv(1000)
        assert received.count(b"event: next") == 1


def test_a_client_that_does_not_read_holds_up_its_own_events_only() -> None:
    """Though the events themselves never wait for anything."""
    with serving(endless, keep_alive=0.02) as served, served.connected():
        until(lambda: served.begun, "nothing is sent")
        before = -1
        while before != len(served.begun):  # until no buffer takes more
            before = len(served.begun)
            time.sleep(0.3)
        assert before < 10_000
        with served.connected() as another:
            until(lambda: len(served.begun) > before, "others wait")
            assert another.recv(10)


def test_the_id_of_a_client_is_bounded() -> None:
    assert last_event_id({}) is None
    assert last_event_id({"last-event-id": " "}) is None
    assert last_event_id({"last-event-id": "12"}) == "12"
    assert len(last_event_id({"last-event-id": "1" * 9999}) or "") == 100

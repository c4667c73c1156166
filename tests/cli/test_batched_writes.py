"""Small writes to a connection go out together, and in their order whatever happens to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import uvloop

from app.cli.gathered_writes import MOST_HELD, GatheredWrites

LOOPS = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
Run = Callable[[Awaitable[None]], None]


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[GatheredWrites, socket.socket]]:
    """A connection as a server writes to it, and its other end, which never waits."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_accepted_socket(asyncio.Protocol, ours)
    try:
        yield GatheredWrites(transport, loop), theirs
    finally:
        transport.abort()
        theirs.close()


async def turn() -> None:
    """Let the event loop come round."""
    for _ in range(3):
        await asyncio.sleep(0)


async def heard(theirs: socket.socket) -> bytes:
    """All that was sent until the end of the connection."""
    found = b""
    while part := await asyncio.get_running_loop().sock_recv(theirs, 65_536):
        found += part
    return found


@LOOPS
def test_what_is_written_in_one_turn_is_sent_together(run: Run) -> None:
    async def scenario() -> None:
        async with connection() as (writes, theirs):
            writes.write(b"head ")
            writes.write(b"")
            writes.write(b"body")
            with pytest.raises(BlockingIOError):
                theirs.recv(100)
            assert writes.get_write_buffer_size() == 9
            await turn()
            assert theirs.recv(100) == b"head body"
            assert writes.get_write_buffer_size() == 0

    run(scenario())


@LOOPS
def test_a_finished_response_does_not_wait_for_the_turn_to_end(run: Run) -> None:
    async def scenario() -> None:
        async with connection() as (writes, theirs):
            writes.write(b"head ")
            writes.write(b"body")
            writes.flush()
            assert theirs.recv(100) == b"head body"

    run(scenario())


@LOOPS
def test_large_writes_are_not_held(run: Run) -> None:
    async def scenario() -> None:
        async with connection() as (writes, theirs):
            writes.write(b"head ")
            writes.write(b"x" * MOST_HELD)
            assert theirs.recv(5) == b"head "

    run(scenario())


@LOOPS
@pytest.mark.parametrize("end", ["close", "write_eof"])
def test_what_is_held_is_sent_before_the_end(run: Run, end: str) -> None:
    async def scenario() -> None:
        async with connection() as (writes, theirs):
            writes.write(b"the last words")
            getattr(writes, end)()
            assert await heard(theirs) == b"the last words"

    run(scenario())


@LOOPS
def test_what_is_held_is_dropped_where_the_connection_is_aborted(run: Run) -> None:
    async def scenario() -> None:
        async with connection() as (writes, theirs):
            writes.write(b"never sent")
            writes.abort()
            assert writes.is_closing()
            assert await heard(theirs) == b""

    run(scenario())

"""Readings that nobody waits for any more end, and their connections serve whoever comes next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import Select, func, literal, select, text

from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.statements import rows
from tests.databases import migrated_on
from tests.scale import scaled
from tests.timing import TIMEOUT

READERS = 4
Run = Callable[[Database], Coroutine[None, None, None]]


def _endless() -> Select[Any]:
    number = select(literal(1).label("n")).cte("number", recursive=True)
    number = number.union_all(select(number.c.n + 1).where(number.c.n < 10**12))
    return select(func.count().label("n")).select_from(number)


ENDLESS = rows(
    {"sqlite": _endless, "postgresql": lambda: select(func.pg_sleep(2 * TIMEOUT).label("n"))},
)
BRIEF = rows(lambda: select(literal(7).label("n")))


@pytest.mark.parametrize("waits", [0.0, 0.2])
def test_a_reading_that_is_cancelled_ends(fresh_database: str, waits: float) -> None:
    """Some of them run by then, the others wait for a connection."""

    async def scenario(db: Database) -> None:
        tasks = [asyncio.create_task(db.all(ENDLESS)) for _ in range(3 * READERS)]
        await asyncio.sleep(waits)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        found = await asyncio.gather(*(db.all(BRIEF) for _ in range(3 * READERS)))
        assert [row.n for (row,) in found] == [7] * 3 * READERS

    async def run() -> None:
        db = open_database(fresh_database, readers=READERS)
        try:
            await asyncio.wait_for(scenario(db), TIMEOUT)
        finally:
            await db.close()

    asyncio.run(run())


def test_others_on_the_same_connection_are_not_touched(fresh_database: str) -> None:
    async def run() -> None:
        db = open_database(fresh_database, readers=1)
        try:
            await db.all(BRIEF)
            for _ in range(scaled(40, full=200)):
                given_up = asyncio.create_task(db.all(ENDLESS))
                others = [asyncio.create_task(db.all(BRIEF)) for _ in range(5)]
                await asyncio.sleep(0.001)
                given_up.cancel()
                assert [row.n for (row,) in await asyncio.gather(*others)] == [7] * 5
        finally:
            await db.close()

    asyncio.run(asyncio.wait_for(run(), TIMEOUT))


BIND = b"B"  # the first byte of what runs a prepared statement (PostgreSQL, "Message Formats")
STILL_RUNNING = rows(
    lambda: (
        select(func.count().label("n"))
        .select_from(text("pg_stat_activity"))
        .where(text("datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'"))
    )
)


@dataclass(slots=True)
class Way:
    """A proxy before a database: its address, whether it holds statements up, and whether one is there."""

    address: str
    is_slow: bool = False
    is_used: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def overtaking(database: str) -> AsyncIterator[Way]:
    """A proxy on whose way statements are overtaken by everything else while it is slow."""
    server = urlsplit(database)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while sent := await reader.read(65536):
            if way.is_slow and sent.startswith(BIND):
                way.is_used.set()
                await asyncio.sleep(0.5)
            writer.write(sent)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward = await asyncio.open_connection(server.hostname, server.port)
        await asyncio.gather(forward(reader, onward[1]), forward(onward[0], writer))

    proxy = await asyncio.start_server(serve, "127.0.0.1")
    port = proxy.sockets[0].getsockname()[1]
    way = Way(database.replace(server.netloc, f"{server.username}@127.0.0.1:{port}"))
    yield way
    proxy.close()


async def in_all(db: Database) -> None:
    await db.all(ENDLESS)


async def in_execute(db: Database) -> None:
    await db.execute(ENDLESS)


async def in_transaction(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.all(ENDLESS)


@pytest.mark.parametrize("run", [in_all, in_execute, in_transaction])
def test_a_cancellation_that_overtakes_its_statement_is_not_lost(postgres_server: str, run: Run) -> None:
    async def scenario(database: str) -> None:
        async with overtaking(database) as way:
            db = open_database(way.address, readers=1)
            try:
                assert [row.n for row in await db.all(BRIEF)] == [7]
                way.is_slow = True
                given_up = asyncio.create_task(run(db))
                await way.is_used.wait()
                way.is_slow = False
                given_up.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await given_up
                assert [row.n for row in await db.all(BRIEF)] == [7]
                while [row.n for row in await db.all(STILL_RUNNING)] != [0]:
                    await asyncio.sleep(0.05)  # PostgreSQL takes up a cancellation when it gets to it
            finally:
                await db.close()

    asyncio.run(asyncio.wait_for(scenario(migrated_on(postgres_server)), TIMEOUT))

"""Connections to PostgreSQL stay lent out between borrowers, as long as they are whole and used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import pytest
from sqlalchemy import func, select

from app.kit.database import postgres_sessions
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.statements import rows
from tests.databases import create_database

PROCESS = rows(lambda: select(func.pg_backend_pid().label("process")))
OPEN = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'docyard' AND datname = current_database()
"""


@pytest.fixture
def empty(postgres_server: str) -> str:
    return create_database(postgres_server)


def on(address: str, call: Callable[[Database, asyncpg.Connection], Awaitable[None]]) -> None:
    """Call with a database of its own, and a connection that watches it."""

    async def run() -> None:
        db, watching = open_database(address), await asyncpg.connect(address)
        try:
            await call(db, watching)
        finally:
            await db.close()
            await watching.close()

    asyncio.run(run())


async def process(db: Database) -> int:
    (row,) = await db.all(PROCESS)
    found: int = row.process
    return found


def test_readers_in_turn_have_the_same_connection(empty: str) -> None:
    async def call(db: Database, watching: asyncpg.Connection) -> None:
        assert len({await process(db) for _ in range(5)}) == 1
        (reading,) = (use for use in db.connections() if use.purpose == "read")
        assert (reading.opened, reading.used) == (1, 0)

    on(empty, call)


def test_a_connection_that_was_closed_meanwhile_is_replaced(empty: str) -> None:
    async def call(db: Database, watching: asyncpg.Connection) -> None:
        first = await process(db)
        assert await watching.fetchval("SELECT pg_terminate_backend($1, 30000)", first)
        for _ in range(3):
            assert await process(db) != first
        assert await watching.fetchval(OPEN) == 1

    on(empty, call)


def test_what_nobody_uses_goes_back_to_the_pool(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_sessions, "IDLE", 0.2)

    async def call(db: Database, watching: asyncpg.Connection) -> None:
        several = await asyncio.gather(*(process(db) for _ in range(8)))
        assert len(set(several)) > 1
        sessions = db._reading  # type: ignore[attr-defined]
        async with asyncio.timeout(30):
            while sessions._kept:
                await asyncio.sleep(0.05)
        assert sessions._pool.get_idle_size() == sessions._pool.get_size() > 1
        assert await process(db) in several

    on(empty, call)


def test_closing_ends_all_connections(empty: str) -> None:
    async def call(db: Database, watching: asyncpg.Connection) -> None:
        await asyncio.gather(*(process(db) for _ in range(8)))
        await db.close()
        async with asyncio.timeout(30):
            while await watching.fetchval(OPEN):
                await asyncio.sleep(0.02)

    on(empty, call)

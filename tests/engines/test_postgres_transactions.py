"""Transactions on PostgreSQL that do not concern each other, and the locks that they leave behind."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import asyncpg
from sqlalchemy import select

from app.kit.database.engines import open_database
from app.kit.database.interface import Database, Transaction
from app.kit.database.statements import given, query, table
from app.models.service import Fact
from tests.databases import migrated_on
from tests.timing import TIMEOUT

FACTS = table(Fact)
WRITERS = 4
_FACT = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))


def run(address: str, scenario: Callable[[Database], Awaitable[None]]) -> None:
    """Run a scenario on a database with a row for each writer, as the planner knows."""

    async def bounded() -> None:
        names = [f"writer {n}" for n in range(WRITERS)]
        db = open_database(address)
        try:
            async with asyncio.timeout(TIMEOUT):
                await db.write(lambda tx: tx.add_many(Fact, [{"name": n, "value": "old"} for n in names]))
                connection = await asyncpg.connect(address)
                await connection.execute("ANALYZE fact")
                await connection.close()
                await scenario(db)
        finally:
            await db.close()

    asyncio.run(bounded())


def test_writers_of_different_rows_of_a_small_table_do_not_start_again(postgres_server: str) -> None:
    async def scenario(db: Database) -> None:
        everybody, starts = asyncio.Barrier(WRITERS), Counter[str]()

        async def change(name: str) -> None:
            async def act(tx: Transaction) -> None:
                starts[name] += 1
                (found,) = await tx.all(_FACT, name=name)
                if starts[name] == 1:
                    await everybody.wait()  # all have read before anybody writes
                await tx.put(Fact, {"value": f"not {found.value}"}, name=name)

            await db.write(act)

        names = [f"writer {n}" for n in range(WRITERS)]
        await asyncio.gather(*map(change, names))
        assert starts == dict.fromkeys(names, 1)
        assert [(await db.all(_FACT, name=name))[0].value for name in names] == ["not old"] * WRITERS

    run(migrated_on(postgres_server), scenario)


def test_a_connection_keeps_no_lock_of_its_last_transaction(postgres_server: str) -> None:
    address = migrated_on(postgres_server)

    async def scenario(db: Database) -> None:
        async with db.transaction(frozenset({"a place", "another"})) as tx:
            await tx.all(_FACT, name="writer 0")
        connection = await asyncpg.connect(address)
        held = await connection.fetchval(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        await connection.close()
        assert held == 0

    run(address, scenario)

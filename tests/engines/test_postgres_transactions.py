"""Transactions on PostgreSQL that do not concern each other, and the locks that they leave behind."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from sqlalchemy import func, select

from app.kit.database.engines import open_database
from app.kit.database.interface import Database, Transaction
from app.kit.database.statements import given, query, rows, table
from app.kit.database_timeouts import Timeouts
from app.kit.errors import Unavailable
from app.models.service import Fact
from tests.databases import migrated_on
from tests.timing import TIMEOUT

FACTS = table(Fact)
WRITERS = 4
SHORT = 1.5  # seconds that somebody waits without anybody before them being served
HELD = 0.4  # seconds for which each of those who are served keeps the next one waiting
MANY = 6  # who wait much longer together
_JIT = rows(lambda: select(func.current_setting("jit").label("jit")))
_FACT = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name == given("name")))


def run(address: str, scenario: Callable[[Database], Awaitable[None]], **options: Any) -> None:
    """Run a scenario on a database with a row for each writer, as the planner knows."""

    async def bounded() -> None:
        names = [f"writer {n}" for n in range(WRITERS)]
        db = open_database(address, **options)
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


def test_the_server_compiles_no_statement(postgres_server: str) -> None:
    async def scenario(db: Database) -> None:
        found = [await db.all(_JIT), await db.write(lambda tx: tx.all(_JIT))]
        assert [row.jit for (row,) in found] == ["off", "off"]

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


async def everybody(db: Database, *, place: str | None) -> list[BaseException | None]:
    """Many who write at one place, or each somewhere else: how it ended for each of them."""

    async def act(tx: Transaction) -> None:
        if place is not None:
            await tx.lock(place)
        await asyncio.sleep(HELD)

    return await asyncio.gather(*(db.write(act) for _ in range(MANY)), return_exceptions=True)


@pytest.mark.parametrize("processes", [1, 2])
def test_however_many_write_at_one_place_all_are_served(postgres_server: str, processes: int) -> None:
    address = migrated_on(postgres_server)
    options: dict[str, Any] = {"writers": MANY, "timeouts": Timeouts(connection=SHORT, begin=SHORT)}

    async def scenario(db: Database) -> None:
        others = [open_database(address, **options) for _ in range(1, processes)]
        try:
            found = await asyncio.gather(*(everybody(each, place="here") for each in [db, *others]))
            assert found == [[None] * MANY] * processes
        finally:
            for other in others:
                await other.close()

    run(address, scenario, **options)


def test_however_many_wait_for_a_connection_all_are_served(postgres_server: str) -> None:
    async def scenario(db: Database) -> None:
        assert await everybody(db, place=None) == [None] * MANY

    run(migrated_on(postgres_server), scenario, writers=2, timeouts=Timeouts(connection=HELD * 2))


def test_those_who_wait_for_somebody_who_does_not_get_on_are_told_so(postgres_server: str) -> None:
    async def scenario(db: Database) -> None:
        held, free = asyncio.Event(), asyncio.Event()

        async def hold(tx: Transaction) -> None:
            await tx.lock("here")
            held.set()
            await free.wait()

        holder = asyncio.create_task(db.write(hold))
        await held.wait()
        ended = await everybody(db, place="here")
        assert [type(each) for each in ended] == [Unavailable] * MANY
        free.set()
        await holder
        assert await everybody(db, place="here") == [None] * MANY

    run(migrated_on(postgres_server), scenario, timeouts=Timeouts(begin=SHORT))


def test_one_who_goes_away_while_they_wait_is_in_nobodys_way(postgres_server: str) -> None:
    async def scenario(db: Database) -> None:
        served = Counter[int]()

        def act(n: int) -> Callable[[Transaction], Awaitable[None]]:
            async def write(tx: Transaction) -> None:
                await tx.lock("here")
                await asyncio.sleep(0.05)
                served[n] += 1

            return write

        tasks = [asyncio.create_task(db.write(act(n))) for n in range(MANY)]
        await asyncio.sleep(0.1)  # one is served or about to be, the others wait
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert all(served[n] == 1 for n in range(0, MANY, 2))
        assert await everybody(db, place="here") == [None] * MANY

    run(migrated_on(postgres_server), scenario)

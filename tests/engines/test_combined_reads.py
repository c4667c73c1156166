"""Requests that read by key at the same time share round trips on PostgreSQL, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import pytest
from sqlalchemy import BigInteger, Double, func, literal, select

from app.kit.database.batching import MAX_BATCH
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.statements import given, rows
from tests import make
from tests.cast import Cast
from tests.databases import create_database

_number, _seconds = given("number", BigInteger()), given("seconds", Double())
SIZE = rows(lambda: select(func.abs(_number).label("size")).where(_number != 7))
NAP = rows(lambda: select(literal(1).label("one")).where(func.pg_sleep(_seconds).is_not(None)))
TRANSACTIONS = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"

CONNECTED = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'docyard' AND datname = current_database()
"""


@pytest.fixture(scope="module")
def empty(postgres_server: str) -> str:
    return create_database(postgres_server)


def on(address: str, call: Callable[[Database], Awaitable[Any]]) -> Any:
    """Return what `call` makes of a database of its own."""

    async def run() -> Any:
        db = open_database(address)
        try:
            return await call(db)
        finally:
            await db.close()

    return asyncio.run(run())


@pytest.mark.parametrize("askers", [1, 2, 3, 9, 2 * MAX_BATCH + 3])
def test_everybody_has_their_own_rows(empty: str, askers: int) -> None:
    async def ask(db: Database) -> list[Any]:
        return list(await asyncio.gather(*(db.get_by_key(SIZE, number=-n) for n in range(askers))))

    found = [[row.size for row in each] for each in on(empty, ask)]
    assert found == [[] if n == -7 else [n] for n in range(askers)]


def test_many_cost_few_statements(empty: str) -> None:
    async def ask(db: Database) -> int:
        watching = await asyncpg.connect(empty)
        before: int = await watching.fetchval(TRANSACTIONS)
        await asyncio.gather(*(db.get_by_key(SIZE, number=n) for n in range(200)))
        await db.close()  # its connections tell what they did
        async with asyncio.timeout(30):
            while await watching.fetchval(CONNECTED):
                await asyncio.sleep(0.02)
        await watching.execute("SELECT pg_stat_clear_snapshot()")
        after: int = await watching.fetchval(TRANSACTIONS)
        await watching.close()
        return after - before

    assert 0 < on(empty, ask) < 100


def test_who_asks_what_fails_fails_alone(empty: str) -> None:
    async def ask(db: Database) -> list[Any]:
        numbers = (1, 2, 3, -(2**63), 4)
        reads = (db.get_by_key(SIZE, number=n) for n in numbers)
        found: list[Any] = await asyncio.gather(*reads, return_exceptions=True)
        return found

    one, two, three, failed, four = on(empty, ask)
    assert [each[0].size for each in (one, two, three, four)] == [1, 2, 3, 4]
    assert isinstance(failed, asyncpg.NumericValueOutOfRangeError)


def test_who_goes_away_takes_nobody_along(empty: str) -> None:
    async def ask(db: Database) -> list[Any]:
        reads = [asyncio.ensure_future(db.get_by_key(SIZE, number=n)) for n in range(6)]
        await asyncio.sleep(0)
        for leaver in (0, 3):
            reads[leaver].cancel()
        return list(await asyncio.gather(*reads, return_exceptions=True))

    found = on(empty, ask)
    assert [type(found[leaver]) for leaver in (0, 3)] == [asyncio.CancelledError] * 2
    assert [found[n][0].size for n in (1, 2, 4, 5)] == [1, 2, 4, 5]


def test_slow_reads_do_not_hold_up_those_who_come_later(empty: str) -> None:
    ended = []

    async def nap(db: Database, seconds: float) -> None:
        await db.get_by_key(NAP, seconds=seconds)
        ended.append(seconds)

    on(empty, lambda db: asyncio.gather(*(nap(db, seconds) for seconds in (1.5, 1.2, 0.0))))
    assert ended == [0.0, 1.2, 1.5]


def test_what_was_changed_before_a_request_is_what_it_reads(cast: Cast) -> None:
    """Readers keep a statement running at all times; a change is seen by each request after it."""
    spaces = [make.space(cast.ada, cast.organization)["id"] for _ in range(3)]
    with ThreadPoolExecutor(8) as others:
        going = True

        def read_on(n: int) -> None:
            while going:
                assert cast.ada.get(f"/v1/spaces/{spaces[n % 3]}").status_code == 200

        readers = [others.submit(read_on, n) for n in range(8)]
        try:
            for n in range(20):
                cast.ada.call("PATCH", f"/v1/spaces/{spaces[0]}", json={"title": f"Title {n}"})
                assert cast.ada.get(f"/v1/spaces/{spaces[0]}").json()["title"] == f"Title {n}"
        finally:
            going = False
        for each in readers:
            each.result()

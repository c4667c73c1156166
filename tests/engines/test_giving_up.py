"""Readings that nobody waits for any more end, and their connections serve whoever comes next."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Select, func, literal, select

from app.kit.db import Database, open_database
from app.kit.statements import rows
from tests.patience import PATIENCE

READERS = 4


def _endless() -> Select[Any]:
    number = select(literal(1).label("n")).cte("number", recursive=True)
    number = number.union_all(select(number.c.n + 1).where(number.c.n < 10**12))
    return select(func.count().label("n")).select_from(number)


ENDLESS = rows(
    {"sqlite": _endless, "postgresql": lambda: select(func.pg_sleep(2 * PATIENCE).label("n"))},
)
BRIEF = rows(lambda: select(literal(7).label("n")))


@pytest.mark.parametrize("waits", [0.0, 0.2])
def test_a_reading_that_is_cancelled_ends(empty_database: str, waits: float) -> None:
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
        db = open_database(empty_database, readers=READERS)
        try:
            await asyncio.wait_for(scenario(db), PATIENCE)
        finally:
            await db.close()

    asyncio.run(run())


def test_others_on_the_same_connection_are_not_touched(empty_database: str) -> None:
    async def run() -> None:
        db = open_database(empty_database, readers=1)
        try:
            await db.all(BRIEF)
            for _ in range(200):
                given_up = asyncio.create_task(db.all(ENDLESS))
                others = [asyncio.create_task(db.all(BRIEF)) for _ in range(5)]
                await asyncio.sleep(0.001)
                given_up.cancel()
                assert [row.n for (row,) in await asyncio.gather(*others)] == [7] * 5
        finally:
            await db.close()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))

"""Group commit on SQLite: writers that wait share a commit, and none of them is forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app import migrations
from app.kit.db import Clash, Database, open_database
from app.kit.statements import rows, table
from app.models.facts import Fact

_f = table(Fact)
_ALL = rows(lambda: _f.select().order_by(_f.c.name))


async def opened(path: Path) -> Database:
    await asyncio.to_thread(migrations.upgrade, str(path))
    return open_database(str(path))


async def put(db: Database, name: str, hold: float = 0.0) -> None:
    async with db.transaction() as tx:
        await tx.add(Fact, name=name, value="x")
        await asyncio.sleep(hold)


async def names(db: Database) -> list[Any]:
    return [fact.name for fact in await db.all(_ALL)]


def test_writers_at_once_are_all_stored(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path / "d.db")
        await asyncio.gather(*(put(db, f"{n:03}") for n in range(150)))
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == [f"{n:03}" for n in range(150)]


def test_one_that_fails_does_not_take_its_batch_along(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path / "d.db")
        await put(db, "taken")
        wishes = [put(db, "a"), put(db, "taken"), put(db, "b"), put(db, "taken"), put(db, "c")]
        results = await asyncio.gather(*wishes, return_exceptions=True)
        assert [type(result) for result in results if result] == [Clash, Clash]
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["a", "b", "c", "taken"]


@pytest.mark.parametrize("waiters", [1, 3])
def test_a_writer_is_answered_although_those_behind_it_went_away(tmp_path: Path, waiters: int) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path / "d.db")
        await put(db, "zero")
        first = asyncio.create_task(put(db, "first", hold=0.05))
        await asyncio.sleep(0.02)
        behind = [asyncio.create_task(put(db, f"behind-{n}")) for n in range(waiters)]
        await asyncio.sleep(0.04)  # the first has left the transaction open for them, or is about to
        for task in behind:
            task.cancel()
        await asyncio.wait_for(first, 5)
        await asyncio.gather(*behind, return_exceptions=True)
        found = await names(db)
        await db.close()
        return found

    assert {"first", "zero"} <= set(asyncio.run(scenario()))


def test_a_write_cut_off_half_way_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path / "d.db")
        half_way = asyncio.create_task(put(db, "half", hold=5))
        await asyncio.sleep(0.05)
        half_way.cancel()
        await asyncio.gather(half_way, return_exceptions=True)
        await put(db, "after")
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["after"]

"""Group commit on SQLite: writers that wait share a commit, and none of them is forgotten."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from app.kit.database.engines import open_database
from app.kit.database.interface import Clash, Database
from app.kit.database.sqlite_connections import SqliteTransaction
from app.kit.database.statements import rows, table
from app.models.service import Fact
from tests.databases import migrated_in

OWN = {"audit_key", "secret_mark"}  # what a new database says of itself
FACTS = table(Fact)
_ALL = rows(lambda: FACTS.select().order_by(FACTS.c.name))


async def opened(folder: Path) -> Database:
    return open_database(await asyncio.to_thread(migrated_in, folder))


async def put(db: Database, name: str, hold: float = 0.0) -> None:
    async with db.transaction() as tx:
        await tx.add(Fact, name=name, value="x")
        await asyncio.sleep(hold)


async def names(db: Database) -> list[Any]:
    return [fact.name for fact in await db.all(_ALL) if fact.name not in OWN]


def test_writers_at_once_are_all_stored(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        await asyncio.gather(*(put(db, f"{n:03}") for n in range(150)))
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == [f"{n:03}" for n in range(150)]


def test_one_that_fails_does_not_take_its_batch_along(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
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
        db = await opened(tmp_path)
        await put(db, "zero")
        first = asyncio.create_task(put(db, "first", hold=0.05))
        await asyncio.sleep(0.02)
        behind = [asyncio.create_task(put(db, f"behind-{n}")) for n in range(waiters)]
        await asyncio.sleep(0.04)  # the first has left the transaction open for them, or is about to
        for task in behind:
            task.cancel()
        await asyncio.wait_for(first, 120)
        await asyncio.gather(*behind, return_exceptions=True)
        found = await names(db)
        await db.close()
        return found

    assert {"first", "zero"} <= set(asyncio.run(scenario()))


@pytest.mark.parametrize("gone", ["first", "last"])
def test_a_commit_goes_on_although_a_writer_of_its_batch_went_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    """A disk that takes a while to store a batch, and a writer whose caller goes away meanwhile."""
    end, committing = SqliteTransaction._end, threading.Event()

    def slow(self: SqliteTransaction, *arguments: Any) -> Exception | None:
        if arguments[-1]:  # commits
            committing.set()
            time.sleep(0.2)
        return end(self, *arguments)

    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        tasks = {"first": asyncio.create_task(put(db, "first", hold=0.05))}
        await asyncio.sleep(0.02)
        tasks["last"] = asyncio.create_task(put(db, "last"))
        monkeypatch.setattr(SqliteTransaction, "_end", slow)
        assert await asyncio.to_thread(committing.wait, 60)
        tasks.pop(gone).cancel()
        (staying,) = tasks.values()
        await asyncio.wait_for(staying, 60)
        found = await names(db)
        await put(db, "after")
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["first", "last"]


def test_a_write_cut_off_half_way_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        half_way = asyncio.create_task(put(db, "half", hold=3600))
        await asyncio.sleep(0.05)
        half_way.cancel()
        await asyncio.gather(half_way, return_exceptions=True)
        await put(db, "after")
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["after"]


def test_what_waits_to_be_written_and_is_refused_takes_only_its_own_write_along(tmp_path: Path) -> None:
    async def put_unasked(db: Database, *wished: str) -> None:
        async with db.transaction() as tx:  # nobody needs an answer: all is written at the end
            await tx.add_many(Fact, [{"name": name, "value": "x"} for name in wished])

    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        await put(db, "taken")
        wishes = [
            put_unasked(db, "lost-1", "taken"),
            put_unasked(db, "a"),
            put(db, "b"),
            put_unasked(db, "lost-2", "taken"),
            put_unasked(db, "c"),
        ]
        results = await asyncio.gather(*wishes, return_exceptions=True)
        assert [type(result) for result in results if result] == [Clash, Clash]
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["a", "b", "c", "taken"]


def test_a_write_that_writes_nothing_is_in_nobodys_way(tmp_path: Path) -> None:
    async def nothing(db: Database, *, fails: bool = False) -> None:
        async with db.transaction():
            if fails:
                raise LookupError

    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        wishes = [nothing(db), put(db, "a"), nothing(db, fails=True), nothing(db), put(db, "b"), nothing(db)]
        results = await asyncio.gather(*wishes, return_exceptions=True)
        assert [type(result) for result in results if result] == [LookupError]
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["a", "b"]


def test_a_write_cut_off_in_the_driver_leaves_nothing_and_harms_nobody(tmp_path: Path) -> None:
    """Whoever is cancelled while the thread works for them is undone after that work.

    They would stay in the transaction for ever, so that a quick thread is not done before they are cut off.
    """

    async def many(db: Database) -> None:
        async with db.transaction() as tx:
            await tx.add_many(Fact, [{"name": f"many-{n}", "value": "x"} for n in range(50_000)])
            await asyncio.sleep(3600)

    async def scenario() -> list[Any]:
        db = await opened(tmp_path)
        await put(db, "before")
        for pause in (0.0, 0.005, 0.02):
            cut = asyncio.create_task(many(db))
            await asyncio.sleep(pause)
            cut.cancel()
            await asyncio.gather(cut, put(db, f"after-{pause}"), return_exceptions=True)
        found = await names(db)
        await db.close()
        return found

    assert asyncio.run(scenario()) == ["after-0.0", "after-0.005", "after-0.02", "before"]


def test_a_long_reading_in_a_write_sees_what_was_written_before(tmp_path: Path) -> None:
    """It is begun on the loop and done in the thread."""

    async def scenario() -> list[int]:
        db = await opened(tmp_path)
        async with db.transaction() as tx:
            await tx.add_many(Fact, [{"name": f"{n:05}", "value": "x"} for n in range(20_000)])
        found = []
        async with db.transaction() as tx:
            for n in range(3):
                await tx.add(Fact, name=f"new-{n}", value="x")
                found.append(len({fact.name for fact in await tx.all(_ALL)} - OWN))
        await db.close()
        return found

    assert asyncio.run(scenario()) == [20_001, 20_002, 20_003]

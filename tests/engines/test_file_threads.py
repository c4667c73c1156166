"""SQLite files that are used beside the event loop: in one thread each, and not after they are closed."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from app.kit.database import file_threads
from tests.timing import TIMEOUT

ROWS = [(number,) for number in range(10)]


def test_a_file_is_used_in_one_thread_alone(tmp_path: Path) -> None:
    seen: list[int] = []

    def note(value: int) -> int:
        seen.append(threading.get_ident())
        return value

    async def use() -> list[tuple[int, ...]]:
        async with file_threads.opened(tmp_path / "rows.db") as file:
            await file.run(lambda raw: raw.execute("CREATE TABLE row (number)").close())
            await file.run(lambda raw: raw.create_function("note", 1, note))
            for _ in range(5):
                await file.add("INSERT INTO row VALUES (note(?))", ROWS)
            batches = file.batches("SELECT note(number) FROM row", 3)
            return [row async for batch in batches for row in batch]

    assert asyncio.run(use()) == ROWS * 5
    assert len(seen) == 100
    assert set(seen) != {threading.get_ident()}
    assert len(set(seen)) == 1


def test_a_file_is_closed_after_what_was_begun_when_whoever_waits_is_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "rows.db"
    begun, goes_on = threading.Event(), threading.Event()

    def wait(value: int) -> int:
        begun.set()
        goes_on.wait(TIMEOUT)
        return value

    async def write() -> None:
        async with file_threads.opened(path) as file:
            await file.run(lambda raw: raw.execute("CREATE TABLE row (number)").close())
            await file.run(lambda raw: raw.create_function("wait", 1, wait))
            await file.run(lambda raw: raw.execute("BEGIN").close())
            await file.add("INSERT INTO row VALUES (wait(?))", ROWS)

    async def cancel() -> None:
        writing = asyncio.create_task(write())
        await asyncio.to_thread(begun.wait, TIMEOUT)
        writing.cancel()
        await asyncio.sleep(0)
        assert not writing.done(), "the file was closed under a statement that runs"
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await writing

    asyncio.run(cancel())
    with closing(sqlite3.connect(path)) as file:
        file.execute("INSERT INTO row VALUES (1)")  # nobody holds the file any more
        assert file.execute("SELECT count(*) FROM row").fetchone() == (1,)


def test_a_file_that_cannot_be_opened_leaves_no_thread(tmp_path: Path) -> None:
    async def use() -> None:
        async with file_threads.opened(tmp_path / "nowhere" / "rows.db"):
            pass

    before = threading.active_count()
    with pytest.raises(sqlite3.OperationalError):
        asyncio.run(use())
    assert threading.active_count() == before

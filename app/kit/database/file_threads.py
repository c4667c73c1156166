"""A SQLite file that is read or written in a thread of its own, beside the event loop.

One connection must not move between threads, not even one after another: a cursor of a batch that is over is
freed by whoever drops it last, and resets the statement that it shares with the next batch while another
thread is in it. SQLite then refuses the next values as a misuse of its API.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Batch = list[tuple[Any, ...]]


class FileThread:
    """A connection to a SQLite file, and the thread in which alone it is opened, used and closed."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "sqlite-file")
        self._connection: sqlite3.Connection | None = None

    async def open(self, path: Path, **options: Any) -> None:
        """Open the file. Nothing is written before a transaction begins, or else at once."""

        def connect() -> None:
            self._connection = sqlite3.connect(path, isolation_level=None, **options)

        await asyncio.get_running_loop().run_in_executor(self._thread, connect)

    async def run(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `do` returns for the connection; it must not return a cursor that others are to free.

        Whoever is cancelled does not wait for it, but what comes after it does.
        """
        assert self._connection is not None
        return await asyncio.get_running_loop().run_in_executor(self._thread, do, self._connection)

    async def add(self, statement: str, rows: Batch) -> None:
        """Run a statement once for each row."""
        await self.run(lambda connection: connection.executemany(statement, rows).close())

    async def batches(self, statement: str, size: int, values: Any = ()) -> AsyncIterator[Batch]:
        """Yield the rows of a statement, so many at a time."""
        cursor = await self.run(lambda connection: connection.execute(statement, values))
        while batch := await self.run(lambda _: cursor.fetchmany(size)):
            yield batch

    async def close(self) -> None:
        """Close the connection after all that was begun; what is not committed is undone."""

        def close() -> None:
            if self._connection is not None:
                self._connection.close()

        self._thread.submit(close)
        await asyncio.to_thread(self._thread.shutdown)


@asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[FileThread]:
    """Open a SQLite file in a thread of its own, until the block ends."""
    file = FileThread()
    try:
        await file.open(path, **options)
        yield file
    finally:
        await file.close()

"""SQLite: several readers, one writer, group commit.

Writes queue for the one writing connection. A write that finds others waiting leaves the transaction open
behind a savepoint, and the last of the batch commits for all: nobody is answered before that commit, and
nobody in this process ever sees "database is locked". Other processes are waited for (`busy_timeout`).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import aiosqlite

from app.kit.db import Clash, Database, Transaction
from app.kit.errors import Unavailable
from app.kit.statements import Compiled, Statement

T = TypeVar("T")
BATCH = 64  # writes that may share one commit


class Sqlite(Database):
    """One database file (or `:memory:` for a single connection)."""

    dialect = "sqlite"

    def __init__(
        self, path: str, *, readers: int, journal: str, synchronous: str, busy_timeout: float
    ) -> None:
        self._path = path.removeprefix("sqlite:///")
        self._size = readers
        self._journal = journal
        self._pragmas = (
            f"PRAGMA busy_timeout={int(busy_timeout * 1000)}; PRAGMA journal_mode={journal};"
            f" PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
            " PRAGMA mmap_size=268435456; PRAGMA cache_size=-32768;"
        )
        self._readers: list[aiosqlite.Connection] = []
        self._next = 0
        self._near: sqlite3.Connection | None = None
        self._writer: aiosqlite.Connection | None = None
        self._opening = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._batch: _Batch | None = None
        self._flushing: asyncio.Task[None] | None = None

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = statement.compiled("sqlite")
        return await _fetch(await self._reader(), compiled, values)

    async def point(self, statement: Statement[T], **values: Any) -> list[T]:
        """Rows by key, read on the loop: going to another thread and back costs four times the look-up.

        Only where readers never wait for writers, and never waiting itself: what is busy goes to a thread.
        """
        if self._journal != "WAL":
            return await self.all(statement, **values)
        near = self._near or await self._open_near()
        compiled = statement.compiled("sqlite")
        try:
            return compiled.rows(near.execute(compiled.text, compiled.arguments(values)).fetchall())
        except sqlite3.OperationalError:
            return await self.all(statement, **values)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        writer = self._writer or await self._open_writer()
        await self._take_turn()
        try:
            batch = await self._join_batch(writer)
            failed = True
            try:
                yield _Writing(writer)
                failed = False
            finally:
                await self._leave_batch(writer, batch, failed)
        finally:
            self._turn.release()
        await batch.committed

    async def close(self) -> None:
        for connection in [*self._readers, *([self._writer] if self._writer else [])]:
            await connection.close()
        if self._near is not None:
            self._near.close()
        self._readers, self._writer, self._near = [], None, None

    async def _take_turn(self) -> None:
        self._waiting += 1
        try:
            await self._turn.acquire()
        except BaseException:
            if self._waiting == 1 and self._batch is not None:  # others wait for the commit left to us
                self._flushing = asyncio.create_task(self._flush())
            raise
        finally:
            self._waiting -= 1

    async def _flush(self) -> None:
        """Commit a batch whose last member went away before it began."""
        async with self._turn:
            batch, self._batch = self._batch, None
            if batch is not None and self._writer is not None:
                await self._commit(self._writer, batch)

    async def _join_batch(self, writer: aiosqlite.Connection) -> _Batch:
        if self._batch is None:
            with _plain_errors():
                await writer.execute("BEGIN IMMEDIATE")
            self._batch = _Batch()
        await writer.execute("SAVEPOINT one")
        self._batch.size += 1
        return self._batch

    async def _leave_batch(self, writer: aiosqlite.Connection, batch: _Batch, failed: bool) -> None:
        try:
            if failed:
                await writer.execute("ROLLBACK TO one")
            await writer.execute("RELEASE one")
            if self._waiting and batch.size < BATCH:
                return  # the next in the queue goes on in this transaction
        except BaseException as error:
            self._batch = None
            batch.fail(error)
            await _roll_back(writer)
            raise
        self._batch = None
        await self._commit(writer, batch)

    async def _commit(self, writer: aiosqlite.Connection, batch: _Batch) -> None:
        try:
            await writer.execute("COMMIT")
        except BaseException as error:
            batch.fail(error)
            await _roll_back(writer)
            raise
        batch.committed.set_result(None)

    async def _reader(self) -> aiosqlite.Connection:
        if len(self._readers) < self._size:
            async with self._opening:
                while len(self._readers) < self._size:
                    connection = await self._connect()
                    await connection.execute("PRAGMA query_only=ON")
                    self._readers.append(connection)
        self._next = (self._next + 1) % self._size
        return self._readers[self._next]

    async def _open_near(self) -> sqlite3.Connection:
        with _plain_errors():
            near = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            near.executescript(f"{self._pragmas} PRAGMA query_only=ON; PRAGMA busy_timeout=0")
        self._near = near
        return near

    async def _open_writer(self) -> aiosqlite.Connection:
        async with self._opening:
            if self._writer is None:
                self._writer = await self._connect()
            return self._writer

    async def _connect(self) -> aiosqlite.Connection:
        with _plain_errors():
            connection = await aiosqlite.connect(self._path, isolation_level=None, cached_statements=512)
            try:
                await connection.executescript(self._pragmas)
            except BaseException:
                await connection.close()  # or its thread would outlive the process
                raise
        return connection


class _Batch:
    """Writes that share one commit; `committed` tells all of them how it ended."""

    def __init__(self) -> None:
        self.size = 0
        self.committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, error: BaseException) -> None:
        self.committed.set_exception(Unavailable(f"The change could not be stored: {type(error).__name__}."))
        self.committed.exception()  # seen: whoever waits raises it, nobody else need complain


class _Writing(Transaction):
    dialect = "sqlite"

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        return await _fetch(self._connection, statement.compiled("sqlite"), values)

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = statement.compiled("sqlite")
        with _plain_errors():
            await self._connection.execute_fetchall(compiled.text, compiled.arguments(values))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = statement.compiled("sqlite")
        with _plain_errors():
            await self._connection.executemany(compiled.text, [compiled.arguments(row) for row in rows])


async def _fetch(connection: aiosqlite.Connection, compiled: Compiled, values: dict[str, Any]) -> list[Any]:
    with _plain_errors():
        return compiled.rows(await connection.execute_fetchall(compiled.text, compiled.arguments(values)))


async def _roll_back(writer: aiosqlite.Connection) -> None:
    if writer.in_transaction:
        await writer.execute("ROLLBACK")


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Clash(str(error)) from error
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unavailable("Another process holds the database; try again shortly.") from error
        raise

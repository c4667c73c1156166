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
GATHERED = 50  # rows that may wait to be written
REMEMBERED = 1000  # answers kept while nothing changes


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
        self._version = 0
        self._memory: dict[str, Any] = {}
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

    async def memory(self) -> dict[str, Any]:
        """Kept while SQLite's own mark of changes, which any process's commit moves, stays the same."""
        if self._journal != "WAL":
            return {}
        near = self._near or await self._open_near()
        try:
            version = near.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.OperationalError:
            return {}
        if version != self._version or len(self._memory) >= REMEMBERED:
            self._version, self._memory = version, {}
        return self._memory

    @asynccontextmanager
    async def transaction(self, lane: str = "") -> AsyncIterator[Transaction]:
        writer = self._writer or await self._open_writer()
        await self._take_turn()
        try:
            batch = await self._join_batch(writer)
            failed = True
            try:
                writing = _Writing(writer)
                yield writing
                await writing.flush()
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
        begin = ["BEGIN IMMEDIATE"] if self._batch is None else []
        await _in_one_go(writer, [(text, [()]) for text in (*begin, "SAVEPOINT one")])
        self._batch = self._batch or _Batch()
        self._batch.size += 1
        return self._batch

    async def _leave_batch(self, writer: aiosqlite.Connection, batch: _Batch, failed: bool) -> None:
        goes_on = self._waiting and batch.size < BATCH  # the next in the queue does, in this transaction
        self._batch = batch if goes_on else None
        texts = ["ROLLBACK TO one"] * failed + ["RELEASE one"] + ["COMMIT"] * (not goes_on)
        try:
            await _in_one_go(writer, [(text, [()]) for text in texts])
        except BaseException as error:
            self._batch = None
            batch.fail(error)
            await _roll_back(writer)
            raise
        if not goes_on:
            batch.committed.set_result(None)

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


Write = tuple[str, Sequence[Any]]
"""A statement without rows, and the arguments of each time it is run."""


class _Writing(Transaction):
    """Statements without rows wait for the next one with rows, or for the end: a hop to the thread costs more
    than most of them. An error of theirs comes out there."""

    dialect = "sqlite"

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._waiting: list[Write] = []
        self._rows = 0

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = statement.compiled("sqlite")
        arguments = compiled.arguments(values)
        return compiled.rows(await _in_one_go(self._connection, self._taken(), (compiled.text, arguments)))

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = statement.compiled("sqlite")
        await self._later(compiled.text, [compiled.arguments(values)])

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = statement.compiled("sqlite")
        await self._later(compiled.text, [compiled.arguments(row) for row in rows])

    async def flush(self) -> None:
        """Run what waits."""
        if self._waiting:
            await _in_one_go(self._connection, self._taken())

    async def _later(self, text: str, arguments: Sequence[Any]) -> None:
        self._waiting.append((text, arguments))
        self._rows += len(arguments)
        if self._rows >= GATHERED:
            await self.flush()

    def _taken(self) -> list[Write]:
        taken, self._waiting, self._rows = self._waiting, [], 0
        return taken


async def _fetch(connection: aiosqlite.Connection, compiled: Compiled, values: dict[str, Any]) -> list[Any]:
    with _plain_errors():
        return compiled.rows(await connection.execute_fetchall(compiled.text, compiled.arguments(values)))


async def _in_one_go(
    connection: aiosqlite.Connection, writes: Sequence[Write], query: tuple[str, Any] | None = None
) -> list[Any]:
    """Run these in the connection's thread, one after another, and fetch the rows of a query after them."""

    def run() -> list[Any]:
        raw: sqlite3.Connection = connection._conn
        for text, arguments in writes:
            if len(arguments) == 1:
                raw.execute(text, arguments[0])
            elif arguments:
                raw.executemany(text, arguments)
        return raw.execute(*query).fetchall() if query else []

    with _plain_errors():
        found: list[Any] = await connection._execute(run)  # type: ignore[no-untyped-call]  # the driver's own way
    return found


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

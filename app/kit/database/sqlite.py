"""SQLite: several readers, one writer, group commit.

Writes queue for the one writing connection. A write that finds others waiting leaves the transaction open,
the next goes on in it behind a savepoint, and the last of the batch commits for all: nobody is answered
before that commit, and nobody in this process ever sees "database is locked". Other processes are waited for
(`busy_timeout`).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeVar

import aiosqlite

from app.kit import counts
from app.kit.database.commit_groups import CommitGroup, despite_cancellation
from app.kit.database.interface import ConnectionUse, Database, Transaction, Wait
from app.kit.database.sqlite_connections import (
    COMMIT,
    InlineReads,
    InterruptibleRead,
    Query,
    SqliteTransaction,
    WriteConnection,
)
from app.kit.database.sqlite_errors import plain_errors
from app.kit.database.sqlite_memory import TableMemory, version_of
from app.kit.database.statements import Statement

T = TypeVar("T")
BATCH = 64  # writes that may share one commit
REMEMBERED = 1000  # answers kept while nothing changes
POLL = 0.05  # seconds between two looks at whether another process has committed
_OPTIONS: dict[str, Any] = {"isolation_level": None, "cached_statements": 512, "check_same_thread": False}


class Sqlite(Database):
    """One database file (or `:memory:` for a single connection)."""

    dialect = "sqlite"

    def __init__(
        self, path: str, *, readers: int, journal: str, synchronous: str, busy_timeout: float
    ) -> None:
        self._path = path.removeprefix("sqlite:///")
        self._size = readers
        self._journal = journal
        self._busy_timeout = f"PRAGMA busy_timeout={int(busy_timeout * 1000)}"
        self._pragmas = (
            f"{self._busy_timeout}; PRAGMA journal_mode={journal};"
            f" PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
            " PRAGMA mmap_size=268435456; PRAGMA cache_size=-32768;"
        )
        self._readers: list[aiosqlite.Connection] = []
        self._next = 0
        self._inline: InlineReads | None = None
        self._version = 0
        self._memory: dict[str, Any] = {}
        self._tables = TableMemory(self._others)
        self._writer: WriteConnection | None = None
        self._opening = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._reading = 0
        self._batch: CommitGroup | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._listening: set[asyncio.Event] = set()

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("sqlite")
        return await compiled.read(await self._fetch((compiled.text, compiled.arguments(values))))

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        """Return rows by key, read on the loop: a thread and back costs four times the look-up.

        Only where readers never wait for writers, and never waiting itself: what is busy goes to a thread.
        """
        if self._journal != "WAL":
            return await self.all(statement, **values)
        inline = self._inline or await self._open_inline()
        compiled = await statement.prepared("sqlite")
        try:
            return await compiled.read(
                inline.raw.execute(compiled.text, compiled.arguments(values)).fetchall()
            )
        except sqlite3.OperationalError:
            return await self.all(statement, **values)

    async def read_inline(self, statement: Statement[T], **values: Any) -> list[T]:
        """Do as `get_by_key`, but what turns out to be long is read in a thread."""
        if self._journal != "WAL":
            return await self.all(statement, **values)
        inline = self._inline or await self._open_inline()
        compiled = await statement.prepared("sqlite")
        query = (compiled.text, compiled.arguments(values))
        try:
            found = inline.read(query)
        except sqlite3.OperationalError:
            found = None
        return await compiled.read(await self._fetch(query) if found is None else found)

    async def memory(self) -> dict[str, Any]:
        """Kept while SQLite's own mark of changes, which any process's commit moves, stays the same."""
        version = await self._data_version()
        if version is None:
            return {}
        if version != self._version or len(self._memory) >= REMEMBERED:
            self._version, self._memory = version, {}
        return self._memory

    async def memory_of(self, tables: frozenset[str]) -> dict[str, Any]:
        version = await self._data_version()
        return {} if version is None else self._tables.of(tables, version)

    def _others(self) -> int | None:
        """Return the mark of commits of other processes; None while the writing connection is in use."""
        if self._writer is None or not self._writer.is_idle:
            return None
        try:
            return version_of(self._writer.raw)
        except sqlite3.OperationalError:
            return None

    async def version(self) -> Hashable | None:
        """Return SQLite's own mark of changes, with the connection for which alone it counts."""
        version = await self._data_version()
        return None if version is None else (self._inline, version)

    async def _data_version(self) -> int | None:
        """Return a number that changes with every commit; None where it cannot be read at once."""
        if self._journal != "WAL":
            return None
        inline = self._inline or await self._open_inline()
        try:
            return version_of(inline.raw)
        except sqlite3.OperationalError:
            return None

    def transaction(
        self, lock_keys: frozenset[str] = frozenset(), *, alone: bool = False, together: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        return _WriteTurn(self)

    async def _enter(self) -> tuple[SqliteTransaction, CommitGroup]:
        """Wait for the writing connection, and begin a batch or join the one that goes on."""
        writer = self._writer or await self._open_writer()
        await self._take_turn()
        joins, batch = self._batch is not None, self._batch or CommitGroup()
        self._batch, batch.size = batch, batch.size + 1
        return SqliteTransaction(writer, self._tables, joins=joins), batch

    async def _leave(self, tx: SqliteTransaction, batch: CommitGroup, failed: bool) -> None:
        """Hand the connection on, and wait until what was written is committed."""
        try:
            await self._leave_batch(tx, batch, failed)
        finally:
            self._turn.release()
        if not failed:
            done = batch.committed
            await (done if done.done() else asyncio.shield(done))  # others of the batch wait for it too

    async def execute(self, statement: Statement[T], **values: Any) -> list[T]:
        async with self.transaction() as tx:
            return await tx.all(statement, **values)

    def connections(self) -> list[ConnectionUse]:
        """Return how connections are used; reads on the event loop, which never wait, are not among them."""
        readers, is_open = len(self._readers), self._writer is not None
        used = min(self._reading, readers)
        return [
            ConnectionUse("read", self._size, readers, used, self._reading - used),
            ConnectionUse("write", 1, int(is_open), int(self._turn.locked()), self._waiting),
        ]

    def announce(self, channel: str) -> None:
        """Wake who listens in this process, whatever the channel: listeners look what has changed."""
        for committed in self._listening:
            committed.set()

    @asynccontextmanager
    async def listen(self, channel: str) -> AsyncIterator[Wait]:
        """Look at SQLite's own mark of changes, which any process's commit moves, every `POLL` seconds."""
        committed, seen = asyncio.Event(), await self._data_version()

        async def wait() -> None:
            nonlocal seen
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(committed.wait(), POLL)
                committed.clear()
                before, seen = seen, await self._data_version()
                if seen is None or seen != before:
                    return

        self._listening.add(committed)
        try:
            yield wait
        finally:
            self._listening.discard(committed)

    async def close(self) -> None:
        for connection in [*self._readers, *([self._writer.connection] if self._writer else [])]:
            await connection.close()
        if self._inline is not None:
            self._inline.raw.close()
        self._readers, self._writer, self._inline = [], None, None

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

    async def _leave_batch(self, tx: SqliteTransaction, batch: CommitGroup, failed: bool) -> None:
        goes_on = self._waiting > 0 and batch.size < BATCH  # the next in the queue does, in this transaction
        self._batch = batch if goes_on else None
        refused = gone = None
        try:
            if not tx.end_inline(failed=failed, commits=not goes_on):
                ending = asyncio.create_task(tx.end(failed=failed, commits=not goes_on))
                gone = await despite_cancellation(ending)  # what is stored is stored for the whole batch
                refused = ending.result()
        except BaseException as error:
            self._batch = None
            batch.fail(error)
            await _roll_back(tx.writer)
            self._tables.settle()
            raise
        if not tx.joins and (failed or refused or not tx.begun):
            self._batch = None  # there is no transaction to go on in
        if self._batch is None:
            self._tables.settle()
            counts.transactions["commits"] += 1
            batch.committed.set_result(None)
        if refused is not None:
            with plain_errors():
                raise refused
        if gone is not None:
            raise gone

    async def _commit(self, writer: WriteConnection, batch: CommitGroup) -> None:
        try:
            await writer.work(lambda raw: raw.execute(COMMIT))
        except BaseException as error:
            batch.fail(error)
            await _roll_back(writer)
            raise
        finally:
            self._tables.settle()
        batch.committed.set_result(None)

    async def _fetch(self, query: Query) -> list[Any]:
        reader = await self._reader()
        reading = InterruptibleRead(reader._conn, query)
        self._reading += 1
        with plain_errors():
            try:
                found: list[Any] = await reader._execute(reading.rows)  # type: ignore[no-untyped-call]
            except asyncio.CancelledError:
                reading.give_up()
                raise
            finally:
                self._reading -= 1
        return found

    async def _reader(self) -> aiosqlite.Connection:
        if len(self._readers) < self._size:
            async with self._opening:
                while len(self._readers) < self._size:
                    connection = await self._connect()
                    await connection.execute("PRAGMA query_only=ON")
                    self._readers.append(connection)
        self._next = (self._next + 1) % self._size
        return self._readers[self._next]

    async def _open_inline(self) -> InlineReads:
        with plain_errors():
            inline: sqlite3.Connection = sqlite3.connect(self._path, **_OPTIONS)
            inline.executescript(f"{self._pragmas} PRAGMA query_only=ON; PRAGMA busy_timeout=0")
        self._inline = InlineReads(inline)
        return self._inline

    async def _open_writer(self) -> WriteConnection:
        async with self._opening:
            if self._writer is None:
                connection = await self._connect()
                self._writer = WriteConnection(connection, self._busy_timeout, inline=self._journal == "WAL")
            return self._writer

    async def _connect(self) -> aiosqlite.Connection:
        with plain_errors():
            connection = await aiosqlite.connect(self._path, **_OPTIONS)
            try:
                await connection.executescript(self._pragmas)
            except BaseException:
                await connection.close()  # or its thread would outlive the process
                raise
        return connection


class _WriteTurn(AbstractAsyncContextManager[Transaction]):
    """A transaction as a block: `asynccontextmanager` takes as long as a statement."""

    __slots__ = ("_batch", "_db", "_tx")

    def __init__(self, db: Sqlite) -> None:
        self._db = db

    async def __aenter__(self) -> Transaction:
        self._tx, self._batch = await self._db._enter()
        return self._tx

    async def __aexit__(self, kind: object, _error: object, _traceback: object) -> None:
        await self._db._leave(self._tx, self._batch, kind is not None)


async def _roll_back(writer: WriteConnection) -> None:
    if writer.raw.in_transaction:
        await writer.work(lambda raw: raw.rollback())

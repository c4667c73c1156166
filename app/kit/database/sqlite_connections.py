"""The connections to SQLite: what is short runs on the event loop, for a hop to the connection's thread costs
more than most statements; what may wait or take long runs in the thread.

That is: commits, waiting for other processes, writes that need no answer (they are gathered for one hop), and
reads that turn out to be long.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import aiosqlite
from sqlmodel import SQLModel

from app.kit import workers
from app.kit.database.interface import Transaction, insert_many
from app.kit.database.sqlite_errors import plain_errors
from app.kit.database.sqlite_memory import TableMemory
from app.kit.database.statements import Statement

T = TypeVar("T")
GATHERED = 50  # rows that may wait to be written
FEW = 10  # rows that are inserted one by one on the event loop
ROW = 10  # characters that a row to be written counts for
BEGIN, COMMIT, SAVEPOINT, RELEASE = "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT one", "RELEASE one"
Write = tuple[str, Sequence[Any]]
"""A statement without rows, and the arguments of each time it is run."""
STEPS, CHECKS = 1000, 10  # steps of SQLite's machine between checks, and checks after which a read is long
PATIENCE = 100  # times that a read which was long is taken to be long again
Query = tuple[str, Any]
"""A statement with rows, and its arguments."""


class InlineReads:
    """Reads on the event loop, which stop where they turn out to be long. No thread uses the connection."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        self._long: dict[str, int] = {}
        self._checks = 0

    def read(self, query: Query) -> list[Any] | None:
        """Return the rows, or None where getting them takes long, and for a while after it did."""
        text = query[0]
        if text in self._long and self._is_expected_long(text):
            return None
        self._checks = 0
        self.raw.set_progress_handler(self._check, STEPS)
        try:
            return self.raw.execute(*query).fetchall()
        except sqlite3.OperationalError:
            if self._checks < CHECKS:
                raise
            self._long[text] = PATIENCE
            return None
        finally:
            self.raw.set_progress_handler(None, 0)

    def _check(self) -> bool:
        self._checks += 1
        return self._checks >= CHECKS

    def _is_expected_long(self, text: str) -> bool:
        self._long[text] -= 1
        if self._long[text]:
            return True
        del self._long[text]
        return False


class InterruptibleRead:
    """One read in a connection's thread, which ends when whoever waits for it gives it up."""

    def __init__(self, raw: sqlite3.Connection, query: Query) -> None:
        self._raw, self._query = raw, query
        self._lock = threading.Lock()
        self._is_running = self._is_given_up = False

    def rows(self) -> list[Any]:
        """Return the rows; called in the connection's thread."""
        with self._lock:
            if self._is_given_up:
                return []
            self._is_running = True
        try:
            return self._raw.execute(*self._query).fetchall()
        finally:
            with self._lock:
                self._is_running = False

    def give_up(self) -> None:
        """Interrupt the read if it runs, keep it from beginning if it waits, and leave the next one alone."""
        with self._lock:
            self._is_given_up = True
            if self._is_running:
                self._raw.interrupt()


class WriteConnection:
    """The connection that writes: in its thread, or on the event loop while its thread is idle."""

    def __init__(self, connection: aiosqlite.Connection, busy_timeout: str, *, inline: bool) -> None:
        self.connection = connection
        self.raw: sqlite3.Connection = connection._conn
        self._busy_timeout = busy_timeout
        self._inline = inline
        self._asked = self._done = 0  # work for the thread, counted by the loop and by the thread
        self.inline_reads = InlineReads(self.raw)

    @property
    def is_idle(self) -> bool:
        """Tell whether the event loop may use the connection: only where readers never wait for writers, and
        never beside its thread."""
        return self._inline and self._asked == self._done

    async def work(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Run `do` in the connection's thread, after all that was asked before."""

        def run() -> T:
            try:
                return do(self.raw)
            finally:
                self._done += 1

        self._asked += 1
        with plain_errors():
            found: T = await self.connection._execute(run)  # type: ignore[no-untyped-call]  # the driver's way
        return found

    def begin(self) -> bool:
        """Begin a transaction, unless another process is writing: waiting for it is for the thread.

        Returns whether it began.
        """
        try:
            self.raw.execute("PRAGMA busy_timeout=0")
            self.raw.execute(BEGIN)
        except sqlite3.OperationalError:
            return False
        finally:
            self.raw.execute(self._busy_timeout)
        return True


class SqliteTransaction(Transaction):
    """A transaction, alone or in a batch. Statements without rows wait for the next one with rows, or for the
    end: a hop to the thread costs more than most of them. Their errors are raised there.

    The first of a batch begins with its first statement; one that `joins` a batch has a savepoint. `begun`
    tells whether it has done so.
    """

    dialect = "sqlite"

    def __init__(self, writer: WriteConnection, memory: TableMemory, *, joins: bool) -> None:
        self.writer = writer
        self._memory = memory
        self.joins = joins
        self.begun = False
        self._waiting: list[Write] = []
        self._rows = 0

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("sqlite")
        if compiled.tables:
            self._change(compiled.tables)
        query = (compiled.text, compiled.arguments(values))
        if compiled.text.startswith("SELECT") and self._can_run_inline():
            with plain_errors():
                found = self.writer.inline_reads.read(query)
            if found is not None:
                return await compiled.read(found)
        return await compiled.read(await self._run_in_thread(query))

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("sqlite")
        if compiled.tables:
            self._change(compiled.tables)
        query = (compiled.text, compiled.arguments(values))
        if not self._can_run_inline():
            return await compiled.read(await self._run_in_thread(query))
        with plain_errors():
            return await compiled.read(self.writer.raw.execute(*query).fetchall())

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = await statement.prepared("sqlite")
        self._change(compiled.tables)
        await self._queue(compiled.text, [compiled.arguments(values)])

    async def execute_inline(self, statement: Statement[Any], **values: Any) -> None:
        if not self._can_run_inline():
            await self.run(statement, **values)
            return
        compiled = await statement.prepared("sqlite")
        self._change(compiled.tables)
        with plain_errors():
            self.writer.raw.execute(compiled.text, compiled.arguments(values))

    async def add_inline(self, model: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
        if len(rows) > FEW:
            await self.add_many(model, rows)
            return
        for row in rows:
            await self.execute_inline(insert_many(model, tuple(row), missing=False), **row)

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = await statement.prepared("sqlite")
        self._change(compiled.tables)
        await self._queue(compiled.text, await workers.run(len(rows) * ROW, compiled.every, rows))

    async def flush(self) -> None:
        if self._waiting:
            await self._run_in_thread()

    def end_inline(self, *, failed: bool, commits: bool) -> bool:
        """End the transaction on the event loop where nothing waits to be written, undone or committed.

        Returns whether it did; otherwise it is left to `end`.
        """
        if self._waiting or not self.writer.is_idle:
            return False
        if not self.begun and not self.joins:
            return True
        if failed or commits:
            return False
        if self.begun and self.joins:
            self.writer.raw.execute(RELEASE)
        return True

    async def end(self, *, failed: bool, commits: bool) -> Exception | None:
        """Write what waits, or undo all of it where the transaction `failed`; then commit the batch if it
        `commits`.

        Returns the error by which the database refused what waited; then all of it is undone as well.
        """
        waiting = [] if failed else self._taken()
        return await self.writer.work(lambda raw: self._end(raw, waiting, failed, commits))

    def _end(
        self, raw: sqlite3.Connection, waiting: Sequence[Write], failed: bool, commits: bool
    ) -> Exception | None:
        refused: Exception | None = None
        try:
            self._write(raw, waiting)
        except Exception as error:
            refused = error
        if self.begun and self.joins:
            if failed or refused:
                raw.execute("ROLLBACK TO one")
            raw.execute(RELEASE)
        elif self.begun and (failed or refused):
            raw.rollback()
        if commits and raw.in_transaction:
            raw.execute(COMMIT)
        return refused

    def _can_run_inline(self) -> bool:
        """Tell whether a statement may run on the event loop; begins the transaction where it must."""
        if not self.writer.is_idle or self._waiting:
            return False
        if not self.begun and self.joins:
            self.writer.raw.execute(SAVEPOINT)
            self.begun = True
        self.begun = self.begun or self.writer.begin()
        return self.begun

    def _change(self, tables: frozenset[str]) -> None:
        self.changed = True
        self._memory.change(tables)

    async def _queue(self, text: str, arguments: Sequence[Any]) -> None:
        self._waiting.append((text, arguments))
        self._rows += len(arguments)
        if self._rows >= GATHERED:
            await self._run_in_thread()

    def _taken(self) -> list[Write]:
        taken, self._waiting, self._rows = self._waiting, [], 0
        return taken

    async def _run_in_thread(self, query: Query | None = None) -> list[Any]:
        """Run what waits in the connection's thread, and fetch the rows of a query after it."""
        waiting = self._taken()

        def run(raw: sqlite3.Connection) -> list[Any]:
            self._write(raw, waiting)
            self._begin(raw)
            return raw.execute(*query).fetchall() if query else []

        return await self.writer.work(run)

    def _write(self, raw: sqlite3.Connection, writes: Sequence[Write]) -> None:
        if writes:
            self._begin(raw)
        for text, arguments in writes:
            if len(arguments) == 1:
                raw.execute(text, arguments[0])
            elif arguments:
                raw.executemany(text, arguments)

    def _begin(self, raw: sqlite3.Connection) -> None:
        if not self.begun:
            raw.execute(SAVEPOINT if self.joins else BEGIN)
            self.begun = True

"""Writing to SQLite: what is short runs on the loop, for a hop to the connection's thread costs more than
most statements; what may wait or take long runs in the thread.

That is: commits, waiting for other processes, writes that need no answer (they are gathered for one hop), and
readings that turn out to be long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import aiosqlite

from app.kit import workers
from app.kit.database.interface import Transaction
from app.kit.database.sqlite_brief import Brief, Query, plain_errors
from app.kit.database.statements import Statement

T = TypeVar("T")
GATHERED = 50  # rows that may wait to be written
ROW = 10  # characters that a row to be written counts for
BEGIN, COMMIT, SAVEPOINT, RELEASE = "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT one", "RELEASE one"
Write = tuple[str, Sequence[Any]]
"""A statement without rows, and the arguments of each time it is run."""


class Writer:
    """The connection that writes: its thread, and what may be done with it on the loop meanwhile."""

    def __init__(self, connection: aiosqlite.Connection, busy_timeout: str, *, is_near: bool) -> None:
        self.connection = connection
        self.raw: sqlite3.Connection = connection._conn
        self._busy_timeout = busy_timeout
        self._is_near = is_near
        self._asked = self._done = 0  # work for the thread, counted by the loop and by the thread
        self.brief = Brief(self.raw)

    @property
    def is_at_hand(self) -> bool:
        """Whether the loop may use the connection: only where readers never wait for writers, and never
        beside its thread."""
        return self._is_near and self._asked == self._done

    async def work(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Do this in the connection's thread, after all that was asked before."""

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
        """Begin to write, unless another process is writing: waiting for it is for the thread."""
        try:
            self.raw.execute("PRAGMA busy_timeout=0")
            self.raw.execute(BEGIN)
        except sqlite3.OperationalError:
            return False
        finally:
            self.raw.execute(self._busy_timeout)
        return True


class Writing(Transaction):
    """One write. Statements without rows wait for the next one with rows, or for the end: a hop to the thread
    costs more than most of them. An error of theirs comes out there.

    The first of a batch begins the transaction with its first statement; one that `joins` has a savepoint.
    `begun` is whether it has done so.
    """

    dialect = "sqlite"

    def __init__(self, writer: Writer, *, joins: bool) -> None:
        self.writer = writer
        self.joins = joins
        self.begun = False
        self._waiting: list[Write] = []
        self._rows = 0

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("sqlite")
        self.changed |= compiled.changes
        query = (compiled.text, compiled.arguments(values))
        if compiled.text.startswith("SELECT") and self._is_at_hand():
            with plain_errors():
                found = self.writer.brief.read(query)
            if found is not None:
                return await compiled.read(found)
        return await compiled.read(await self._in_one_go(query))

    async def point(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("sqlite")
        self.changed |= compiled.changes
        query = (compiled.text, compiled.arguments(values))
        if not self._is_at_hand():
            return await compiled.read(await self._in_one_go(query))
        with plain_errors():
            return await compiled.read(self.writer.raw.execute(*query).fetchall())

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = await statement.prepared("sqlite")
        await self._later(compiled.text, [compiled.arguments(values)])

    async def jot(self, statement: Statement[Any], **values: Any) -> None:
        if not self._is_at_hand():
            await self.run(statement, **values)
            return
        compiled = await statement.prepared("sqlite")
        self.changed = True
        with plain_errors():
            self.writer.raw.execute(compiled.text, compiled.arguments(values))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = await statement.prepared("sqlite")
        await self._later(compiled.text, await workers.run(len(rows) * ROW, compiled.every, rows))

    async def flush(self) -> None:
        if self._waiting:
            await self._in_one_go()

    async def end(self, *, failed: bool, commits: bool) -> Exception | None:
        """End this write: what waits is written, or all of it undone; then commit for the batch, if told so.

        Returns the error by which the database refused what waited; then all of it is undone as well.
        """
        if self.writer.is_at_hand and not self._waiting:
            if not failed and not commits:
                if self.begun and self.joins:
                    self.writer.raw.execute(RELEASE)
                return None
            if not self.begun and not self.joins:
                return None
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

    def _is_at_hand(self) -> bool:
        """Whether a statement may run on the loop; begins the write if it must."""
        if not self.writer.is_at_hand or self._waiting:
            return False
        if not self.begun and self.joins:
            self.writer.raw.execute(SAVEPOINT)
            self.begun = True
        self.begun = self.begun or self.writer.begin()
        return self.begun

    async def _later(self, text: str, arguments: Sequence[Any]) -> None:
        self.changed = True
        self._waiting.append((text, arguments))
        self._rows += len(arguments)
        if self._rows >= GATHERED:
            await self._in_one_go()

    def _taken(self) -> list[Write]:
        taken, self._waiting, self._rows = self._waiting, [], 0
        return taken

    async def _in_one_go(self, query: Query | None = None) -> list[Any]:
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

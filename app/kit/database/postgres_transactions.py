"""A transaction on PostgreSQL as its caller sees it, and what follows one that has added many rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import asyncpg
from sqlmodel import SQLModel

from app.kit import workers
from app.kit.database.interface import Retry, Transaction
from app.kit.database.postgres_errors import REFUSALS, plain_errors
from app.kit.database.postgres_pending import KEY, PendingWrites, WriteShape, as_json
from app.kit.database.postgres_pending import MOST as MOST_PENDING
from app.kit.database.postgres_sessions import lock_number
from app.kit.database.statements import Compiled, Statement
from app.kit.database.turns import Patience

T = TypeVar("T")
ROW, JSON_ROW = 10, 100  # characters that a row to be written counts for
LEAST = 1.0  # seconds that a statement may take at least
BULK = 1000  # rows that one transaction adds to a table, of which the planner has to know at once
_INTO = re.compile(r"INSERT INTO (\w+)")
_INSERTED = re.compile(r"INSERT 0 (\d+)")
_GREW = """
SELECT name FROM unnest($1::text[], $2::bigint[]) AS added (name, count)
JOIN pg_class ON pg_class.oid = name::regclass WHERE reltuples < 10 * count
"""
_WITH = "WITH "
_TRY = "SELECT pg_try_advisory_xact_lock($1)"


class PostgresTransaction(Transaction):
    """A transaction on one connection, with the locks `lock_keys`.

    `take_turn` takes the turn of another key if that is free; without it, the transaction is alone.
    """

    dialect = "postgresql"

    def __init__(
        self,
        connection: Any,
        lock_keys: frozenset[str],
        take_turn: Callable[[str], Awaitable[bool]] | None = None,
    ) -> None:
        self._connection, self._entered, self._take_turn = connection, lock_keys, take_turn
        self.alone = take_turn is None
        self.patience = LEAST
        """The seconds that a statement may take."""
        self.added: Counter[str] = Counter()
        """The number of rows added to each table."""
        self._pending = PendingWrites()

    def be_patient(self, patience: Patience, most: float) -> None:
        """Let statements take what is left of a patience: where nobody is served, the next does not wait for
        as long as all those before together.
        """
        self.patience = min(most, max(patience.left, LEAST))

    async def lock(self, lock_key: str) -> None:
        """Take a free lock at once; one that is held is waited for before the next start.

        A transaction that waited here would go on with what it saw before, and fail in the end.
        """
        self.lock_keys |= {lock_key}
        if self._take_turn is None or lock_key in self._entered:
            return
        if not await self._take_turn(lock_key):
            raise Retry(f"Somebody else of this process writes at {lock_key}.")
        self._entered |= {lock_key}
        with plain_errors():
            if not await self._connection.fetchval(_TRY, lock_number(lock_key), timeout=self.patience):
                raise Retry(f"Somebody else writes at {lock_key}.")

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        self.changed |= compiled.changes
        text, arguments = await self._with_pending(statement, compiled, values)
        with plain_errors():
            found = await self._connection.fetch(text, *arguments, timeout=self.patience)
        return await compiled.read(found)

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        if statement.within and not compiled.text.startswith(_WITH):  # which may not be in another one
            await self._wait_statement(statement.within, compiled.text, compiled.arguments(values))
            return
        text, arguments = await self._with_pending(statement, compiled, values)
        with plain_errors():
            done = await self._connection.execute(text, *arguments, timeout=self.patience)
        if inserted := _INSERTED.fullmatch(done):
            self._count(compiled.text, int(inserted[1]))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        await self.flush()
        arguments = await workers.run(len(rows) * ROW, compiled.every, rows)
        with plain_errors():
            await self._connection.executemany(compiled.text, arguments, timeout=self.patience)
        self._count(compiled.text, len(rows))

    async def add_many(
        self, model: type[SQLModel], rows: Sequence[dict[str, Any]], *, missing: bool = False
    ) -> None:
        if len(rows) > MOST_PENDING or any(
            isinstance(value, bytes) for row in rows for value in row.values()
        ):
            await super().add_many(model, rows, missing=missing)
        elif rows:
            await self._wait(WriteShape(model, tuple(rows[0]), missing=missing), rows)

    async def put(self, model: type[SQLModel], values: dict[str, Any], **keys: Any) -> None:
        row = {**values, **{KEY + name: value for name, value in keys.items()}}
        await self._wait(WriteShape(model, tuple(values), tuple(keys)), [row])

    async def _wait(self, shape: WriteShape, rows: Sequence[dict[str, Any]]) -> None:
        """Let rows wait, after those that must be written before them."""
        self.changed = True
        written = await workers.run(len(rows) * JSON_ROW, as_json, rows)
        if not self._pending.add(shape, written, len(rows)):
            await self.flush()
            self._pending.add(shape, written, len(rows))

    async def _wait_statement(self, tables: frozenset[str], text: str, arguments: Sequence[Any]) -> None:
        """Let a statement wait, as rows do."""
        if not self._pending.add_statement(tables, text, arguments):
            await self.flush()
            self._pending.add_statement(tables, text, arguments)

    async def flush(self) -> None:
        """Write what waits."""
        if not self._pending:
            return
        self.added.update(self._pending.added)
        text, parameters = self._pending.taken()
        with plain_errors():
            await self._connection.fetch(f"{_WITH}{text} SELECT", *parameters, timeout=self.patience)

    async def _with_pending(
        self, statement: Statement[Any], compiled: Compiled, values: dict[str, Any]
    ) -> tuple[str, Sequence[Any]]:
        """Return a statement with what waits, where it concerns other tables; else that is written first."""
        if not statement.within or self._pending.concern(statement.within):
            await self.flush()
        arguments = compiled.arguments(values)
        if not self._pending:
            return compiled.text, arguments
        self.added.update(self._pending.added)
        pending, parameters = self._pending.taken(before=len(arguments))
        text = compiled.text.removeprefix(_WITH)
        comma = "," if text != compiled.text else ""
        return f"{_WITH}{pending}{comma} {text}", [*arguments, *parameters]

    def _count(self, statement: str, count: int) -> None:
        if into := _INTO.match(statement):
            self.added[into[1]] += count


async def analyze(connection: Any, added: Mapping[str, int], patience: float) -> None:
    """Renew the statistics of tables that have grown by a tenth or more, as the server does a minute later.

    Until then a plan made for few rows may take minutes over what a large import has added.
    """
    bulks = {name: count for name, count in added.items() if count >= BULK}
    if not bulks:
        return
    with suppress(asyncpg.PostgresError, *REFUSALS, OSError):  # what was written is committed by now
        for row in await connection.fetch(_GREW, list(bulks), list(bulks.values()), timeout=patience):
            await connection.execute(f"ANALYZE (SKIP_LOCKED) {row['name']}", timeout=patience)

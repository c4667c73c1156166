"""PostgreSQL's protocol through asyncpg: serializable transactions, whose retries are left to the caller.

A server may close a connection at any time (a restart, an idle limit, a proxy in between). A read is then
tried once more on a fresh one. A write starts again if the connection broke before the commit was sent; after
that nobody can know how it ended, and the caller is told so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import asyncpg

from app.kit import workers
from app.kit.database.interface import ConnectionUse, Database, Retry, Transaction
from app.kit.database.postgres_errors import REFUSALS, Lost, plain_errors
from app.kit.database.postgres_notifications import Announcements, Listener
from app.kit.database.postgres_sessions import Sessions, lock_number
from app.kit.database.statements import Statement
from app.kit.database.turns import OrderedTurns, Patience
from app.kit.database_timeouts import Timeouts
from app.kit.errors import Unavailable

T = TypeVar("T")
ROW = 10  # characters that a row to be written counts for
ONE_VIEW = "SERIALIZABLE"  # sees what was committed before it began, and fails where others changed that
ALONE = "REPEATABLE READ"  # sees the same, and fails only where others changed the same rows
EACH_STATEMENT = "READ COMMITTED"  # sees what was committed before each of its statements
LEAST = 1.0  # seconds that a statement may take at least
BULK = 1000  # rows that one transaction adds to a table, of which the planner has to know at once
_INTO = re.compile(r"INSERT INTO (\w+)")
_INSERTED = re.compile(r"INSERT 0 (\d+)")
_GREW = """
SELECT name FROM unnest($1::text[], $2::bigint[]) AS added (name, count)
JOIN pg_class ON pg_class.oid = name::regclass WHERE reltuples < 10 * count
"""
_TRY = "SELECT pg_try_advisory_xact_lock($1)"
_SNAPSHOT = "SELECT pg_current_snapshot()::text"
_NOTIFY = "SELECT pg_notify($1, '')"


class Postgres(Database):
    """One server, with connections to read and others to write: writers who wait keep nobody from reading."""

    dialect = "postgresql"

    def __init__(self, address: str, *, readers: int, writers: int, timeouts: Timeouts) -> None:
        self._address = address
        self._timeouts = timeouts
        self._reading = Sessions(address, readers, timeouts)
        self._writing = Sessions(address, writers, timeouts)
        self._turns: WeakValueDictionary[str, OrderedTurns] = WeakValueDictionary()
        self._announcements = Announcements(self._notify)

    @property
    def _patience(self) -> float:
        """Return the seconds that a statement of the caller may take."""
        return self._timeouts.current.statement

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        for _ in range(2):
            with suppress(Lost):
                async with self._reading.lend() as connection:
                    with plain_errors():
                        found = await connection.fetch(
                            compiled.text, *compiled.arguments(values), timeout=self._patience
                        )
                return await compiled.read(found)
        raise Unavailable("The database closes its connections; try again shortly.")

    @asynccontextmanager
    async def transaction(
        self, lock_keys: frozenset[str] = frozenset(), *, alone: bool = False
    ) -> AsyncIterator[Transaction]:
        """Open a transaction. Its locks are taken before it sees anything, and held to its end."""
        async with self._turns_at(lock_keys) as (turns, patience):
            connection = await turns.enter_async_context(self._writing.lend(patience.left))
            tx = _PostgresTransaction(connection, lock_keys, self._patience, self._free_turns(turns))
            tx.alone, isolation = alone, ALONE if alone else ONE_VIEW
            async with self._writing.transaction(connection, isolation, lock_keys, most=patience.left):
                # Where nobody is served, the next does not wait for as long as all those before together.
                tx.patience = min(self._patience, max(patience.left, LEAST))
                yield tx
            await _analyze(connection, tx.added, self._patience)

    async def execute(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self.execute_locked("", statement, **values)

    async def execute_locked(self, lock_key: str, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        keys = frozenset({lock_key} if lock_key else ())
        for _ in range(2):
            with suppress(Lost):
                async with (
                    self._turns_at(keys) as (_turns, patience),
                    self._writing.lend(patience.left) as connection,
                    self._writing.transaction(
                        connection, EACH_STATEMENT, keys, most=patience.left, again=True
                    ),
                ):
                    with plain_errors():
                        found = await connection.fetch(
                            compiled.text, *compiled.arguments(values), timeout=self._patience
                        )
                return await compiled.read(found)
        raise Unavailable("The database closes its connections; try again shortly.")

    async def version(self) -> Hashable | None:
        """Return which transactions are visible: two equal snapshots see the same."""
        with suppress(Lost):
            async with self._reading.lend() as connection:
                with plain_errors():
                    snapshot: str = await connection.fetchval(_SNAPSHOT, timeout=self._patience)
                return snapshot
        return None

    def connections(self) -> list[ConnectionUse]:
        return [self._reading.use("read"), self._writing.use("write")]

    def contended(self, lock_keys: frozenset[str]) -> frozenset[str]:
        return frozenset(
            lock_key for lock_key in lock_keys if (turn := self._turns.get(lock_key)) and not turn.is_free
        )

    @asynccontextmanager
    async def _turns_at(self, lock_keys: frozenset[str]) -> AsyncIterator[tuple[AsyncExitStack, Patience]]:
        """Wait until nobody else of this process has any of these locks, and hold them until the block ends.

        Of those who wait for a key here, only one holds a connection.
        """
        patience = Patience(self._timeouts.current.begin)
        async with AsyncExitStack() as turns:
            try:
                for lock_key in sorted(lock_keys):  # in one order everywhere: nobody waits in a circle
                    await turns.enter_async_context(self._turn(lock_key).taken(patience))
            except TimeoutError as error:
                raise Unavailable("Others write at the same place; try again shortly.") from error
            yield turns, patience

    def _free_turns(self, turns: AsyncExitStack) -> Callable[[str], Awaitable[bool]]:
        """Return what takes a key's turn until `turns` end; it tells whether that was free."""

        async def take(lock_key: str) -> bool:
            turn = self._turn(lock_key)
            if turn.is_free:
                await turns.enter_async_context(turn.taken(Patience(0)))
                return True
            return False

        return take

    def _turn(self, lock_key: str) -> OrderedTurns:
        turn = self._turns.get(lock_key) or OrderedTurns()
        self._turns[lock_key] = turn
        return turn

    async def _notify(self, channel: str) -> None:
        async with self._writing.lend() as connection:
            with plain_errors():
                await connection.execute(_NOTIFY, channel, timeout=self._patience)

    def announce(self, channel: str) -> None:
        self._announcements.add(channel)

    def listen(self, channel: str) -> Listener:
        return Listener(self._address, channel, is_pooled=self._reading.is_pooled)

    async def close(self) -> None:
        await self._announcements.sent()
        await self._reading.close()
        await self._writing.close()


class _PostgresTransaction(Transaction):
    dialect = "postgresql"

    def __init__(
        self,
        connection: Any,
        lock_keys: frozenset[str],
        patience: float,
        take_turn: Callable[[str], Awaitable[bool]],
    ) -> None:
        self._connection, self.patience, self._take_turn = connection, patience, take_turn
        self._entered = lock_keys
        self.added: Counter[str] = Counter()
        """The number of rows added to each table."""

    async def lock(self, lock_key: str) -> None:
        """Take a free lock at once; one that is held is waited for before the next start.

        A transaction that waited here would go on with what it saw before, and fail in the end.
        """
        self.lock_keys |= {lock_key}
        if self.alone or lock_key in self._entered:
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
        with plain_errors():
            found = await self._connection.fetch(
                compiled.text, *compiled.arguments(values), timeout=self.patience
            )
        return await compiled.read(found)

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        with plain_errors():
            done = await self._connection.execute(
                compiled.text, *compiled.arguments(values), timeout=self.patience
            )
        if inserted := _INSERTED.fullmatch(done):
            self._count(compiled.text, int(inserted[1]))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        arguments = await workers.run(len(rows) * ROW, compiled.every, rows)
        with plain_errors():
            await self._connection.executemany(compiled.text, arguments, timeout=self.patience)
        self._count(compiled.text, len(rows))

    def _count(self, statement: str, count: int) -> None:
        if into := _INTO.match(statement):
            self.added[into[1]] += count


async def _analyze(connection: Any, added: Counter[str], patience: float) -> None:
    """Renew the statistics of tables that have grown by a tenth or more, as the server does a minute later.

    Until then a plan made for few rows may take minutes over what a large import has added.
    """
    bulks = {name: count for name, count in added.items() if count >= BULK}
    if not bulks:
        return
    with suppress(asyncpg.PostgresError, *REFUSALS, OSError):  # what was written is committed by now
        for row in await connection.fetch(_GREW, list(bulks), list(bulks.values()), timeout=patience):
            await connection.execute(f"ANALYZE (SKIP_LOCKED) {row['name']}", timeout=patience)

"""PostgreSQL's protocol through asyncpg: serializable transactions, whose retries are left to the caller.

A server may close a connection at any time (a restart, an idle limit, a proxy in between). A read is then
tried once more on a fresh one. A write starts again if the connection broke before the commit was sent; after
that nobody can know how it ended, and the caller is told so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from app.kit.database.batching import CombinedReads
from app.kit.database.interface import ConnectionUse, Database, Transaction
from app.kit.database.postgres_errors import Lost, plain_errors
from app.kit.database.postgres_groups import WriteGroups
from app.kit.database.postgres_notifications import Announcements, Listener
from app.kit.database.postgres_sessions import ALONE, EACH_STATEMENT, ONE_VIEW, Sessions
from app.kit.database.postgres_transactions import PostgresTransaction, analyze
from app.kit.database.statements import Statement
from app.kit.database.turns import OrderedTurns, Patience
from app.kit.database_timeouts import Timeouts
from app.kit.errors import Unavailable

T = TypeVar("T")
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
        self._groups: WeakValueDictionary[str, WriteGroups] = WeakValueDictionary()
        self._announcements = Announcements(self._notify)
        self._by_key = CombinedReads(self.all)

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

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        """Do as `all`; requests that read by the same statement at the same time share a round trip."""
        if self._timeouts.is_hurried:
            return await self._by_key.read(statement, values)
        return await self.all(statement, **values)

    @asynccontextmanager
    async def transaction(
        self, lock_keys: frozenset[str] = frozenset(), *, alone: bool = False, together: bool = False
    ) -> AsyncIterator[Transaction]:
        """Open a transaction. Its locks are taken before it sees anything, and held to its end."""
        if alone and together and self._timeouts.is_hurried and len(lock_keys) == 1:
            groups = self._groups_at(*lock_keys)
            if not groups.is_free:
                async with groups.joined() as shared:
                    yield shared
                return
        async with self._turns_at(lock_keys) as (turns, patience):
            connection = await turns.enter_async_context(self._writing.lend(patience.left))
            tx = PostgresTransaction(connection, lock_keys, None if alone else self._free_turns(turns))
            isolation = ALONE if alone else ONE_VIEW
            async with self._writing.transaction(connection, isolation, lock_keys, most=patience.left):
                tx.be_patient(patience, self._patience)
                yield tx
                await tx.flush()
            await analyze(connection, tx.added, self._patience)

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

    def _groups_at(self, lock_key: str) -> WriteGroups:
        groups = self._groups.get(lock_key)
        if groups is None:
            turn = self._turn(lock_key)
            groups = self._groups[lock_key] = WriteGroups(lock_key, turn, self._writing, self._timeouts)
        return groups

    async def _notify(self, channel: str) -> None:
        async with self._writing.lend() as connection:
            with plain_errors():
                await connection.execute(_NOTIFY, channel, timeout=self._patience)

    def announce(self, channel: str) -> None:
        self._announcements.add(channel)

    def listen(self, channel: str) -> Listener:
        return Listener(self._address, channel, is_pooled=self._reading.is_pooled)

    async def close(self) -> None:
        self._by_key.end()
        await self._announcements.sent()
        await self._reading.close()
        await self._writing.close()

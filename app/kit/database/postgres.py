"""PostgreSQL's protocol through asyncpg: a pool, serializable transactions, retries left to the caller.

A server may close a connection at any time (a restart, an idle limit, a proxy in between). A read is then
tried once more on a fresh one. A write starts again if the connection broke before the commit was sent; after
that nobody can know how it ended, and the caller is told so.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Iterator, Sequence
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from hashlib import blake2b
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import asyncpg
import orjson

from app.kit import workers
from app.kit.database.interface import Clash, Database, Retry, Transaction
from app.kit.database.postgres_notifications import Announcements, Listener
from app.kit.database.statements import Statement
from app.kit.errors import Unavailable

T = TypeVar("T")
_BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
ROW = 10  # characters that a row to be written counts for
PATIENCE = 30.0  # seconds that a writer waits for those before it
RELEASE = 5.0  # seconds that a statement has to end after it was given up, before its connection is closed
EACH_STATEMENT = "read_committed"  # sees what was committed before it began
BULK = 1000  # rows that one transaction adds to a table, of which the planner has to know at once
_INTO = re.compile(r"INSERT INTO (\w+)")
_INSERTED = re.compile(r"INSERT 0 (\d+)")
_GREW = """
SELECT name FROM unnest($1::text[], $2::bigint[]) AS added (name, count)
JOIN pg_class ON pg_class.oid = name::regclass WHERE reltuples < 10 * count
"""
_TRY = "SELECT pg_try_advisory_xact_lock($1)"
_WAIT = "SELECT pg_advisory_lock($1)"
_UNLOCK = "SELECT pg_advisory_unlock_all()"
_SNAPSHOT = "SELECT pg_current_snapshot()::text"
_NOTIFY = "SELECT pg_notify($1, '')"
_LOCK = "SELECT pg_advisory_xact_lock($1)"
_REFUSALS = (asyncpg.InterfaceError, asyncpg.InternalClientError)
# What the driver says, instead of sending anything, on a connection that is gone or going.
_GONE = re.compile(r"connection (is closed|has been (closed|released))|cannot switch to state")


class Postgres(Database):
    """One server; the pool opens on first use in the running loop."""

    dialect = "postgresql"

    def __init__(self, address: str, *, size: int) -> None:
        self._address = address
        self._size = size
        self._pool: Any = None
        self._opening = asyncio.Lock()
        self._locking: set[int] = set()  # processes whose sessions may hold locks
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._announcements = Announcements(self._notify)

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        for _ in range(2):
            with suppress(_Lost):
                async with self._connection() as connection:
                    with _plain_errors():
                        found = await connection.fetch(compiled.text, *compiled.arguments(values))
                return await compiled.read(found)
        raise Unavailable("The database closes its connections; try again shortly.")

    @asynccontextmanager
    async def transaction(self, lock_keys: frozenset[str] = frozenset()) -> AsyncIterator[Transaction]:
        """Open a transaction. Its locks are the session's: taken before it sees anything, held to its end."""
        async with AsyncExitStack() as turns:
            for lock_key in sorted(lock_keys):  # in one order everywhere, so that nobody waits in a circle
                await turns.enter_async_context(self._turn(lock_key))
            connection = await turns.enter_async_context(self._connection())  # its end gives the locks back
            for lock_key in sorted(lock_keys):
                self._locking.add(connection.get_server_pid())
                await _wait_in(connection, lock_key)
            tx = _PostgresTransaction(connection, lock_keys)
            async with _all_or_nothing(connection):
                yield tx
            await _analyze(connection, tx.added)

    async def execute(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self.execute_locked("", statement, **values)

    async def execute_locked(self, lock_key: str, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        for _ in range(2):
            with suppress(_Lost):
                async with (
                    self._connection() as connection,
                    _all_or_nothing(connection, EACH_STATEMENT, again=True),
                ):
                    with _plain_errors():
                        if lock_key:
                            await connection.execute(_LOCK, _key(lock_key))
                        found = await connection.fetch(compiled.text, *compiled.arguments(values))
                return await compiled.read(found)
        raise Unavailable("The database closes its connections; try again shortly.")

    async def version(self) -> Hashable | None:
        """Return which transactions are visible: two equal snapshots see the same."""
        with suppress(_Lost):
            async with self._connection() as connection:
                with _plain_errors():
                    snapshot: str = await connection.fetchval(_SNAPSHOT)
                return snapshot
        return None

    def contended(self, lock_keys: frozenset[str]) -> frozenset[str]:
        return frozenset(
            lock_key for lock_key in lock_keys if (turn := self._turns.get(lock_key)) and turn.locked()
        )

    def _turn(self, lock_key: str) -> asyncio.Lock:
        """Return the lock by which only one of those who wait for a key here holds a connection."""
        turn = self._turns.get(lock_key) or asyncio.Lock()
        self._turns[lock_key] = turn
        return turn

    async def _notify(self, channel: str) -> None:
        async with self._connection() as connection:
            with _plain_errors():
                await connection.execute(_NOTIFY, channel)

    def announce(self, channel: str) -> None:
        self._announcements.add(channel)

    def listen(self, channel: str) -> Listener:
        return Listener(self._address, channel)

    async def close(self) -> None:
        await self._announcements.sent()
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """Lend a connection of the pool; where it broke, the idle ones are not used again either."""
        pool = self._pool or await self._open()
        try:
            with _plain_errors():
                connection = await pool.acquire()
            process = connection.get_server_pid()
            try:
                yield connection
            finally:
                # A connection that breaks only now has done its work; the pool drops it.
                with suppress(*_BROKEN, *_REFUSALS):
                    await _release(pool, connection, process)
        except _Lost:
            await pool.expire_connections()
            raise

    async def _open(self) -> Any:
        async with self._opening:
            if self._pool is None:
                with _plain_errors():
                    self._pool = await asyncpg.create_pool(
                        self._address,
                        min_size=0,
                        max_size=self._size,
                        init=_prepare_connection,
                        reset=self._give_back_locks,
                    )
            return self._pool

    async def _give_back_locks(self, connection: Any) -> None:
        """Give back the locks of a session, all that a connection leaves behind for whoever uses it next."""
        process = connection.get_server_pid()
        if process in self._locking:
            await connection.execute(_UNLOCK)
            self._locking.discard(process)


class _Lost(Retry):
    """The connection broke, and nothing that was to be stored has been."""


class _PostgresTransaction(Transaction):
    dialect = "postgresql"

    def __init__(self, connection: Any, lock_keys: frozenset[str]) -> None:
        self._connection = connection
        self._entered = lock_keys
        self.added: Counter[str] = Counter()
        """How many rows were added to each table."""

    async def lock(self, lock_key: str) -> None:
        """Take a free lock at once; one that is held is waited for before the next start.

        A transaction that waited here would go on with what it saw before, and fail in the end.
        """
        self.lock_keys |= {lock_key}
        if lock_key in self._entered:
            return
        with _plain_errors():
            if not await self._connection.fetchval(_TRY, _key(lock_key)):
                raise Retry(f"Somebody else writes at {lock_key}.")

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        compiled = await statement.prepared("postgresql")
        self.changed |= compiled.changes
        with _plain_errors():
            return await compiled.read(
                await self._connection.fetch(compiled.text, *compiled.arguments(values))
            )

    async def run(self, statement: Statement[Any], **values: Any) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        with _plain_errors():
            done = await self._connection.execute(compiled.text, *compiled.arguments(values))
        if inserted := _INSERTED.fullmatch(done):
            self._count(compiled.text, int(inserted[1]))

    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        compiled = await statement.prepared("postgresql")
        self.changed = True
        arguments = await workers.run(len(rows) * ROW, compiled.every, rows)
        with _plain_errors():
            await self._connection.executemany(compiled.text, arguments)
        self._count(compiled.text, len(rows))

    def _count(self, statement: str, count: int) -> None:
        if into := _INTO.match(statement):
            self.added[into[1]] += count


async def _analyze(connection: Any, added: Counter[str]) -> None:
    """Renew the statistics of tables that have grown by a tenth or more, as the server does a minute later.

    Until then a plan made for few rows may take minutes over what a large import has added.
    """
    bulks = {name: count for name, count in added.items() if count >= BULK}
    if not bulks:
        return
    with suppress(asyncpg.PostgresError, *_REFUSALS, OSError):  # what was written is committed by now
        for row in await connection.fetch(_GREW, list(bulks), list(bulks.values())):
            await connection.execute(f"ANALYZE (SKIP_LOCKED) {row['name']}")


async def _release(pool: Any, connection: Any, process: int) -> None:
    """Give a connection back; one whose statement goes on though it was cancelled ends with its process.

    The request to cancel takes a connection of its own. Where it overtakes the statement, the server finds
    nothing to cancel.
    """
    try:
        await pool.release(connection, timeout=RELEASE)
    except TimeoutError:  # the pool has closed the connection by now, which the server does not notice
        await pool.execute("SELECT pg_terminate_backend($1)", process)


def _key(lock_key: str) -> int:
    return int.from_bytes(blake2b(lock_key.encode(), digest_size=8).digest(), "big", signed=True)


async def _wait_in(connection: Any, lock_key: str) -> None:
    with _plain_errors():
        try:
            await connection.execute(_WAIT, _key(lock_key), timeout=PATIENCE)
        except TimeoutError as error:
            raise Unavailable("Others write at the same place; try again shortly.") from error


async def _prepare_connection(connection: Any) -> None:
    """Set up a new connection.

    A sequential scan locks its whole table against all other serializable transactions, and the planner
    prefers it to an index as long as a table is small: writers at different places would meet there.
    """
    await connection.execute("SET enable_seqscan = off")
    for name in ("json", "jsonb"):
        await connection.set_type_codec(
            name, encoder=lambda v: orjson.dumps(v).decode(), decoder=orjson.loads, schema="pg_catalog"
        )


@asynccontextmanager
async def _all_or_nothing(
    connection: Any, isolation: str = "serializable", *, again: bool = False
) -> AsyncIterator[None]:
    """Run a transaction; `again` tells that it may be repeated where nobody knows how its commit ended."""
    transaction = connection.transaction(isolation=isolation)
    with _plain_errors():
        await transaction.start()
    try:
        yield
    except BaseException:
        # It went with its connection, or waits for a statement that goes on: then the release ends it.
        with suppress(*_BROKEN, *_REFUSALS, TimeoutError):
            async with asyncio.timeout(RELEASE):
                await transaction.rollback()
        raise
    with _plain_errors(committing=not again):
        await transaction.commit()


@contextmanager
def _plain_errors(*, committing: bool = False) -> Iterator[None]:
    try:
        yield
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as error:
        raise Retry(str(error)) from error
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Clash(str(error)) from error
    except _BROKEN as error:
        if committing:
            raise Unavailable(
                "The connection broke while storing; see whether the change is there."
            ) from error
        raise _Lost(str(error)) from error
    except _REFUSALS as error:
        if _GONE.search(str(error)) is None:
            raise
        raise _Lost(str(error)) from error
    except (asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError, OSError) as error:
        raise Unavailable("The database cannot be reached.") from error

"""Pools of connections to PostgreSQL: opened on first use, lent for a time, given back clean.

A pooler in transaction mode (PgBouncer, for example) gives each transaction another connection to the server.
It is recognized by the process that answers, which is not the one that the pooler names. Then no statement
stays prepared, and what others set for the session is set for each transaction.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from hashlib import blake2b
from io import BytesIO
from typing import Any, Literal

import asyncpg
import orjson

from app.kit import counts
from app.kit.database.interface import ConnectionUse
from app.kit.database.postgres_errors import BROKEN, REFUSALS, Lost, plain_errors
from app.kit.database.turns import OrderedTurns, Patience
from app.kit.database_timeouts import LONG, Timeouts

RELEASE = 1.5  # seconds that a statement has to end after it was given up, before its connection is closed
PREPARED = 100  # statements that a connection keeps prepared, asyncpg's default
IDLE = 60.0  # seconds without use, after which a connection goes back to the pool, which closes it later
OPENED = 2  # connections that are opened at a time: each costs both sides as much as many statements
APPLICATION = "docyard"  # what pg_stat_activity calls the connections
ONE_VIEW = "SERIALIZABLE"  # sees what was committed before it began, and fails where others changed that
ALONE = "REPEATABLE READ"  # sees the same, and fails only where others changed the same rows
EACH_STATEMENT = "READ COMMITTED"  # sees what was committed before each of its statements
_UNLOCK = "SELECT pg_advisory_unlock_all()"
# A sequential scan locks its whole table against all other serializable transactions, and the planner prefers
# it to an index as long as a table is small: writers at different places would meet there. Where nothing but
# such a scan answers, its estimate is so high that the server would compile the statement first (jit), which
# takes up to seconds.
_SETTINGS = {"enable_seqscan": "off", "jit": "off", "statement_timeout": f"{LONG:.0f}s"}


class Sessions:
    """At most `size` connections to a server, lent one borrower at a time."""

    def __init__(self, address: str, size: int, timeouts: Timeouts) -> None:
        self._address, self._size, self._timeouts = address, size, timeouts
        self._pool: Any = None
        self._kept: list[Any] = []  # connections that are clean, lent again without the pool's care
        self._unused = 0  # of these, from the first on, those that nobody borrowed since the last look
        self._look: asyncio.TimerHandle | None = None
        self._opening = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()  # these end what nobody waits for
        self._locking: set[int] = set()  # processes whose sessions may hold locks
        self._lent, self._opened = OrderedTurns(size), OrderedTurns(OPENED)
        self.is_pooled = False
        """True if a pooler in transaction mode answers; known once a connection was lent."""

    def use(self, purpose: Literal["read", "write"]) -> ConnectionUse:
        """Return how these connections are used now."""
        opened = self._pool.get_size() if self._pool is not None else 0
        idle = self._pool.get_idle_size() + len(self._kept) if self._pool is not None else 0
        return ConnectionUse(purpose, self._size, opened, opened - idle, self._lent.waiting)

    @asynccontextmanager
    async def lend(self, most: float = LONG) -> AsyncIterator[Any]:
        """Lend a connection; where it broke, the idle ones are not used again either.

        Raises Unavailable where none can be had in time, at `most` seconds from now, and `Lost`.
        """
        patience = Patience(min(self._timeouts.current.connection, most))
        async with AsyncExitStack() as turn:
            with plain_errors():
                await turn.enter_async_context(self._lent.taken(patience))
                pool, connection = await self._connected(patience)
            process = connection.get_server_pid()
            try:
                yield connection
            except BaseException as error:
                if isinstance(error, Lost):
                    await pool.expire_connections()
                    await self._give_back_kept(len(self._kept))
                await self._give_back(pool, connection, process)
                raise
            if self._pool is pool and self._is_clean(connection):
                self._keep(connection)
            else:
                await self._give_back(pool, connection, process)

    async def _connected(self, patience: Patience) -> tuple[Any, Any]:
        """Return the pool and a connection of it, which is opened where none is idle."""
        while self._kept:
            connection = self._kept.pop()
            self._unused = min(self._unused, len(self._kept))
            if self._is_clean(connection):
                return self._pool, connection
            await self._pool.release(connection)
        if self._pool is not None and self._pool.get_idle_size():
            return self._pool, await self._pool.acquire(timeout=patience.left)
        async with self._opened.taken(patience):
            async with asyncio.timeout(patience.left):
                pool = self._pool or await self._open()
            connection = await pool.acquire(timeout=patience.left)
            self._lent.note_progress()
            return pool, connection

    def _keep(self, connection: Any) -> None:
        """Keep a connection for the next borrower: the pool would reset what needs no reset, in a task."""
        self._kept.append(connection)
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(IDLE, self._look_for_unused)

    def _look_for_unused(self) -> None:
        """Give back those that nobody borrowed since the last look: they lie below all that were."""
        self._spawn(self._give_back_kept(self._unused))
        self._unused = len(self._kept)
        self._look = asyncio.get_running_loop().call_later(IDLE, self._look_for_unused)

    async def _give_back_kept(self, number: int) -> None:
        """Give the pool the connections that were borrowed least lately."""
        given, self._kept = self._kept[:number], self._kept[number:]
        self._unused = min(self._unused, len(self._kept))
        for connection in given:
            with suppress(*BROKEN, *REFUSALS, TimeoutError):
                await self._pool.release(connection, timeout=RELEASE)

    def _is_clean(self, connection: Any) -> bool:
        """Tell whether a connection is open, and outside a transaction and without locks."""
        try:
            busy = connection.is_closed() or connection.is_in_transaction()
            return not busy and connection.get_server_pid() not in self._locking
        except asyncpg.InterfaceError:  # it broke, and the pool has taken it back
            return False

    @asynccontextmanager
    async def transaction(
        self,
        connection: Any,
        isolation: str,
        lock_keys: Collection[str],
        *,
        most: float = LONG,
        again: bool = False,
        then: str = "",
    ) -> AsyncIterator[None]:
        """Run a transaction on a connection, with locks that are taken before it sees anything.

        It waits for them for at most `most` seconds. `again` tells that it may be repeated where nobody knows
        how its commit ended, and `then` what comes first within it.
        """
        try:
            with plain_errors():
                await self._begin(connection, isolation, lock_keys, most, then)
            yield
        except BaseException:
            # It went with its connection, or waits for a statement that goes on: then the release ends it.
            with suppress(*BROKEN, *REFUSALS, TimeoutError):
                async with asyncio.timeout(RELEASE):
                    await connection.execute("ROLLBACK")
            raise
        with plain_errors(committing=not again):
            await connection.execute("COMMIT", timeout=self._timeouts.current.statement)
        counts.transactions["commits"] += 1

    async def _begin(
        self, connection: Any, isolation: str, lock_keys: Collection[str], most: float, then: str
    ) -> None:
        """Begin a transaction, with its locks, in one round trip.

        A serializable transaction sees what was committed before its first statement. It may not wait for a
        lock itself, since it would go on with what it saw before: its session takes the locks in a
        transaction that ends, and the next one takes them over.
        """
        limits, process = self._timeouts.current, connection.get_server_pid()
        text = f"BEGIN ISOLATION LEVEL {isolation}"
        if self.is_pooled:
            text += "".join(f"; SET LOCAL {name} = '{value}'" for name, value in _SETTINGS.items())
        then = then and f"; {then}"
        if not lock_keys:
            await connection.execute(text + then, timeout=limits.statement)
            return
        keys = [lock_number(each) for each in sorted(lock_keys)]  # in one order everywhere
        waits = "".join(f"SELECT pg_advisory_lock({key}); " for key in keys)
        taken = "".join(f"; SELECT pg_advisory_xact_lock({key}), pg_advisory_unlock({key})" for key in keys)
        self._locking.add(process)
        try:
            await connection.execute(
                f"BEGIN; {waits}COMMIT; {text}{taken}{then}", timeout=min(limits.begin, most)
            )
        except BaseException:
            if self.is_pooled:  # a pooler closes a session that is left within a transaction
                connection.terminate()
            raise
        self._locking.discard(process)

    async def close(self) -> None:
        """Close all connections; those that do not answer are cut off."""
        for task in self._ending:
            task.cancel()
        if self._look is not None:
            self._look.cancel()
        if self._pool is None:
            return
        pool = self._pool
        try:
            async with asyncio.timeout(RELEASE):
                await self._give_back_kept(len(self._kept))
                self._pool = None  # who still has a connection gives it to the pool
                await pool.close()
        except TimeoutError:
            pool.terminate()
        finally:
            self._pool = None

    async def _open(self) -> Any:
        async with self._opening:
            if self._pool is not None:
                return self._pool
            pool = await self._new_pool(PREPARED)
            async with pool.acquire():  # the first connection tells who answers
                pass
            if self.is_pooled:
                await pool.close()
                pool = await self._new_pool(0)
            self._pool = pool
            return pool

    async def _new_pool(self, prepared: int) -> Any:
        return await asyncpg.create_pool(
            self._address,
            min_size=0,
            max_size=self._size,
            init=self._prepare,
            reset=self._give_back_locks,
            statement_cache_size=prepared,
            command_timeout=self._timeouts.statement,
            server_settings={"application_name": APPLICATION},
        )

    async def _prepare(self, connection: Any) -> None:
        """Set up a new connection."""
        if not self.is_pooled:
            self.is_pooled = await _answers_for(connection) != connection.get_server_pid()
        if not self.is_pooled:
            await connection.execute(
                "; ".join(f"SET {name} = '{value}'" for name, value in _SETTINGS.items())
            )
        for name in ("json", "jsonb"):
            await connection.set_type_codec(
                name, encoder=lambda v: orjson.dumps(v).decode(), decoder=orjson.loads, schema="pg_catalog"
            )

    async def _give_back(self, pool: Any, connection: Any, process: int) -> None:
        """Give a connection back to the pool; end a statement that goes on though it was cancelled.

        The request to cancel takes a connection of its own. Where it overtakes the statement, the server
        finds nothing to cancel.
        """
        try:
            # A connection that breaks only now has done its work; the pool drops it.
            with suppress(*BROKEN, *REFUSALS):
                await pool.release(connection, timeout=RELEASE)
        except TimeoutError:  # the pool has closed the connection by now, which the server does not notice
            if not self.is_pooled:  # a pooler notices
                self._spawn(_end(pool, process))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _give_back_locks(self, connection: Any) -> None:
        """Give back the locks of a session that has not begun the transaction which takes them over."""
        process = connection.get_server_pid()
        if process in self._locking:
            await connection.execute(_UNLOCK)
            self._locking.discard(process)


async def _answers_for(connection: Any) -> int:
    """Return the process of the server that answers; asks by COPY, which prepares no statement."""
    found = BytesIO()
    await connection.copy_from_query("SELECT pg_backend_pid()", output=found)
    return int(found.getvalue())


async def _end(pool: Any, process: int) -> None:
    with suppress(asyncpg.PostgresError, *REFUSALS, OSError):
        connection = await pool.acquire(timeout=RELEASE)
        try:
            await connection.execute(f"SELECT pg_terminate_backend({process})", timeout=RELEASE)
        finally:
            await pool.release(connection, timeout=RELEASE)


def lock_number(lock_key: str) -> int:
    """Return the number by which PostgreSQL knows a lock."""
    return int.from_bytes(blake2b(lock_key.encode(), digest_size=8).digest(), "big", signed=True)

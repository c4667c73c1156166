"""The interface of both database engines: `Reader` for reads, `Transaction` for changes.

`statements` compiles the statements; the engines (`sqlite`, `postgres`) run their text.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from random import SystemRandom
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import Update, and_, delete, insert, update
from sqlmodel import SQLModel

from app.kit import counts, workers
from app.kit.database.statements import Statement, by_engine, command, given, insert_into, query, table
from app.kit.errors import Unavailable

M = TypeVar("M", bound=SQLModel)
T = TypeVar("T")
ATTEMPTS = 8
PAUSE = 0.005  # seconds, about, before a transaction starts again for the first time
_chance = SystemRandom()
WRITING = "writing"  # the worker pool for what runs in transactions
Wait = Callable[[], Awaitable[None]]


class Clash(Exception):
    """Raised where a unique or foreign key refuses a change."""


class Retry(Exception):
    """Raised where two transactions conflict; running this one again from the start resolves it."""


class NotAlone(Retry):
    """Raised where a transaction concerns more than what its locks cover; running it again compares views."""


class ConnectionUse(NamedTuple):
    """The connections for reads or for writes: how many there may be, are open, are used, are waited for."""

    purpose: Literal["read", "write"]
    most: int
    opened: int
    used: int
    waiting: int


class Reader(ABC):
    """Runs statements that read. Each call is one round trip to the driver."""

    dialect: str

    @abstractmethod
    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        """Return every row."""

    async def first(self, statement: Statement[T], **values: Any) -> T | None:
        """Return the first row, or None."""
        rows = await self.all(statement, **values)
        return rows[0] if rows else None

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        """Return the few rows behind a key; SQLite reads them on the event loop."""
        return await self.all(statement, **values)

    async def read_inline(self, statement: Statement[T], **values: Any) -> list[T]:
        """Return the rows of a read that is short as a rule, such as a page of a list.

        SQLite begins it on the event loop, and continues in a thread where it turns out to be long.
        """
        return await self.all(statement, **values)

    async def memory(self) -> dict[str, Any]:
        """Return a cache of results by name that is valid until the next commit of any connection.

        Get it before reading what is put there. It is empty, and not kept, on an engine that cannot tell at
        once that something changed.
        """
        return {}

    async def memory_of(self, tables: frozenset[str]) -> dict[str, Any]:
        """Do as `memory`, for what is read from these tables alone: the commits of this process that change
        none of them leave it valid, where the engine can tell.
        """
        return await self.memory()

    async def version(self) -> Hashable | None:
        """Return a mark of what is committed: while it stays the same, every read finds the same.

        None on an engine that cannot tell at once.
        """
        return None


class Transaction(Reader):
    """A transaction: whoever opened it commits all of it, or none.

    `lock_keys` are the locks that it waits for if it must start again; `changed` tells whether a statement
    that writes was run; `alone` is what it was opened with, false on an engine with one writer.
    """

    lock_keys: frozenset[str] = frozenset()
    changed = False
    alone = False

    async def lock(self, lock_key: str) -> None:
        """Lock a key until the end of the transaction: no other transaction that locks it commits meanwhile.

        Raises `Retry` where another one holds it. An engine with one writer needs no locks.
        """

    @abstractmethod
    async def run(self, statement: Statement[Any], **values: Any) -> None:
        """Run a statement without rows."""

    async def execute_inline(self, statement: Statement[Any], **values: Any) -> None:
        """Run a short statement without rows, such as one insert; SQLite runs it on the event loop."""
        await self.run(statement, **values)

    @abstractmethod
    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        """Run one statement for each set of values, in one round trip."""

    async def flush(self) -> None:
        """Run the statements that an engine gathers, so that what it refuses of them is raised here."""

    async def add(self, model: type[M], **values: Any) -> M:
        """Insert one row and return it as stored."""
        row: M = (await self.get_by_key(_insert(model, tuple(values)), **values))[0]
        return row

    async def add_many(
        self, model: type[SQLModel], rows: Sequence[dict[str, Any]], *, missing: bool = False
    ) -> None:
        """Insert rows of the same columns; with `missing`, those already there are left as they are."""
        if rows:
            await self.run_many(insert_many(model, tuple(rows[0]), missing), rows)

    async def add_inline(self, model: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
        """Insert a few short rows of the same columns; SQLite does so on the event loop."""
        await self.add_many(model, rows)

    async def change(self, model: type[M], values: dict[str, Any], **keys: Any) -> M:
        """Update the one row whose columns equal `keys` and return it as it is now."""
        given_keys = {f"key_{name}": value for name, value in keys.items()}
        found = await self.get_by_key(_update(model, tuple(values), tuple(keys)), **values, **given_keys)
        row: M = found[0]
        return row

    async def put(self, model: type[SQLModel], values: dict[str, Any], **keys: Any) -> None:
        """Update the one row whose columns equal `keys`, without reading it back."""
        given_keys = {f"key_{name}": value for name, value in keys.items()}
        await self.run(_put(model, tuple(values), tuple(keys)), **values, **given_keys)

    async def remove(self, model: type[SQLModel], **keys: Any) -> None:
        """Delete the rows whose columns equal `keys`."""
        await self.run(_delete(model, tuple(keys)), **keys)


class Database(Reader):
    """A database: reads, and opens transactions."""

    @abstractmethod
    def transaction(
        self, lock_keys: frozenset[str] = frozenset(), *, alone: bool = False, together: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that is committed at the end of the block, or rolled back by an exception.

        With `lock_keys` it begins when it holds these locks. Whoever says that it is `alone` with what it
        reads and changes, since all others who do so take these locks, spares an engine with several writers
        the comparison of what they have read; those who wait for the same lock, `together`, may share one
        transaction, in which each is undone by itself. Raises `Clash` for integrity errors and `Retry`
        where the engine asks to start again.
        """

    def contended(self, lock_keys: frozenset[str]) -> frozenset[str]:
        """Return those of the keys that a transaction of this process holds or waits for."""
        return frozenset()

    async def write(
        self,
        call: Callable[[Transaction], Awaitable[T]],
        *,
        likely_keys: frozenset[str] = frozenset(),
        alone: bool = False,
    ) -> T:
        """Run `call` in a transaction and commit it; it starts again where two transactions conflict.

        `likely_keys` are those it will probably lock: where others hold them already, it waits for them
        before it begins. With `alone` it waits for them in any case (see `transaction`), and `call` raises
        `NotAlone` where that was not true. Raises `Clash` for integrity errors and Unavailable where starting
        again did not help.
        """
        lock_keys = likely_keys if alone else self.contended(likely_keys)
        for attempt in range(ATTEMPTS):
            entered = lock_keys
            try:
                async with self.transaction(lock_keys, alone=alone, together=attempt == 0) as tx:
                    try:
                        with workers.in_own_pool(WRITING):
                            written = await call(tx)
                    finally:
                        lock_keys = entered | tx.lock_keys  # whoever meets others at two places waits at both
                counts.transactions["writes"] += 1
                return written
            except Clash:
                if lock_keys == entered and not alone:
                    raise
                # It met another transaction: perhaps it clashed with what it could not see.
                alone = False
            except Retry as retry:
                counts.transactions["restarts"] += 1
                alone = alone and not isinstance(retry, NotAlone)
                # Those that met would meet again if they all waited equally long.
                await asyncio.sleep(PAUSE * 2**attempt * _chance.uniform(0.5, 1.5))
        raise Unavailable("Too many changes at the same place; try again shortly.")

    @abstractmethod
    async def execute(self, statement: Statement[T], **values: Any) -> list[T]:
        """Run one writing statement in a transaction of its own, and return its rows.

        It sees what others have committed by now, and never has to start again: callers that take rows at the
        same time take different ones.
        """

    async def execute_locked(self, lock_key: str, statement: Statement[T], **values: Any) -> list[T]:
        """Do as `execute`, one after another for a key: each sees what those before it have committed.

        An engine with one writer needs no lock.
        """
        return await self.execute(statement, **values)

    @abstractmethod
    def connections(self) -> list[ConnectionUse]:
        """Return how the connections of this process are used now, by what they are for."""

    @abstractmethod
    def announce(self, channel: str) -> None:
        """Wake those who `listen` on a channel, in this process and others, to what was just committed."""

    @abstractmethod
    def listen(self, channel: str) -> AbstractAsyncContextManager[Wait]:
        """Listen on a channel until the end of the block; needs a running loop.

        What it gives waits until there may be something new: after each announcement, and now and then
        without one, so that none is missed for long.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close the connections."""


@cache
def _insert(model: type[M], names: tuple[str, ...]) -> Statement[M]:
    t = table(model)
    return query(model, lambda: insert(t).values({n: given(n, t.c[n].type) for n in names}).returning(*t.c))


@cache
def insert_many(model: type[SQLModel], names: tuple[str, ...], missing: bool) -> Statement[Any]:
    """Return what inserts rows of these columns; with `missing`, those already there are left as they are."""
    t = table(model)
    values = {n: given(n, t.c[n].type) for n in names}
    if not missing:
        return command(lambda: insert(t).values(values))
    return command(by_engine(lambda engine: insert_into(t, engine).values(values).on_conflict_do_nothing()))


def _updated(t: Any, names: tuple[str, ...], keys: tuple[str, ...]) -> Update:
    changed = update(t).values({n: given(n, t.c[n].type) for n in names})
    return changed.where(and_(*(t.c[k] == given(f"key_{k}", t.c[k].type) for k in keys)))


@cache
def _update(model: type[M], names: tuple[str, ...], keys: tuple[str, ...]) -> Statement[M]:
    t = table(model)
    return query(model, lambda: _updated(t, names, keys).returning(*t.c))


@cache
def _put(model: type[SQLModel], names: tuple[str, ...], keys: tuple[str, ...]) -> Statement[Any]:
    t = table(model)
    return command(lambda: _updated(t, names, keys))


@cache
def _delete(model: type[SQLModel], keys: tuple[str, ...]) -> Statement[Any]:
    t = table(model)
    return command(lambda: delete(t).where(and_(*(t.c[k] == given(k, t.c[k].type) for k in keys))))

"""One way to the data on both engines: `Reader` for snapshots, `Transaction` for changes.

Statements come from `statements`; the engines (`sqlite`, `postgres`) only run text.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Update, and_, delete, insert, update
from sqlmodel import SQLModel

from app.kit import workers
from app.kit.database.statements import Statement, by_engine, command, given, insert_into, query, table
from app.kit.errors import Unavailable

M = TypeVar("M", bound=SQLModel)
T = TypeVar("T")
ATTEMPTS = 8
WRITING = "writing"  # the lane of the worker pool for what runs in transactions


class Clash(Exception):
    """A unique or foreign key refused the change."""


class Retry(Exception):
    """Two transactions met; running this one again from the start will do."""


class Reader(ABC):
    """Runs statements. Each call is one hop to the driver."""

    dialect: str

    @abstractmethod
    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        """Every row."""

    async def first(self, statement: Statement[T], **values: Any) -> T | None:
        """The first row, or None."""
        rows = await self.all(statement, **values)
        return rows[0] if rows else None

    async def point(self, statement: Statement[T], **values: Any) -> list[T]:
        """The few rows behind a key. An engine in this process may answer at once, without a hop."""
        return await self.all(statement, **values)

    async def brief(self, statement: Statement[T], **values: Any) -> list[T]:
        """The rows of a reading that is brief as a rule, a page of a list: perhaps at once, as of `point`."""
        return await self.all(statement, **values)

    async def memory(self) -> dict[str, Any]:
        """Answers by name that hold until anybody's next commit. Ask for it before reading what is put there.

        Where an engine cannot tell at once that something changed, it is empty and kept by nobody.
        """
        return {}


class Transaction(Reader):
    """A unit of change: all of it is committed by whoever opened it, or none.

    `lanes` are where it queues if it must start again; `changed`, whether a statement that writes was run.
    """

    lanes: frozenset[str] = frozenset()
    changed = False

    async def queue(self, lane: str) -> None:
        """Write alone at a place that many may write at: nobody else who queues there commits meanwhile.

        Raises `Retry` where somebody is at it. An engine with one writer has nobody to wait for.
        """

    @abstractmethod
    async def run(self, statement: Statement[Any], **values: Any) -> None:
        """Run a statement without rows."""

    async def jot(self, statement: Statement[Any], **values: Any) -> None:
        """Run a brief statement without rows, such as one insert, where that costs least."""
        await self.run(statement, **values)

    @abstractmethod
    async def run_many(self, statement: Statement[Any], rows: Sequence[dict[str, Any]]) -> None:
        """Run one statement for each set of values, in one hop."""

    async def flush(self) -> None:
        """Run the statements that an engine gathers, so that what it refuses of them is raised here."""

    async def add(self, model: type[M], **values: Any) -> M:
        """Insert one row and return it as stored."""
        row: M = (await self.point(_insert(model, tuple(values)), **values))[0]
        return row

    async def add_many(
        self, model: type[SQLModel], rows: Sequence[dict[str, Any]], *, missing: bool = False
    ) -> None:
        """Insert rows of the same columns; with `missing`, those already there are left as they are."""
        if rows:
            await self.run_many(_insert_many(model, tuple(rows[0]), missing), rows)

    async def change(self, model: type[M], values: dict[str, Any], **keys: Any) -> M:
        """Update the one row whose columns equal `keys` and return it as it is now."""
        given_keys = {f"key_{name}": value for name, value in keys.items()}
        found = await self.point(_update(model, tuple(values), tuple(keys)), **values, **given_keys)
        row: M = found[0]
        return row

    async def put(self, model: type[SQLModel], values: dict[str, Any], **keys: Any) -> None:
        """Update the one row whose columns equal `keys`; nobody asks what it is then."""
        given_keys = {f"key_{name}": value for name, value in keys.items()}
        await self.run(_put(model, tuple(values), tuple(keys)), **values, **given_keys)

    async def remove(self, model: type[SQLModel], **keys: Any) -> None:
        """Delete the rows whose columns equal `keys`."""
        await self.run(_delete(model, tuple(keys)), **keys)


class Database(Reader):
    """The reading side, and the door to a transaction."""

    @abstractmethod
    def transaction(self, lanes: frozenset[str] = frozenset()) -> AbstractAsyncContextManager[Transaction]:
        """Everything run inside is committed at the end, or rolled back by an exception.

        With `lanes` it begins when all who came to those earlier are done. Raises `Clash` for integrity
        errors and `Retry` where the engine asks to start again.
        """

    def crowded(self, lanes: frozenset[str]) -> frozenset[str]:
        """Those of the lanes in which somebody of this process is, or waits to be."""
        return frozenset()

    async def write(
        self, call: Callable[[Transaction], Awaitable[T]], *, likely: frozenset[str] = frozenset()
    ) -> T:
        """Run `call` in a transaction and commit it; started again where two transactions met.

        Where it will `likely` queue and others do already, it begins there: it would only meet them. Raises
        `Clash` for integrity errors and Unavailable where starting again did not help.
        """
        lanes = self.crowded(likely)
        for attempt in range(ATTEMPTS):
            entered = lanes
            try:
                async with self.transaction(lanes) as tx:
                    try:
                        with workers.in_lane(WRITING):
                            return await call(tx)
                    finally:
                        lanes = entered | tx.lanes  # whoever meets others at two places waits at both
            except Clash:
                if lanes == entered:
                    raise
                # It was not alone: perhaps it clashed with what it could not see.
            except Retry:
                await asyncio.sleep(0.005 * 2**attempt)
        raise Unavailable("Too many changes at the same place; try again shortly.")

    @abstractmethod
    async def execute(self, statement: Statement[T], **values: Any) -> list[T]:
        """Run one writing statement in a transaction of its own that sees what others have committed by now,
        and return its rows. It never has to start again: who takes rows at the same time takes others."""

    @abstractmethod
    async def close(self) -> None:
        """Give the connections back."""


@cache
def _insert(model: type[M], names: tuple[str, ...]) -> Statement[M]:
    t = table(model)
    return query(model, lambda: insert(t).values({n: given(n, t.c[n].type) for n in names}).returning(*t.c))


@cache
def _insert_many(model: type[SQLModel], names: tuple[str, ...], missing: bool) -> Statement[Any]:
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

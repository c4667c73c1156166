"""Batched reads: several calls of one statement become one statement.

A GraphQL list whose items each read something of their own so costs one statement more, not one for each
item; the functions that read know nothing of it, and each gets its own rows, or its own error. In the same
way the reads by key of several requests become one where a database is reached over a network.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import Future, TimerHandle
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from contextvars import Context
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from app.kit.database.interface import Reader
from app.kit.database.statements import Compiled, Statement
from app.kit.errors import Unavailable

T = TypeVar("T")
MAX_BATCH = 50  # calls in one statement: databases bound its parts and its parameters
KEPT_STATEMENTS = 500
AT_ONCE = 2  # statements of many requests that run at a time, before others wait to be combined
PATIENCE = 0.1  # seconds that they wait at most, for one that runs may be slow
_NUMBERED = re.compile(r"\$(\d+)")
Read = Callable[..., Coroutine[Any, Any, list[Any]]]
_Call = tuple[dict[str, Any], "Future[list[Any]]"]


class BatchingReader(Reader):
    """A reader for one request whose parts read at the same time; it batches what they read."""

    def __init__(self, db: Reader) -> None:
        self.dialect = db.dialect
        self._db = db
        self._waiting: dict[Statement[Any], list[_Call]] = {}
        self._batches = _Batches(db.all)
        self._memory: dict[str, Any] | None = None

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self._batched(self._db.all, statement, values)

    async def read_inline(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self._batched(self._db.read_inline, statement, values)

    async def _batched(self, read: Read, statement: Statement[T], values: dict[str, Any]) -> list[T]:
        """Return rows, read by `read` where nobody else asks for the same: a batch is not short."""
        if statement in self._waiting:
            return await self._join(statement, values)
        calls = self._waiting[statement] = []
        try:
            await asyncio.sleep(0)  # whoever is about to ask the same does so now
            mine = self._join(statement, values) if calls else None
        finally:
            self._batches.start(statement, self._waiting.pop(statement))
        return await (mine or read(statement, **values))

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        if self.dialect == "sqlite":  # in this process: a batch saves nothing
            return await self._db.get_by_key(statement, **values)
        return await self.all(statement, **values)

    async def memory(self) -> dict[str, Any]:
        """Return the memory, asked for once in a turn of the event loop: each look at it is a statement."""
        if self._memory is None:
            self._memory = await self._db.memory()
            asyncio.get_running_loop().call_soon(self._look_again)
        return self._memory

    def _look_again(self) -> None:
        self._memory = None

    def end(self) -> None:
        """Cancel the statements that still run, for nobody waits for them any more."""
        self._batches.end()

    def _join(self, statement: Statement[Any], values: dict[str, Any]) -> Future[list[Any]]:
        answer: Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._waiting[statement].append((values, answer))
        return answer


class CombinedReads:
    """Reads of many requests: those that come while the same statement runs are one statement after it.

    Each begins after it was asked for, so it sees whatever was committed by then. Alone it begins at once.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._batches = _Batches(read)
        self._running: Counter[Statement[Any]] = Counter()
        self._waiting: dict[Statement[Any], tuple[list[_Call], TimerHandle]] = {}

    async def read(self, statement: Statement[T], values: dict[str, Any]) -> list[T]:
        """Return the rows of a statement with these values."""
        if self._running[statement] >= AT_ONCE:
            return await self._join(statement, values)
        self._running[statement] += 1
        try:
            return await self._read(statement, **values)
        finally:
            self._note_end(statement)

    def end(self) -> None:
        """Cancel the statements that still run, for nobody waits for them any more."""
        self._batches.end()

    def _join(self, statement: Statement[Any], values: dict[str, Any]) -> Future[list[Any]]:
        loop = asyncio.get_running_loop()
        if statement not in self._waiting:
            self._waiting[statement] = [], loop.call_later(PATIENCE, self._start, statement)
        answer: Future[list[Any]] = loop.create_future()
        self._waiting[statement][0].append((values, answer))
        return answer

    def _start(self, statement: Statement[Any]) -> None:
        """Read for all who wait, within the limits of a request whoever they are."""
        calls, timer = self._waiting.pop(statement)
        timer.cancel()
        wanted = [call for call in calls if not call[1].done()]
        for task in self._batches.start(statement, wanted, rounded=True, context=Context()):
            self._running[statement] += 1
            task.add_done_callback(lambda _: self._note_end(statement))

    def _note_end(self, statement: Statement[Any]) -> None:
        self._running[statement] -= 1
        if statement in self._waiting:
            self._start(statement)
        elif not self._running[statement]:
            del self._running[statement]


class _Batches:
    """Runs of calls as batches, in tasks of their own, whatever becomes of the caller who came first."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._running: set[asyncio.Task[None]] = set()

    def start(
        self,
        statement: Statement[Any],
        calls: list[_Call],
        *,
        rounded: bool = False,
        context: Context | None = None,
    ) -> list[asyncio.Task[None]]:
        """Run the calls; with `rounded`, in statements of few different sizes, so that they stay prepared."""
        tasks = []
        for begin in range(0, len(calls), MAX_BATCH):
            batch = self._run(statement, calls[begin : begin + MAX_BATCH], rounded)
            tasks.append(asyncio.create_task(batch, context=context))
        for task in tasks:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return tasks

    def end(self) -> None:
        for task in self._running:
            task.cancel()

    async def _run(self, statement: Statement[Any], calls: list[_Call], rounded: bool) -> None:
        if rounded and len(calls) == 1:
            return await self._run_alone(statement, *calls[0])
        each = [values for values, _ in calls]
        if rounded:
            each += each[-1:] * (_rounded(len(each)) - len(each))
        try:
            found = dict(await self._read(batched(statement, len(each)), each=each))
        except Unavailable as unavailable:
            for _, answer in calls:
                _resolve(answer, unavailable)
        except Exception:  # one of them may be at fault: each runs alone and fails alone
            for values, answer in calls:
                await self._run_alone(statement, values, answer)
        else:
            for n, (_, answer) in enumerate(calls):
                _resolve(answer, found.get(n, []))
        return None

    async def _run_alone(self, statement: Statement[Any], values: dict[str, Any], answer: Any) -> None:
        try:
            _resolve(answer, await self._read(statement, **values))
        except Exception as error:
            _resolve(answer, error)


def _rounded(number: int) -> int:
    """Return the next power of two, at most `MAX_BATCH`."""
    return min(1 << (number - 1).bit_length(), MAX_BATCH)


class SharedReader(Reader):
    """A reader for several who read at the same moment: what they read alike is read once.

    All of them get the same rows, which nobody may change.
    """

    def __init__(self, db: Reader) -> None:
        self.dialect = db.dialect
        self._db = db
        self._reads: dict[Hashable, asyncio.Task[list[Any]]] = {}

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self._shared(self._db.all, statement, values)

    async def read_inline(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self._shared(self._db.read_inline, statement, values)

    async def get_by_key(self, statement: Statement[T], **values: Any) -> list[T]:
        return await self._shared(self._db.get_by_key, statement, values)

    async def memory(self) -> dict[str, Any]:
        return await self._db.memory()

    async def _shared(self, read: Read, statement: Statement[Any], values: dict[str, Any]) -> list[Any]:
        key = (read.__name__, statement, *sorted(values.items()))
        try:
            running = self._reads.get(key)
        except TypeError:  # lists of values
            return await read(statement, **values)
        if running is None:
            running = self._reads[key] = asyncio.ensure_future(read(statement, **values))
        return list(running.result() if running.done() else await asyncio.shield(running))


def _resolve(answer: Future[list[Any]], found: list[Any] | Exception) -> None:
    if answer.done():  # whoever asked went away
        return
    if isinstance(found, Exception):
        answer.set_exception(found)
    else:
        answer.set_result(found)


class BatchedStatement(Statement[Any]):
    """A statement for several sets of values (`each`); its rows are pairs of a set's number and its rows."""

    __slots__ = ("_count", "_one")

    def __init__(self, one: Statement[Any], count: int) -> None:
        super().__init__({})
        self._one, self._count = one, count

    def compiled(self, dialect: str) -> Compiled:
        found = self._compiled.get(dialect)
        if found is None:
            found = self._compiled[dialect] = _CompiledBatch(self._one.compiled(dialect), self._count)
        return found


@lru_cache(KEPT_STATEMENTS)
def batched(one: Statement[Any], count: int) -> BatchedStatement:
    """Return the statement for `count` sets of values; it is cached."""
    return BatchedStatement(one, count)


class _CompiledBatch(Compiled):
    """The text of one statement, once for each set of values, joined by UNION ALL."""

    __slots__ = ("_one",)

    def __init__(self, one: Compiled, count: int) -> None:
        self._one = one
        highest = max((int(n) for n in _NUMBERED.findall(one.text)), default=0)
        self.text = " UNION ALL ".join(
            f"SELECT {n} AS set_, one.* FROM ({_shifted(one.text, n * highest)}) AS one" for n in range(count)
        )

    def arguments(self, values: dict[str, Any]) -> Sequence[Any]:
        return [argument for each in values["each"] for argument in self._one.arguments(each)]

    def nested_size(self, raw: Sequence[Sequence[Any]]) -> int:
        return self._one.nested_size([row[1:] for row in raw])

    def rows(self, raw: Iterable[Sequence[Any]]) -> list[Any]:
        by_set = groupby(sorted(raw, key=itemgetter(0)), key=itemgetter(0))
        return [(n, self._one.rows(row[1:] for row in rows)) for n, rows in by_set]


def _shifted(text: str, by: int) -> str:
    """Return the text with its numbered parameters (PostgreSQL's) raised by a number."""
    return _NUMBERED.sub(lambda found: f"${int(found[1]) + by}", text) if by else text

"""Reading together: what several callers ask of one statement in the same turn of the loop goes in one.

A GraphQL list whose items each ask for something of their own so costs one statement more, not one for each
item; the functions that ask know nothing of it, and each has its own rows, or its own error, in the end.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import Future
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from app.kit.database.interface import Reader
from app.kit.database.statements import Compiled, Statement
from app.kit.errors import Unavailable

T = TypeVar("T")
MOST = 50  # askings in one statement: databases bound its parts and its parameters
KEPT = 500
_NUMBERED = re.compile(r"\$(\d+)")
_Asking = tuple[dict[str, Any], "Future[list[Any]]"]


class Together(Reader):
    """Another reader, for one request whose parts ask at the same time."""

    def __init__(self, db: Reader) -> None:
        self.dialect = db.dialect
        self._db = db
        self._waiting: dict[Statement[Any], list[_Asking]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def all(self, statement: Statement[T], **values: Any) -> list[T]:
        if statement in self._waiting:
            return await self._join(statement, values)
        askings = self._waiting[statement] = []
        try:
            await asyncio.sleep(0)  # whoever is about to ask the same does so now
            mine = self._join(statement, values) if askings else None
        finally:
            self._start(statement, self._waiting.pop(statement))
        return await (mine or self._db.all(statement, **values))

    async def point(self, statement: Statement[T], **values: Any) -> list[T]:
        near = self.dialect == "sqlite"  # in this process: nothing is saved by asking once
        return await (self._db.point(statement, **values) if near else self.all(statement, **values))

    async def memory(self) -> dict[str, Any]:
        return await self._db.memory()

    def end(self) -> None:
        """Give up the statements that still run, for nobody waits for them any more."""
        for task in self._running:
            task.cancel()

    def _join(self, statement: Statement[Any], values: dict[str, Any]) -> Future[list[Any]]:
        answer: Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._waiting[statement].append((values, answer))
        return answer

    def _start(self, statement: Statement[Any], askings: list[_Asking]) -> None:
        """Ask for all of them, whatever becomes of the caller who came first."""
        for begin in range(0, len(askings), MOST):
            task = asyncio.create_task(self._ask(statement, askings[begin : begin + MOST]))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _ask(self, statement: Statement[Any], askings: list[_Asking]) -> None:
        try:
            several = joined(statement, len(askings))
            found = dict(await self._db.all(several, each=[values for values, _ in askings]))
        except Unavailable as unavailable:
            for _, answer in askings:
                _tell(answer, unavailable)
        except Exception:  # one of them may be at fault: each is asked alone and fails alone
            for values, answer in askings:
                await self._ask_alone(statement, values, answer)
        else:
            for n, (_, answer) in enumerate(askings):
                _tell(answer, found.get(n, []))

    async def _ask_alone(self, statement: Statement[Any], values: dict[str, Any], answer: Any) -> None:
        try:
            _tell(answer, await self._db.all(statement, **values))
        except Exception as error:
            _tell(answer, error)


def _tell(answer: Future[list[Any]], found: list[Any] | Exception) -> None:
    if answer.done():  # whoever asked went away
        return
    if isinstance(found, Exception):
        answer.set_exception(found)
    else:
        answer.set_result(found)


class Joined(Statement[Any]):
    """A statement for several sets of values (`each`); its rows are pairs of a set's number and its rows."""

    __slots__ = ("_count", "_one")

    def __init__(self, one: Statement[Any], count: int) -> None:
        super().__init__({})
        self._one, self._count = one, count

    def compiled(self, dialect: str) -> Compiled:
        found = self._compiled.get(dialect)
        if found is None:
            found = self._compiled[dialect] = _Several(self._one.compiled(dialect), self._count)
        return found


@lru_cache(KEPT)
def joined(one: Statement[Any], count: int) -> Joined:
    """The statement for this many sets of values, kept as statements are."""
    return Joined(one, count)


class _Several(Compiled):
    """The text of one statement once for each set, with what belongs to it."""

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
    """The text with its numbered parameters (PostgreSQL's) counted on from those of the sets before."""
    return _NUMBERED.sub(lambda found: f"${int(found[1]) + by}", text) if by else text

"""Writers at one place of PostgreSQL that share a transaction, and with it one commit.

Whoever finds the place taken waits. When it is free, those who wait by then write one after another in one
transaction, each behind a savepoint, and are answered after its commit. Nobody joins a transaction that has
begun: it sees what was committed before its beginning, so each of them sees all that was committed before
they asked.

Who fails is undone to the savepoint, and the others go on. Where the transaction fails as a whole before its
commit, each of them starts again by itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from app.kit.database.interface import Clash, Retry, Transaction
from app.kit.database.postgres_errors import plain_errors
from app.kit.database.postgres_sessions import ALONE, Sessions
from app.kit.database.postgres_transactions import PostgresTransaction, analyze
from app.kit.database.turns import OrderedTurns, Patience
from app.kit.database_timeouts import LONG, Timeouts
from app.kit.errors import Unavailable

MOST = 16  # writers of one transaction: the server keeps more than 64 savepoints on disk
LONGEST = 0.2  # seconds after which nobody else begins to write in a transaction
_BEGIN = "SAVEPOINT one"
_KEEP = "RELEASE one; SAVEPOINT one"
_UNDO = "ROLLBACK TO one"
_UNANSWERED = (Unavailable, TimeoutError)


class _NothingKept(Exception):
    """Raised to roll a transaction back in which all have failed."""


class GroupMember:
    """A writer: `begun` gives the transaction, `ended` tells the error with which its part ended, if any, and
    `stored` how the commit did.
    """

    __slots__ = ("begun", "ended", "stored")

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.begun: asyncio.Future[PostgresTransaction] = loop.create_future()
        self.ended: asyncio.Future[BaseException | None] = loop.create_future()
        self.stored: asyncio.Future[None] = loop.create_future()

    @property
    def has_failed(self) -> bool:
        """Return True if its part ended with an error."""
        return self.ended.result() is not None

    @property
    def is_waiting(self) -> bool:
        """Return False where it has begun, or went away before."""
        return not self.begun.done()

    def fail(self, error: Exception) -> None:
        """Tell that nothing of it was stored, as far as is known."""
        for told in (self.begun, self.stored):
            if not told.done():
                told.set_exception(error)
                told.exception()  # seen: whoever waits raises it, nobody else need complain


class WriteGroups:
    """The writers who wait for their turn at a place, and the task that serves them, group after group."""

    def __init__(self, lock_key: str, turn: OrderedTurns, sessions: Sessions, timeouts: Timeouts) -> None:
        self._lock_keys, self._turn = frozenset({lock_key}), turn
        self._sessions, self._timeouts = sessions, timeouts
        self._waiting: deque[GroupMember] = deque()
        self._serving: asyncio.Task[None] | None = None

    @property
    def is_free(self) -> bool:
        """Return True if nobody writes at the place or waits for it."""
        return self._turn.is_free and not self._waiting

    @asynccontextmanager
    async def joined(self) -> AsyncIterator[Transaction]:
        """Open a transaction that is shared with others who wait; the block ends when it is committed."""
        member = GroupMember()
        self._waiting.append(member)
        self._serving = self._serving or asyncio.create_task(self._serve())
        tx = await self._begun(member)
        try:
            yield tx
            await tx.flush()
        except BaseException as error:
            member.ended.set_result(error)
            raise
        member.ended.set_result(None)
        await member.stored

    async def _begun(self, member: GroupMember) -> PostgresTransaction:
        patience = Patience(self._timeouts.begin)
        try:
            while member.is_waiting:
                if not patience.left:
                    raise Unavailable("Others write at the same place; try again shortly.")
                await asyncio.wait([member.begun], timeout=patience.left)
                patience.renew(self._turn.served_at)
            tx = member.begun.result()
        except BaseException as error:
            member.begun.cancel()
            member.ended.set_result(error)
            raise
        tx.be_patient(patience, self._timeouts.statement)
        return tx

    async def _serve(self) -> None:
        """Serve those who wait until nobody does."""
        try:
            while self._waiting:
                due: deque[GroupMember] = deque()
                begun: list[GroupMember] = []
                try:
                    async with self._turn.taken(Patience(LONG)), self._sessions.lend() as connection:
                        due = self._next()
                        await self._write(connection, due, begun)
                except BaseException as error:
                    for member in (*begun, *due) or self._next():
                        member.fail(_told(error))
                    if not isinstance(error, Exception):
                        raise
        finally:
            self._serving = None

    def _next(self) -> deque[GroupMember]:
        """Take those who are next from the queue."""
        group: deque[GroupMember] = deque()
        while self._waiting and len(group) < MOST:
            member = self._waiting.popleft()
            if member.is_waiting:
                group.append(member)
        return group

    async def _write(self, connection: Any, due: deque[GroupMember], begun: list[GroupMember]) -> None:
        """Let those who are `due` write, and commit what they did."""
        if not due:
            return
        savepoint = _BEGIN if len(due) > 1 else ""
        with suppress(_NothingKept):
            async with self._sessions.transaction(
                connection, ALONE, self._lock_keys, most=self._timeouts.begin, then=savepoint
            ):
                try:
                    await self._take_turns(connection, due, begun)
                finally:
                    self._waiting.extendleft(reversed(due))
                    due.clear()
            added: Counter[str] = Counter()
            for member in begun:
                if not member.has_failed:
                    added += member.begun.result().added
                    if not member.stored.done():  # whose caller has not gone away
                        member.stored.set_result(None)
            await analyze(connection, added, self._timeouts.statement)

    async def _take_turns(self, connection: Any, due: deque[GroupMember], begun: list[GroupMember]) -> None:
        """Let one after another write, as far as there is time; the others are left for another transaction.

        Where there is nothing to commit, raises _NothingKept, or the error of who was not answered in time.
        """
        until = asyncio.get_running_loop().time() + LONGEST
        error: BaseException | None = None
        while due and not isinstance(error, _UNANSWERED):
            if begun:
                await self._step(connection, begun[-1])
            member = due.popleft()
            if member.is_waiting:
                begun.append(member)
                member.begun.set_result(PostgresTransaction(connection, self._lock_keys))
                error = await member.ended
                if error is None:
                    self._turn.note_progress()
            if asyncio.get_running_loop().time() > until:
                break
        if all(member.has_failed for member in begun):
            raise error if isinstance(error, _UNANSWERED) else _NothingKept
        if begun[-1].has_failed:
            await self._step(connection, begun[-1])

    async def _step(self, connection: Any, before: GroupMember) -> None:
        """Keep or undo what the member before did; the savepoint is that of the next."""
        text = _UNDO if before.has_failed else _KEEP
        with plain_errors():
            try:
                await connection.execute(text, timeout=self._timeouts.statement)
            except asyncpg.QueryCanceledError as error:  # was meant for a statement before
                raise Retry(str(error)) from error


def _told(error: BaseException) -> Exception:
    """Return what the members of a transaction are told that failed as a whole."""
    if isinstance(error, Retry | Clash):
        return Retry(str(error))
    if isinstance(error, Unavailable):
        return error
    return Unavailable(f"The change could not be stored: {type(error).__name__}.")

"""The state of one GraphQL request: who asks, what its reads share, and how long it may take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from app.access import scopes
from app.access.context import Actor, Context
from app.api.operation import Operation
from app.kit.errors import SEND_A_TOKEN, TimedOut, Unauthenticated
from app.runtime import Runtime
from graphql import GraphQLResolveInfo

if TYPE_CHECKING:  # few requests read texts
    from app.domain.content.bodies import Conversions

T = TypeVar("T")
AT_ONCE = 200  # calls that one request has running: between them others get their turn on the event loop


class _HeldCall:
    """A call that is cancelled when the time of its request is over."""

    __slots__ = ("cancelling", "is_over", "task")

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task, self.cancelling, self.is_over = task, task.cancelling(), False


class TimeLimit:
    """The seconds that one request may take, besides those in which it writes.

    One timer ends all calls that are held when the time is over.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._places = asyncio.Semaphore(AT_ONCE)
        self._held: set[_HeldCall] = set()
        self._timer: asyncio.TimerHandle | None = None

    def check(self) -> None:
        """Raise TimedOut where the time is over."""
        if self._ends is not None and time.monotonic() >= self._ends:
            raise self._over()

    async def hold(self, call: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """Call this when it is its turn; it is cancelled, and TimedOut raised, when the time is over."""
        self.check()
        held = _HeldCall()
        self._held.add(held)
        if self._timer is None and self._ends is not None:
            self._timer = asyncio.get_running_loop().call_later(self._ends - time.monotonic(), self._end)
        try:
            async with self._places:
                return await call(*arguments)
        except asyncio.CancelledError:
            if self._let_go(held):
                raise self._over() from None
            raise
        finally:
            self._let_go(held)

    def _let_go(self, held: _HeldCall) -> bool:
        """Hold a call no longer; tell whether it was cancelled only because the time is over."""
        self._held.discard(held)
        if not self._held and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not held.is_over:
            return False
        held.is_over = False
        return held.task.uncancel() <= held.cancelling

    def _end(self) -> None:
        """Cancel what is held, or look again later where time was added."""
        self._timer = None
        assert self._ends is not None
        left = self._ends - time.monotonic()
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(left, self._end)
            return
        for held in self._held:
            held.is_over = True
            held.task.cancel()

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Let no time pass; what is begun inside has limits of its own, and is never left half done."""
        self.check()
        began = time.monotonic()
        try:
            yield
        finally:
            if self._ends is not None:
                self._ends += time.monotonic() - began

    def _over(self) -> TimedOut:
        return TimedOut(f"This takes more than the {self._seconds:g} seconds that a request may take.")


Loader: TypeAlias = Callable[["RequestState", dict[str, str]], Awaitable[Any]]
"""Reads an object by the parameters of its path."""


@dataclass(slots=True)
class RequestState:
    """One GraphQL request.

    `loaders` read objects of types whose row answers something else. `objects` are those that were looked
    up by their addresses; a write forgets them, and has the caller looked up again (`renew`), whose rights
    it may have changed. `gathering` are the ids of what is about to be read together, by what reads it.
    """

    runtime: Runtime
    actor: Actor
    cx: Context
    renew: Callable[[], Awaitable[Actor]]
    address: str | None = None
    size: int = 0
    limit: TimeLimit = field(default_factory=TimeLimit)
    loaders: Mapping[str, Loader] = field(default_factory=dict)
    objects: dict[Any, asyncio.Task[Any]] = field(default_factory=dict)
    gathering: dict[Any, tuple[set[str], asyncio.Task[Any]]] = field(default_factory=dict)
    is_stale: bool = False
    cost: int = 0
    _conversions: Conversions | None = None

    @property
    def conversions(self) -> Conversions:
        """Return what converts texts between their forms, each once in a request."""
        from app.domain.content.bodies import Conversions

        self._conversions = self._conversions or Conversions()
        return self._conversions

    async def context(self) -> Context:
        """Return the Context to read in."""
        if self.is_stale:
            self.is_stale = False
            self.actor = await self.renew()
            self.cx = self.runtime.context(self.actor, self.cx.db)
        return self.cx

    def forget(self) -> None:
        """Let what is read from now on be what a write has left."""
        self.objects.clear()
        self.is_stale = True

    async def once(self, key: tuple[Any, ...], call: Callable[[], Awaitable[Any]]) -> Any:
        """Await a call that all fields of the request share which have the same key."""
        task = self.objects.get(key)
        if task is None:
            task = self.objects[key] = asyncio.ensure_future(call())
        return await asyncio.shield(task)

    def permit(self, row: Operation) -> None:
        """Refuse what no scope of the caller's token opens, and to nobody what is not public."""
        if self.actor.is_nobody and not (row.public or row.is_published):
            raise Unauthenticated(SEND_A_TOKEN)
        scopes.permit(self.actor, row)


Info: TypeAlias = GraphQLResolveInfo
"""The information that a resolver is given; its `context` is the RequestState."""

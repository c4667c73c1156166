"""The state of one GraphQL request: who asks, what its reads share, and how long it may take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from app.access.context import Actor, Context
from app.api.operation import Operation
from app.domain.content.bodies import Conversions
from app.domain.content.views import Where
from app.kit.database.interface import Reader
from app.kit.errors import TimedOut, Unauthenticated
from app.runtime import Runtime
from graphql import GraphQLResolveInfo

T = TypeVar("T")
AT_ONCE = 200  # calls that one request has running: between them others get their turn on the event loop


class TimeLimit:
    """The seconds that one request may take, besides those in which it writes."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._places = asyncio.Semaphore(AT_ONCE)

    def check(self) -> None:
        """Raise TimedOut where the time is over."""
        if self._ends is not None and time.monotonic() >= self._ends:
            raise self._over()

    async def hold(self, call: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """Call this when it is its turn; it is cancelled, and TimedOut raised, when the time is over."""
        self.check()
        scope = asyncio.timeout_at(self._ends)
        try:
            async with scope, self._places:
                return await call(*arguments)
        except TimeoutError:
            if scope.expired():
                raise self._over() from None
            raise

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
    it may have changed. `links` are the pages whose links are about to be read, by their places.
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
    conversions: Conversions = field(default_factory=Conversions)
    links: dict[Where, tuple[set[str], asyncio.Task[Any]]] = field(default_factory=dict)
    is_stale: bool = False
    cost: int = 0

    @property
    def is_nobody(self) -> bool:
        """Tell whether the request came without credentials: it reads what is public, and no more."""
        return not self.actor.user_id and self.actor.installation is None

    def renewed(self, actor: Actor, reader: Reader) -> RequestState:
        """Return the state in which a subscription tells of a change, with the rights of that moment."""
        return RequestState(
            runtime=self.runtime,
            actor=actor,
            cx=self.runtime.context(actor, reader),
            renew=self.renew,
            loaders=self.loaders,
            limit=TimeLimit(self.runtime.settings.graphql_timeout),
        )

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
        if self.is_nobody and not row.public:
            raise Unauthenticated("Send a token in the header: Authorization: Bearer <token>.")
        if self.actor.installation is not None:
            from app.access import installation_tokens

            installation_tokens.permit(self.actor.installation, row.scope)


Info: TypeAlias = GraphQLResolveInfo
"""What a resolver is told; its `context` is the RequestState."""

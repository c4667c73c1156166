"""How a GraphQL field calls the domain: same functions, same shapes, same transaction rules as REST."""

from __future__ import annotations

import asyncio
import enum
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import strawberry

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.kit.database.paging import DEFAULT_LIMIT, Page
from app.kit.errors import TimedOut
from app.models.base import Shape, checked
from app.models.queries import PageQuery
from app.present.shape import showing
from app.runtime import Runtime, may_write

Call = Callable[..., Awaitable[Any]]
Show = Callable[[Context, Any], Any]
S = TypeVar("S", bound=Shape)
N = TypeVar("N")
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


@dataclass(slots=True)
class Asking:
    """One GraphQL request: who asks, the Context its reads share, and how long it may take."""

    runtime: Runtime
    actor: Actor
    cx: Context
    address: str | None = None
    limit: TimeLimit = field(default_factory=TimeLimit)


Info = strawberry.Info[Asking, None]


def reads(call: Call) -> Any:
    """A field that reads, described by the first line of the function it calls."""
    return strawberry.field(description=summary(call))


def writes(call: Call, *, instead: str | None = None) -> Any:
    """A mutation, described by the first line of the function it calls; `instead` is what to use now."""
    reason = f"Use {instead}." if instead else None
    return strawberry.mutation(description=summary(call), deprecation_reason=reason)


def summary(call: Call) -> str:
    """The first line of a function's docstring."""
    return (call.__doc__ or "").strip().partition("\n")[0]


def permitted(info: Info, call: Call) -> None:
    """Refuse what no scope of the caller's token opens; people have no scopes."""
    asking = info.context
    if asking.actor.installation is not None:
        from app.access import installation_tokens

        installation_tokens.permit(asking.actor.installation, *asking.runtime.scopes_of(call))


async def read(info: Info, call: Call, *arguments: Any, show: Show) -> Any:
    """One object."""
    permitted(info, call)
    cx = info.context.cx
    result = await info.context.limit.hold(call, cx, *arguments)
    return await showing(result, show, cx, result)


async def write(
    info: Info, call: Call, *arguments: Any, show: Show | None = None, prepare: Call | None = None
) -> Any:
    """One change in a transaction of its own; its object, or True where nothing is left to show."""
    permitted(info, call)
    asking = info.context

    async def act(cx: Context) -> Any:
        result = await call(cx, *arguments)
        if show is None:
            return True
        shown = show(cx, result)
        if cx.notes is not None:
            cx.notes.shown = shown
        return shown

    async with asking.limit.suspended():
        if prepare is not None:
            may_write(asking.actor)
            arguments = (*arguments, await prepare(asking.cx, *arguments))
        action = AuditAction("graphql", *asking.runtime.named(call, arguments), asking.address)
        return await asking.runtime.write(asking.actor, act, action)


async def pages(
    info: Info,
    call: Call,
    *arguments: Any,
    first: int,
    after: str | None,
    show: Show,
    shape: type[PageQuery] = PageQuery,
    **filters: Any,
) -> Any:
    """One page of a list as a connection, by its filters."""
    permitted(info, call)
    given_filters = {name: plain(value) for name, value in filters.items() if value is not None}
    asked = checked(shape, {"limit": first, "page": after, **given_filters}, strict=False)
    return await listed(info, call, *arguments, asked, show=show)


async def listed(info: Info, call: Call, *arguments: Any, show: Show) -> dict[str, Any]:
    """The page that a function answers, as a connection."""
    cx = info.context.cx
    return connection(cx, await info.context.limit.hold(call, cx, *arguments), show)


def connection(cx: Context, page: Page[Any], show: Show) -> dict[str, Any]:
    """A page in the form of the connection types, whose fields are looked up by their Python names."""
    nodes = [show(cx, row) for row in page.items]
    return {
        "nodes": nodes,
        "rows": page,
        "total_count": page.count,
        "page_info": {"has_next_page": page.next is not None, "end_cursor": page.next},
        **page.extra,
    }


@strawberry.type
class PageInfo:
    """Where a page of a list ends; `endCursor` is the `after` of the next one."""

    has_next_page: bool
    end_cursor: str | None


@strawberry.type(name="Edge")
class Item(Generic[N]):
    """An item of a list with the cursor that continues after it."""

    node: N
    cursor: str


@strawberry.type
class Connection(Generic[N]):
    """A page of a list (decisions, Protocol): `totalCount` counts the matches over all pages."""

    nodes: list[N]
    page_info: PageInfo
    total_count: int

    @strawberry.field
    def edges(self: Any) -> list[Item[N]]:
        """The items with their cursors."""
        page: Page[Any] = self["rows"]
        return [
            {"node": node, "cursor": page.cursor(index)}  # type: ignore[misc]
            for index, node in enumerate(self["nodes"])
        ]


FIRST = DEFAULT_LIMIT


def body(shape: type[S], value: Any) -> S:
    """An input as the body that REST would have read: absent stays absent, null is null."""
    return checked(shape, plain(value), strict=True)


def plain(value: Any) -> Any:
    """An input object, enum or list as plain JSON under wire names, without what was not given."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [item if type(item) in _PLAIN else plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(kind):
        pairs = ((name, getattr(value, name)) for name in _names(kind))
        return {name: plain(item) for name, item in pairs if item is not strawberry.UNSET}
    return value


_PLAIN = frozenset({str, int, float, bool, type(None), dict})  # a dict is the value of a JSON scalar


@cache
def _names(kind: type[Any]) -> list[str]:
    return [field.name for field in fields(kind)]

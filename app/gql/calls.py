"""How a GraphQL field calls the domain: same functions, same shapes, same transaction rules as REST."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar

import strawberry

from app.access.context import Actor, Context
from app.access.deeds import Deed
from app.edge import Edge, may_write
from app.kit.paging import DEFAULT_LIMIT, Page
from app.models.base import Shape, checked
from app.models.queries import PageQuery

Call = Callable[..., Awaitable[Any]]
Show = Callable[[Context, Any], Any]
S = TypeVar("S", bound=Shape)
N = TypeVar("N")


@dataclass(slots=True)
class Asking:
    """One GraphQL request: who asks, and the Context its reads share."""

    edge: Edge
    actor: Actor
    cx: Context
    address: str | None = None


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
    if asking.actor.agent is not None:
        from app.access import agents

        agents.permit(asking.actor.agent, *asking.edge.ids_of(call))


async def read(info: Info, call: Call, *arguments: Any, show: Show) -> Any:
    """One object."""
    permitted(info, call)
    cx = info.context.cx
    return show(cx, await call(cx, *arguments))


async def write(
    info: Info, call: Call, *arguments: Any, show: Show | None = None, prepare: Call | None = None
) -> Any:
    """One change in a transaction of its own; its object, or True where nothing is left to show."""
    permitted(info, call)
    asking = info.context
    if prepare is not None:
        may_write(asking.actor)
        arguments = (*arguments, await prepare(asking.cx, *arguments))

    async def act(cx: Context) -> Any:
        result = await call(cx, *arguments)
        if show is None:
            return True
        shown = show(cx, result)
        if cx.notes is not None:
            cx.notes.shown = shown
        return shown

    deed = Deed("graphql", *asking.edge.named(call, arguments), asking.address)
    return await asking.edge.write(asking.actor, act, deed)


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
    """One page of a list as a connection."""
    permitted(info, call)
    given_filters = {name: value for name, value in filters.items() if value is not None}
    asked = checked(shape, {"limit": first, "page": after, **plain(given_filters)}, strict=False)
    cx = info.context.cx
    return connection(cx, await call(cx, *arguments, asked), show)


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
    if is_dataclass(value) and not isinstance(value, type):
        pairs = {f.name: getattr(value, f.name) for f in fields(value)}
        return {name: plain(item) for name, item in pairs.items() if item is not strawberry.UNSET}
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, enum.Enum):
        return value.value
    return [plain(item) for item in value] if isinstance(value, list) else value

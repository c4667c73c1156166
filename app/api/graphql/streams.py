"""Answers over server-sent events: subscriptions, and single results for clients that only read events.

The protocol is that of graphql-sse's distinct connections mode: `next` events with results, then `complete`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from app.access.context import Actor
from app.api.graphql.errors import extensions, render
from app.api.graphql.execution import Direct
from app.api.graphql.state import RequestState
from app.api.graphql.subscriptions import AFTER, source_of, topic_of
from app.domain.change_feed.permitted_changes import PermittedChanges
from app.kit.clock import to_json
from app.kit.database.batching import BatchingReader
from app.kit.errors import Problem
from app.kit.http.event_streams import EventStream, StreamEvent, encode, last_event_id
from graphql import ExecutionResult, FieldNode, get_argument_values

EVENTS = "text/event-stream"
Prepare = Callable[[RequestState, Any], "Direct | list[Any]"]
"""Returns what runs the document with a state and a root value."""


def wants_events(request: Request) -> bool:
    """Tell whether a client reads server-sent events."""
    return EVENTS in request.headers.get("accept", "").lower()


def single(body: dict[str, Any]) -> Response:
    """Return a result as a stream of one event."""
    content = encode(StreamEvent(to_json(body))) + b"event: complete\ndata:\n\n"
    return Response(content, media_type=EVENTS, headers={"cache-control": "no-store"})


async def subscribed(request: Request, state: RequestState, executor: Direct, prepare: Prepare) -> ASGIApp:
    """Return the stream of a subscription; raises Problem where its subscriber may not watch that."""
    (details,) = executor.roots(executor.schema.subscription_type).values()  # type: ignore[arg-type]
    node: FieldNode = details[0].node
    field = node.name.value
    definition = executor.schema.subscription_type.fields[field]  # type: ignore[union-attr]
    given = get_argument_values(definition, node, executor.variable_values)
    topic = await topic_of(state, field, given)
    after = last_event_id(request.headers) or given.get(AFTER)
    watched = await state.runtime.watch(state.actor, topic, after=after)
    return EventStream(_results(state, watched, prepare), _failed, watched.close, watched.position)


async def _results(
    state: RequestState, watched: PermittedChanges, prepare: Prepare
) -> AsyncGenerator[StreamEvent, None]:
    async for change, actor in watched:
        data = await _result(state, actor, source_of(change), prepare)
        yield StreamEvent(to_json(data), str(change.position))


async def _result(state: RequestState, actor: Actor, source: Any, prepare: Prepare) -> dict[str, Any]:
    """Run the document for one change, as its subscriber of this moment."""
    reader = BatchingReader(state.runtime.db)
    told = state.renewed(actor, reader)
    executor = prepare(told, source)
    if isinstance(executor, list):
        return {"errors": [render(error) for error in executor]}
    try:
        result: Any = executor.execute_operation()
        result = result if isinstance(result, ExecutionResult) else await result
    finally:
        reader.end()
    errors = {"errors": [render(error) for error in result.errors]} if result.errors else {}
    return {"data": result.data, **errors}


def _failed(problem: Problem) -> bytes:
    return to_json({"errors": [{"message": problem.message, "extensions": extensions(problem)}]})

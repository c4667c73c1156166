"""Answers to subscriptions, over server-sent events.

The protocol is that of graphql-sse's distinct connections mode: `next` events with results, then `complete`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp

from app.access.context import Actor
from app.api.graphql.errors import extensions, render, with_levels
from app.api.graphql.execution import Direct
from app.api.graphql.state import Loader, RequestState, TimeLimit
from app.api.graphql.subscriptions import AFTER, source_of, topic_of
from app.domain.change_feed.permitted_changes import PermittedChange, PermittedChanges
from app.kit.clock import to_json
from app.kit.database.batching import BatchingReader
from app.kit.errors import Problem
from app.kit.http.event_streams import EventStream, StreamEvent, last_event_id
from app.runtime import Runtime
from graphql import ExecutionResult, FieldNode, get_argument_values

Prepare = Callable[[RequestState, Any], "Direct | list[Any]"]
"""Returns what runs the document with a state and a root value."""


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
    results = _results(state.runtime, state.loaders, watched, prepare)
    return EventStream(results, _failed, watched.close, watched.position)


async def _results(
    runtime: Runtime, loaders: Mapping[str, Loader], watched: PermittedChanges, prepare: Prepare
) -> AsyncGenerator[StreamEvent, None]:
    """Yield the results; of the request that subscribed nothing else is kept."""
    async for permitted in watched:
        event = await _event(runtime, loaders, permitted, prepare)
        del permitted
        yield event


async def _event(
    runtime: Runtime, loaders: Mapping[str, Loader], permitted: PermittedChange, prepare: Prepare
) -> StreamEvent:
    """Run the document for one change, as its subscriber of this moment."""
    change, actor = permitted.change, permitted.actor
    reader = BatchingReader(permitted.reader)

    async def same() -> Actor:
        return actor

    state = RequestState(
        runtime=runtime,
        actor=actor,
        cx=runtime.context(actor, reader),
        renew=same,
        loaders=loaders,
        limit=TimeLimit(runtime.settings.graphql_timeout),
    )
    data = await _data(prepare(state, source_of(change)), reader)
    return StreamEvent(to_json(data), str(change.position))


async def _data(executor: Direct | list[Any], reader: BatchingReader) -> dict[str, Any]:
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
    return to_json({"errors": [{"message": with_levels(problem.message), "extensions": extensions(problem)}]})

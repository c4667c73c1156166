"""Runs the documents of GraphQL requests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from app.access.context import Actor
from app.api.graphql import http, rate_limit
from app.api.graphql.content_reads import LOADERS
from app.api.graphql.cost import Costs
from app.api.graphql.documents import MAX_ERRORS, Document, Documents, Unfit
from app.api.graphql.errors import extensions, render
from app.api.graphql.execution import Direct, Known
from app.api.graphql.http import GraphQLRequest
from app.api.graphql.persisted import PersistedQueryNotFound
from app.api.graphql.queries import DEFAULT
from app.api.graphql.schema import schema
from app.api.graphql.state import RequestState, TimeLimit
from app.api.graphql.streams import EVENTS, single, subscribed, wants_events
from app.api.graphql.trusted import TrustedDocuments, own_texts
from app.api.graphql.weights import weigh
from app.cookies import credentials
from app.kit import workers
from app.kit.database.batching import BatchingReader
from app.kit.errors import Forbidden, Invalid, MethodNotAllowed, Problem, Unauthenticated
from app.kit.graphql_settings import read_documents
from app.kit.http.callers import address_of
from app.kit.http.headers import matches
from app.runtime import Runtime
from graphql import ExecutionResult, GraphQLError, OperationType

_CORE = schema._schema
NOBODY = Actor("")
COSTS = Costs(_CORE, weigh, page=DEFAULT)


@cache
def _documents(suggests: bool) -> Documents:
    return Documents(_CORE, suggests=suggests, valid=own_texts)


@cache
def _trusted(place: str, only: bool) -> TrustedDocuments:
    return TrustedDocuments(read_documents(place) if place else {}, only=only)


async def answer(runtime: Runtime, request: Request) -> ASGIApp:
    """Run the document of a request; the status is 200 unless nothing could be run."""
    settings = runtime.settings
    by_get = request.method != "POST"
    try:
        sent = credentials(request, settings)
        actor = await _caller(runtime, request, sent)
        version = await runtime.db.version() if by_get else None
        kept = await _unchanged(runtime, request, actor, version)
        if kept is not None:
            return kept
        asked = await http.read(request, settings.body_limit)
        trusted = _trusted(settings.graphql_trusted_documents, settings.graphql_trusted_only)
        text = asked.document(trusted)
        suggests = settings.graphql_introspection and actor is not NOBODY
        document = await _documents(suggests).get(text)
        if document.introspects and actor is NOBODY:
            raise Unauthenticated("Send a token to read the schema.")
        if document.introspects and not settings.graphql_introspection:
            raise Forbidden("Introspection is switched off here.")
        reader = BatchingReader(runtime.db)
        limit = TimeLimit(settings.graphql_timeout)
        address = address_of(request.scope, settings.proxies)
        asking = RequestState(
            loaders=LOADERS,
            runtime=runtime,
            actor=actor,
            cx=runtime.context(actor, reader),
            renew=lambda: runtime.actor(*sent),
            address=address,
            size=asked.size,
            limit=limit,
        )
        executor = await workers.run(asked.size, _prepared, document, asked, asking)
        if isinstance(executor, list):
            return http.not_run(request, [render(error) for error in executor])
        kind = executor.operation.operation
        if by_get and kind is OperationType.MUTATION:
            raise MethodNotAllowed(["POST"])
        cost = {"requested": COSTS.of(executor), "limit": settings.graphql_max_cost}
        asking.cost = cost["requested"]
        if cost["requested"] > cost["limit"]:
            return http.not_run(request, [_too_costly(cost)])
        if kind is OperationType.SUBSCRIPTION:
            return await _subscribed(request, document, asked, asking, executor)
    except PersistedQueryNotFound as missing:
        return http.not_run(request, [{"message": missing.message, "extensions": extensions(missing)}])
    except Problem as problem:
        return http.refused(request, problem)
    except Unfit as unfit:
        return http.not_run(request, unfit.errors)
    except GraphQLError as error:
        return http.not_run(request, [render(error)])
    try:
        result: Any = executor.execute_operation()
        result = result if isinstance(result, ExecutionResult) else await result
    finally:
        reader.end()
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        if asking.is_nobody and (unknown := _unauthenticated(result.errors)) is not None:
            return http.refused(request, unknown)
        body["errors"] = [render(error) for error in result.errors]
    body["extensions"] = {"cost": cost}
    if wants_events(request):
        return single(body)
    if not by_get:
        return http.answered(request, body, rate_limit.headers(runtime, actor))
    answered = http.answered_get(request, body, is_public=asking.is_nobody)
    if asking.cx.is_lasting and version is not None and version == await runtime.db.version():
        http.keep(runtime.kept_tags, request, answered, version, actor)
    answered.headers.update(rate_limit.headers(runtime, actor))
    return answered


async def _caller(runtime: Runtime, request: Request, sent: tuple[str | None, str | None]) -> Actor:
    """Return the caller, who is nobody where a GET comes without credentials."""
    if request.method != "POST" and sent == (None, None):
        runtime.throttle.take("anonymous", request.scope)
        return NOBODY
    return await runtime.caller(request.scope, *sent)


async def _unchanged(
    runtime: Runtime, request: Request, actor: Actor, version: Hashable | None
) -> Response | None:
    """Return 304 where the caller holds an answer that is known to be what it would be now."""
    tags = request.headers.get("if-none-match")
    if tags is None or version is None:
        return None
    kept = runtime.kept_tags.get(http.key(request, actor))
    if kept is None or kept.version != version or kept.caller != actor or not matches(tags, kept.tag):
        return None
    cx = runtime.context(actor)
    for organization_id in kept.counted:
        cx.count_request(actor.memberships[organization_id])  # as when the answer was made
    told = {**http.conditional(kept.tag, is_public=actor is NOBODY), **rate_limit.headers(runtime, actor)}
    return Response(status_code=304, headers=told)


def _unauthenticated(errors: Sequence[GraphQLError]) -> Problem | None:
    return next(
        (each.original_error for each in errors if isinstance(each.original_error, Unauthenticated)), None
    )


def _prepared(
    document: Document, asked: GraphQLRequest, asking: RequestState, root: Any = None
) -> Direct | list[GraphQLError]:
    """Return what executes an operation of the document, or why it cannot be executed."""
    executor = Direct.build(
        _CORE,
        document.node,
        root_value=root,
        context_value=asking,
        raw_variable_values=asked.variables,
        operation_name=asked.operation,
        max_coercion_errors=MAX_ERRORS,
        hide_suggestions=not asking.runtime.settings.graphql_introspection,
    )
    if isinstance(executor, list):
        return executor
    assert isinstance(executor, Direct)
    executor.check = asking.limit.check
    if not document.varies:
        executor.recall(document.known.setdefault(asked.operation, Known()))
    return executor


async def _subscribed(
    request: Request, document: Document, asked: GraphQLRequest, state: RequestState, executor: Direct
) -> ASGIApp:
    """Return the stream of a subscription, which is only sent as events."""
    if not wants_events(request):
        raise Invalid(f"Subscriptions are sent as events: accept {EVENTS}.", path="accept")

    def prepare(told: RequestState, source: Any) -> Direct | list[GraphQLError]:
        return _prepared(document, asked, told, source)

    return await subscribed(request, state, executor, prepare)


def _too_costly(cost: dict[str, int]) -> dict[str, Any]:
    message = f"This query may cost {cost['requested']}; at most {cost['limit']} are allowed."
    return {"message": message, "extensions": {"code": "TOO_COSTLY", "status": 400, "cost": cost}}

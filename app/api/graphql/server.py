"""Runs the documents of GraphQL requests."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from graphql.execution.values import VariableValues
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from app.access.audiences import challenge
from app.access.context import Actor
from app.api.graphql import http, rate_limit
from app.api.graphql.cost import Costs
from app.api.graphql.documents import Documents, ParsedDocument, Unfit
from app.api.graphql.errors import extensions, render
from app.api.graphql.execution import MAX_ERRORS, Direct
from app.api.graphql.execution_plans import Known
from app.api.graphql.http import GraphQLRequest
from app.api.graphql.persisted import PersistedQueryNotFound
from app.api.graphql.prepared import prepared_schema
from app.api.graphql.queries import DEFAULT
from app.api.graphql.state import RequestState, TimeLimit
from app.api.graphql.trusted import TrustedDocuments, own_texts
from app.api.graphql.weights import weigh
from app.cookies import credentials, may_be_shared
from app.kit import workers
from app.kit.callers import address_of
from app.kit.database.batching import BatchingReader
from app.kit.errors import Forbidden, Invalid, MethodNotAllowed, Problem, Unauthenticated
from app.kit.http.headers import matches
from app.kit.logs import ASKED
from app.kit.setting_groups import read_documents
from app.kit.settings import Settings
from app.runtime import Runtime
from graphql import (
    ExecutionResult,
    FieldNode,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
)

_CORE = prepared_schema()
NOBODY = Actor("")


async def _revision(state: RequestState, values: dict[str, str]) -> Any:
    from app.api.graphql import content_reads  # few queries read content

    return await content_reads.read_revision(state, values)


LOADERS = {"Revision": _revision}
"""Loaders of types whose row answers something else: the row of a revision answers all its content."""

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
        document = await _documents(_suggests(settings, actor)).get(text)
        if document.introspects and actor is NOBODY:
            raise Unauthenticated("Send a token to read the schema.")
        if document.introspects and not settings.graphql_introspection:
            raise Forbidden("Introspection is disabled on this server.")
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
        prepare = partial(_prepared, document, asked, asking)
        executor = await workers.run(asked.size, prepare) if asked.size else prepare()
        if isinstance(executor, list):
            return http.not_run(request, [render(error) for error in executor])
        kind = executor.operation.operation
        request.scope[ASKED] = _name(executor.operation)
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
        if actor.is_nobody and (unknown := _nothing_public(result)) is not None:
            return http.refused(request, challenge(settings, unknown))
        body["errors"] = [render(error) for error in result.errors]
    body["extensions"] = {"cost": cost}
    if http.wants_events(request) or not by_get:
        return http.answered(request, body, rate_limit.headers(runtime, actor))
    answered = http.answered_get(request, body, is_public=_is_public(request, actor, settings))
    if asking.cx.is_lasting and version is not None and version == await runtime.db.version():
        http.keep(runtime.kept_tags, request, answered, version, actor)
    answered.headers.update(rate_limit.headers(runtime, actor))
    return answered


def _name(operation: OperationDefinitionNode) -> str:
    """Return the kind of an operation and its first field, by which measurements name it."""
    first = operation.selection_set.selections[0]
    field = first.name.value if isinstance(first, FieldNode) else "fragment"
    return f"{operation.operation.value} {field}"


def _suggests(settings: Settings, actor: Actor) -> bool:
    """Tell whether errors name what the schema has instead: only to callers who may read the schema."""
    return settings.graphql_introspection and actor is not NOBODY


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
    is_public = _is_public(request, actor, runtime.settings)
    told = {**http.conditional(kept.tag, is_public=is_public), **rate_limit.headers(runtime, actor)}
    return Response(status_code=304, headers=told)


def _is_public(request: Request, actor: Actor, settings: Settings) -> bool:
    """Tell whether everybody would get the same answer."""
    return actor.is_nobody and may_be_shared(request, settings)


def _nothing_public(result: ExecutionResult) -> Problem | None:
    """Return why nothing was answered to nobody; None where something was, or it was for another reason."""
    if any(value is not None for value in (result.data or {}).values()):
        return None
    found = (each.original_error for each in result.errors or ())
    return next((each for each in found if isinstance(each, Unauthenticated)), None)


def _prepared(
    document: ParsedDocument, asked: GraphQLRequest, asking: RequestState, root: Any = None
) -> Direct | list[GraphQLError]:
    """Return what executes an operation of the document, or why it cannot be executed."""
    hides = not _suggests(asking.runtime.settings, asking.actor)
    first = document.executors.get((asked.operation, hides))
    if first is None:
        built = Direct.build(
            _CORE,
            document.node,
            raw_variable_values=asked.variables,
            operation_name=asked.operation,
            max_coercion_errors=MAX_ERRORS,
            hide_suggestions=hides,
        )
        if isinstance(built, list):
            return built
        assert isinstance(built, Direct)
        built.variable_values = VariableValues({}, {})  # nothing of this request is kept
        first = document.executors[asked.operation, hides] = built
    executor = first.again(root, asking, asked.variables)
    if isinstance(executor, list):
        return executor
    executor.check = asking.limit.check
    if document.varies:
        executor.recall(Known())
    return executor


async def _subscribed(
    request: Request, document: ParsedDocument, asked: GraphQLRequest, state: RequestState, executor: Direct
) -> ASGIApp:
    """Return the stream of a subscription, which is only sent as events."""
    if not http.reads_events(request):
        raise Invalid(f"Subscriptions are sent as events: accept {http.EVENTS}.", path="accept")
    from app.api.graphql.streams import subscribed

    kept = replace(asked, text=None, extensions={})  # there may be thousands of subscriptions
    return await subscribed(request, state, executor, partial(_prepared, document, kept))


def _too_costly(cost: dict[str, int]) -> dict[str, Any]:
    message = f"This query may cost {cost['requested']}; at most {cost['limit']} are allowed."
    return {"message": message, "extensions": {"code": "TOO_COSTLY", "status": 400, "cost": cost}}

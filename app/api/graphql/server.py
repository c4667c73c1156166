"""GraphQL over HTTP: POST with JSON only, so that no form and no link can cause a change (threats, 49)."""

from __future__ import annotations

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.api.graphql.calls import Asking, TimeLimit
from app.api.graphql.cost import Costs
from app.api.graphql.documents import MAX_ERRORS, Document, Documents, Unfit
from app.api.graphql.errors import extensions, render
from app.api.graphql.execution import Direct, Known
from app.api.graphql.schema import schema
from app.api.graphql.weights import weigh
from app.bodies import body_bytes, cost_of, json_of
from app.cookies import credentials
from app.kit import workers
from app.kit.clock import to_json
from app.kit.database.batching import BatchingReader
from app.kit.database.paging import DEFAULT_LIMIT
from app.kit.deadlines import check
from app.kit.errors import Forbidden, Invalid, Problem
from app.kit.http.callers import address_of
from app.runtime import Runtime
from graphql import ExecutionResult, GraphQLError

_CORE = schema._schema
MOST_ITEMS = 5_000  # of one list in the variables, documents aside
COSTS = Costs(_CORE, weigh, page=DEFAULT_LIMIT)


@cache
def _documents(suggests: bool) -> Documents:
    return Documents(_CORE, suggests=suggests)


async def answer(runtime: Runtime, request: Request) -> Response:
    """Run the document of a request; the status is 200 unless nothing could be run."""
    settings = runtime.settings
    try:
        actor = await runtime.caller(request.scope, *credentials(request, settings))
        raw = await body_bytes(request, settings.body_limit)
        size, media = cost_of(raw), request.headers.get("content-type", "")
        text, variables, operation = await workers.run(size, _asked, raw, media)
        document = await _documents(settings.graphql_introspection).get(text)
        if document.introspects and not settings.graphql_introspection:
            raise Forbidden("Introspection is switched off here.")
        reader = BatchingReader(runtime.db)
        limit = TimeLimit(settings.graphql_timeout)
        address = address_of(request.scope, settings.proxies)
        asking = Asking(runtime, actor, runtime.context(actor, reader), address, limit)
        executor = await workers.run(size, _prepared, document, variables, operation, asking)
        if isinstance(executor, list):
            return _json({"data": None, "errors": [render(error) for error in executor]}, 200)
        cost = {"requested": COSTS.of(executor), "limit": settings.graphql_max_cost}
        if cost["requested"] > cost["limit"]:
            return _json({"errors": [_too_costly(cost)]}, 400)
    except Problem as problem:
        return refusal(problem)
    except Unfit as unfit:
        return _json({"errors": unfit.errors}, 400)
    except GraphQLError as error:
        return _json({"errors": [render(error)]}, 400)
    try:
        result: Any = executor.execute_operation()
        result = result if isinstance(result, ExecutionResult) else await result
    finally:
        reader.end()
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [render(error) for error in result.errors]
    return _json({**body, "extensions": {"cost": cost}}, 200)


def _prepared(
    document: Document, variables: dict[str, Any], operation: str | None, asking: Asking
) -> Direct | list[GraphQLError]:
    """What executes an operation of the document, or why it cannot be executed."""
    executor = Direct.build(
        _CORE,
        document.node,
        context_value=asking,
        raw_variable_values=variables,
        operation_name=operation,
        max_coercion_errors=MAX_ERRORS,
        hide_suggestions=not asking.runtime.settings.graphql_introspection,
    )
    if isinstance(executor, list):
        return executor
    assert isinstance(executor, Direct)
    executor.check = asking.limit.check
    if not document.varies:
        executor.recall(document.known.setdefault(operation, Known()))
    return executor


def _too_costly(cost: dict[str, int]) -> dict[str, Any]:
    message = f"This query may cost {cost['requested']}; at most {cost['limit']} are allowed."
    return {"message": message, "extensions": {"code": "TOO_COSTLY", "status": 400, "cost": cost}}


def refusal(problem: Problem) -> Response:
    """A problem that kept the whole document from running."""
    body = {"errors": [{"message": problem.message, "extensions": extensions(problem)}]}
    return _json(body, problem.status, problem.headers)


def _asked(raw: bytes, content_type: str) -> tuple[str, dict[str, Any], str | None]:
    value = json_of(raw, content_type)
    if not isinstance(value, dict):
        raise Invalid("Send one JSON object with `query`.", path="body")
    text, variables, operation = value.get("query"), value.get("variables"), value.get("operationName")
    if not isinstance(text, str):
        raise Invalid("`query` must be text.", path="query")
    if not isinstance(variables, dict | None) or not isinstance(operation, str | None):
        raise Invalid("`variables` must be an object and `operationName` text.", path="variables")
    _check_lists(variables)
    return text, variables or {}, operation


def _check_lists(variables: Any) -> None:
    """Refuse lists that no input takes, before each of their items is converted."""
    waiting = [variables]
    while waiting:
        check()
        value = waiting.pop()
        if isinstance(value, list):
            if len(value) > MOST_ITEMS:
                raise Invalid(f"A list may have at most {MOST_ITEMS:,} items.", path="variables")
            waiting += value
        elif isinstance(value, dict):
            waiting += [inner for name, inner in value.items() if name != "document"]


def _json(body: dict[str, Any], status: int, headers: dict[str, str] | None = None) -> Response:
    content = to_json(body)
    return Response(content, status, headers, media_type="application/json")

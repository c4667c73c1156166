"""GraphQL over HTTP: POST with JSON only, so that no form and no link can cause a change (threats, 49)."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.bodies import body_bytes, json_of
from app.cookies import credentials
from app.edge import Edge
from app.gql.calls import Asking
from app.gql.documents import Document, Documents, ErrorList
from app.gql.errors import extensions, render
from app.gql.execution import Direct, Known
from app.gql.schema import schema
from app.kit.callers import address_of
from app.kit.errors import Forbidden, Invalid, Problem, Unauthenticated
from app.kit.together import Together
from app.kit.wire import to_json
from graphql import ExecutionResult, GraphQLError

_CORE = schema._schema
_documents = Documents(_CORE)


async def answer(edge: Edge, request: Request) -> Response:
    """Run the document of a request; the status is 200 unless nothing could be run."""
    try:
        actor = await edge.actor(*credentials(request, edge.settings))
        raw = await body_bytes(request, edge.settings.body_limit)
        text, variables, operation = _asked(raw, request.headers.get("content-type", ""))
        document = _documents.get(text)
        if document.introspects and not edge.settings.graphql_introspection:
            raise Forbidden("Introspection is switched off here.")
        document.refuse_costly(variables, operation)
    except Problem as problem:
        return refusal(problem)
    except ErrorList as found:
        return _json({"errors": [render(e) for e in found.errors]}, 400)
    except GraphQLError as error:
        return _json({"errors": [render(error)]}, 400)
    cx = edge.context(actor, Together(edge.db))
    asking = Asking(edge, actor, cx, address_of(request.scope, edge.settings.proxies))
    result = await _executed(document, variables, operation, asking)
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [render(error) for error in result.errors]
    return _json(body, 200)


async def _executed(
    document: Document, variables: dict[str, Any], operation: str | None, asking: Asking
) -> ExecutionResult:
    executor = Direct.build(
        _CORE,
        document.node,
        context_value=asking,
        raw_variable_values=variables,
        operation_name=operation,
    )
    if isinstance(executor, list):
        return ExecutionResult(None, executor)
    assert isinstance(executor, Direct)
    if not document.varies:
        executor.recall(document.known.setdefault(operation, Known()))
    result: Any = executor.execute_operation()
    return result if isinstance(result, ExecutionResult) else await result


def refusal(problem: Problem) -> Response:
    """A problem that kept the whole document from running."""
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(problem, Unauthenticated) else {}
    body = {"errors": [{"message": problem.message, "extensions": extensions(problem)}]}
    return _json(body, problem.status, headers)


def _asked(raw: bytes, content_type: str) -> tuple[str, dict[str, Any], str | None]:
    value = json_of(raw, content_type)
    if not isinstance(value, dict):
        raise Invalid("Send one JSON object with `query`.", path="body")
    text, variables, operation = value.get("query"), value.get("variables"), value.get("operationName")
    if not isinstance(text, str):
        raise Invalid("`query` must be text.", path="query")
    if not isinstance(variables, dict | None) or not isinstance(operation, str | None):
        raise Invalid("`variables` must be an object and `operationName` text.", path="variables")
    return text, variables or {}, operation


def _json(body: dict[str, Any], status: int, headers: dict[str, str] | None = None) -> Response:
    content = to_json(body)
    return Response(content, status, headers, media_type="application/json")

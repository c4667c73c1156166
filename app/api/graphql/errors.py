"""Errors as GraphQL shows them: a sentence and `extensions` with the code that REST's status stands for."""

from __future__ import annotations

import logging
import re
from typing import Any

from app.kit.errors import Problem, TryLater
from graphql import GraphQLError

CODES: dict[str, str] = {
    "GRAPHQL_INVALID": "The document, or a value in it, is not valid in the schema.",
    "TOO_COSTLY": "The query exceeds the cost limit; see `extensions.cost`.",
    "PERSISTED_QUERY_NOT_FOUND": "No document is stored for the hash; send the hash together with the "
    "document.",
    "DOCUMENT_NOT_TRUSTED": "The server runs trusted documents only.",
    "BAD_REQUEST": "The input is invalid.",
    "UNAUTHENTICATED": "The token is missing, unknown, revoked or expired.",
    "FORBIDDEN": "The caller may see the object but lacks the permission for this.",
    "NOT_FOUND": "The object does not exist, or the caller may not see it.",
    "METHOD_NOT_ALLOWED": "A mutation was sent by GET.",
    "CONFLICT": "The current state of the object does not allow it.",
    "PRECONDITION_FAILED": "The object has changed since it was read, or a precondition is not met.",
    "PAYLOAD_TOO_LARGE": "The input is larger than the limit.",
    "UNSUPPORTED_MEDIA_TYPE": "The media type of the input is not supported.",
    "UNPROCESSABLE": "The content cannot be processed as requested.",
    "TOO_MANY_REQUESTS": "A rate limit or quota is reached; `Retry-After` says when to retry.",
    "INTERNAL": "Something failed on the server.",
    "BAD_GATEWAY": "Another server that is needed did not respond, or sent an invalid response.",
    "UNAVAILABLE": "The server is busy; `Retry-After` says when to retry.",
    "TIMEOUT": "The request took too long.",
}
"""The codes of errors, in `extensions.code` and in `code` of a UserError, with what each means."""

_FOUND = re.compile(r"(?:(\.|\?) Found|, found): [\[{].*", re.DOTALL)
_VALUE = re.compile(r"( cannot represent [^:]*value): (True|False|None|\[|\{).*", re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null", "[": "a list", "{": "an object"}
_LEVEL = re.compile(r"\b(the level )'([a-z]+)'")
log = logging.getLogger("docyard.gql")


def render(error: GraphQLError) -> dict[str, Any]:
    """Return one entry of `errors`; what we did not mean to say is masked."""
    cause = error.original_error
    if isinstance(cause, Problem):
        return {**_where(error), "message": with_levels(cause.message), "extensions": extensions(cause)}
    if cause is not None and not isinstance(cause, GraphQLError):
        log.error("a field failed", exc_info=cause)
        return {
            **_where(error),
            "message": "Something went wrong on our side.",
            "extensions": {"code": "INTERNAL", "status": 500},
        }
    code = {"code": "GRAPHQL_INVALID", "status": 400}
    message = in_graphql(error.message)
    return {**_where(error), "message": message, "extensions": {**code, **(error.extensions or {})}}


def in_graphql(message: str) -> str:
    """Return what the library says of a value in words of GraphQL, without objects and lists."""
    message = _FOUND.sub(lambda found: found[1] or ".", message.replace("not to be None.", "not to be null."))
    return _VALUE.sub(lambda found: f"{found[1]}: {_WORDS[found[2]]}", message)


def with_levels(message: str) -> str:
    """Return a sentence of ours with levels as GraphQL names them: 'admin' is ADMIN."""
    return _LEVEL.sub(lambda found: found[1] + found[2].upper(), message)


def extensions(problem: Problem) -> dict[str, Any]:
    """Return the typed part of an error."""
    typed: dict[str, Any] = {"code": problem.code, "status": problem.status}
    if problem.details:
        typed["details"] = problem.details
    if isinstance(problem, TryLater):
        typed["retryAfter"] = problem.retry_after
    return typed


def _where(error: GraphQLError) -> dict[str, Any]:
    place: dict[str, Any] = {}
    if error.locations:
        place["locations"] = [{"line": loc.line, "column": loc.column} for loc in error.locations]
    if error.path:
        place["path"] = error.path
    return place

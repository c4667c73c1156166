"""Errors as GraphQL shows them: a sentence and `extensions` with the code that REST's status stands for."""

from __future__ import annotations

import logging
from typing import Any

from app.kit.errors import Problem, TryLater
from graphql import GraphQLError

log = logging.getLogger("docyard.gql")


def render(error: GraphQLError) -> dict[str, Any]:
    """One entry of `errors`; what we did not mean to say is masked."""
    cause = error.original_error
    if isinstance(cause, Problem):
        return {**_where(error), "message": cause.message, "extensions": extensions(cause)}
    if cause is not None and not isinstance(cause, GraphQLError):
        log.error("a field failed", exc_info=cause)
        return {
            **_where(error),
            "message": "Something went wrong on our side.",
            "extensions": {"code": "INTERNAL", "status": 500},
        }
    code = {"code": "GRAPHQL_INVALID", "status": 400}
    return {**_where(error), "message": error.message, "extensions": {**code, **(error.extensions or {})}}


def extensions(problem: Problem) -> dict[str, Any]:
    """The typed part of an error."""
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

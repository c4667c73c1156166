"""Errors as REST shows them: `{"error": {"code", "message", "details"?}}` (decisions, Errors)."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.kit.errors import (
    MethodNotAllowed,
    NotFound,
    Problem,
)
from app.kit.http.headers import complete


def render(problem: Problem) -> Response:
    """Return the answer to a refused request."""
    error: dict[str, Any] = {"code": problem.status, "message": problem.message}
    if problem.details:
        error["details"] = problem.details
    return Response(
        orjson.dumps({"error": error}), problem.status, problem.headers, media_type="application/json"
    )


def unexpected() -> Response:
    """Return the answer when we failed: no detail leaves the server."""
    return render(Problem("Something went wrong on our side."))


async def refused(_request: Request, error: Exception) -> Response:
    """Return the answer where no face was reached: an unknown address, a wrong method, a busy database."""
    match error:
        case Problem():
            return render(error)
        case HTTPException(status_code=405, headers=headers):
            return render(MethodNotAllowed((headers or {}).get("Allow", "").split(", ")))
    return render(NotFound("There is nothing at this address."))


async def failed(_request: Request, _error: Exception) -> Response:
    """Return the answer where we failed outside a face; the server logs why,
    and sends this outside of `Requests`.
    """
    response = unexpected()
    response.raw_headers = complete(response.raw_headers)
    return response

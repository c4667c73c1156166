"""The field that tells how many calls a caller has left, and the headers that tell it too."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from app.access.context import Actor
from app.api.graphql.state import Info
from app.runtime import Runtime


async def rate_limit(_source: Any, info: Info) -> dict[str, Any] | None:
    state = info.context
    state.cx.is_lasting = False
    found = told(state.runtime, state.actor)
    if found is None:
        return None
    limit, remaining, reset_at = found
    most = state.runtime.settings.graphql_max_cost
    return {
        "limit": limit,
        "remaining": remaining,
        "resetAt": reset_at,
        "cost": state.cost,
        "costLimit": most,
    }


def told(runtime: Runtime, actor: Actor) -> tuple[int, int, datetime] | None:
    """Return a caller's limit, the calls left, and when all are there again; None without a limit."""
    found = runtime.calls_left(actor)
    if found is None:
        return None
    rate, left = found
    waits = (rate.calls - left) * rate.seconds / rate.calls
    return rate.calls, max(0, int(left)), runtime.clock() + timedelta(seconds=ceil(waits))


def headers(runtime: Runtime, actor: Actor) -> dict[str, str]:
    """Return the headers of an answer that tell its caller's rate limit."""
    found = told(runtime, actor)
    if found is None:
        return {}
    limit, remaining, reset_at = found
    seconds = max(0, ceil((reset_at - runtime.clock()).total_seconds()))
    return {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset": str(seconds),
    }

"""The addresses of monitoring, `/readyz` and `/metrics`, and what is told of every request for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.kit.errors import Unauthenticated
from app.kit.logs import Observe
from app.kit.settings import Settings
from app.runtime import Runtime

if TYPE_CHECKING:
    from app.web.metrics import RequestMetrics
    from app.web.traces import RequestTraces


@dataclass(frozen=True, slots=True)
class Observers:
    """The observers that are called for every request, where the settings ask for them."""

    metrics: RequestMetrics | None
    traces: RequestTraces | None

    @property
    def calls(self) -> list[Observe]:
        """Return what is called for every request."""
        return [each.observe for each in (self.metrics, self.traces) if each is not None]

    def routes(self, runtime: Runtime) -> list[Route]:
        """Return the route of the metrics, if there are any."""
        if self.metrics is None:
            return []
        return [Route("/metrics", partial(show, runtime, self.metrics))]

    async def close(self) -> None:
        """Send the traces that are left."""
        if self.traces is not None:
            await asyncio.to_thread(self.traces.close)


def observers(settings: Settings, name_of: Callable[[Any], str]) -> Observers:
    """Return what is told of every request; its libraries are loaded only where it is wanted."""
    metrics, traces = None, None
    if settings.monitoring_token:
        from app.web.metrics import RequestMetrics

        metrics = RequestMetrics(name_of)
    if settings.traces_url:
        from app.web.traces import RequestTraces

        traces = RequestTraces(settings, name_of)
    return Observers(metrics, traces)


async def ready(runtime: Runtime, request: Request) -> Response:
    """Answer 200 if this server can do its work, else 503; why, for who has the token of monitoring."""
    from app.domain.infrastructure import readiness

    checks = await readiness.check(runtime)
    is_ready = all(check.is_good for check in checks if check.needed)
    content: dict[str, object] = {"status": "ready" if is_ready else "unavailable"}
    if _has_token(runtime, request):
        content["checks"] = {
            check.name: {"status": "ok" if check.is_good else "failed" if check.needed else "late"}
            | check.facts
            for check in checks
        }
    return Response(orjson.dumps(content), 200 if is_ready else 503, media_type="application/json")


async def show(runtime: Runtime, metrics: RequestMetrics, request: Request) -> Response:
    """Answer the metrics of this process; raises Unauthenticated without the token of monitoring."""
    if not _has_token(runtime, request):
        runtime.throttle.take("anonymous", request.scope)
        raise Unauthenticated("Send the token of monitoring in the header: Authorization: Bearer <token>.")
    return await metrics.answer(runtime)


def _has_token(runtime: Runtime, request: Request) -> bool:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    needed = runtime.settings.monitoring_token
    is_right = compare_digest(token.strip().encode(), needed.encode())
    return bool(needed) and scheme.lower() == "bearer" and is_right

"""`Idempotency-Key`: a retried write happens once (decisions, Limits and versioning).

The answer is stored in the write's own transaction and given again to the same key and body for a day.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from app.access.context import Actor, Context
from app.domain import replays
from app.edge import Edge
from app.kit.errors import Conflict, Invalid

_running: set[str] = set()
Act = Callable[[Context], Awaitable[Response]]


async def replayed(edge: Edge, actor: Actor, request: Request, key: str, raw: bytes, act: Act) -> Response:
    """Run `act` once for this key; raises Conflict while it runs and Unprocessable for another body."""
    if not 0 < len(key) <= 255:
        raise Invalid("The key must have 1 to 255 characters.", path="Idempotency-Key")
    name = sha256(f"{actor.user_id}\n{key}".encode()).hexdigest()
    if name in _running:
        raise Conflict("The first request with this Idempotency-Key is still running.")
    _running.add(name)
    try:
        return await edge.write(actor, lambda cx: _once(cx, name, _fingerprint(request, raw), act))
    finally:
        _running.discard(name)


async def _once(cx: Context, name: str, fingerprint: str, act: Act) -> Response:
    before = await replays.find(cx, name, fingerprint)
    if before is not None:
        headers = {**before.headers, "idempotency-replayed": "true"}
        return Response(before.body, before.status, headers)
    response = await act(cx)
    headers = {k: v for k, v in response.headers.items() if k != "content-length"}
    await replays.keep(cx, name, fingerprint, response.status_code, headers, bytes(response.body))
    return response


def _fingerprint(request: Request, raw: bytes) -> str:
    scope = request.scope
    asked = b"\n".join([scope["method"].encode(), scope["path"].encode(), scope["query_string"], raw])
    return sha256(asked).hexdigest()

"""`Idempotency-Key`: a retried write happens once (decisions, Limits and versioning).

The answer is stored in the write's own transaction and given again to the same key and body for a day.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from app.access.context import Actor, Context
from app.access.deeds import Deed
from app.domain import replays
from app.edge import Edge, may_write
from app.kit.errors import Conflict, Invalid
from app.models.replays import Replay

_running: set[str] = set()
Prepare = Callable[[], Awaitable[None]]
Act = Callable[[Context], Awaitable[Response]]


async def replayed(
    edge: Edge,
    actor: Actor,
    request: Request,
    key: str,
    raw: bytes,
    prepare: Prepare,
    act: Act,
    deed: Deed,
) -> Response:
    """Run `prepare` and `act` once for this key, and answer as then from then on.

    Raises Conflict while the first still runs, and Unprocessable where the key came with another request.
    """
    may_write(actor)
    if not 0 < len(key) <= 255:
        raise Invalid("The key must have 1 to 255 characters.", path="Idempotency-Key")
    name = sha256(f"{actor.user_id}\n{key}".encode()).hexdigest()
    if name in _running:
        raise Conflict("The first request with this Idempotency-Key is still running.")
    _running.add(name)
    fingerprint = _fingerprint(request, raw)
    try:
        before = await replays.find(edge.context(actor), name, fingerprint)
        if before is not None:
            return _again(before)
        await prepare()
        return await edge.write(actor, lambda cx: _once(cx, name, fingerprint, act), deed)
    finally:
        _running.discard(name)


def _again(before: Replay) -> Response:
    headers = {**before.headers, "idempotency-replayed": "true"}
    return Response(before.body, before.status, headers)


async def _once(cx: Context, name: str, fingerprint: str, act: Act) -> Response:
    await replays.forget_old(cx)
    before = await replays.find(cx, name, fingerprint)  # another process may have been quicker
    if before is not None:
        return _again(before)
    response = await act(cx)
    headers = {k: v for k, v in response.headers.items() if k != "content-length"}
    await replays.keep(cx, name, fingerprint, response.status_code, headers, bytes(response.body))
    return response


def _fingerprint(request: Request, raw: bytes) -> str:
    scope = request.scope
    asked = b"\n".join([scope["method"].encode(), scope["path"].encode(), scope["query_string"], raw])
    return sha256(asked).hexdigest()

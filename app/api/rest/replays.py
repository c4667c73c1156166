"""`Idempotency-Key`: a retried write happens once (decisions, Limits and versioning).

The answer is stored in the write's own transaction and given again to the same key and body for a day: to
the same token, or to another one of the same installation, and only while its caller belongs to where that
was done. Another token may be narrower, and those of one integration act in many organizations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from urllib.parse import parse_qsl

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.access.fetch import permit_in
from app.bodies import cost_of
from app.domain.infrastructure import replays
from app.kit import workers
from app.kit.errors import Conflict, Invalid
from app.models.service import Replay
from app.runtime import Runtime, may_write

_running: set[str] = set()
Prepare = Callable[[], Awaitable[None]]
Act = Callable[[Context], Awaitable[Response]]


async def replayed(
    runtime: Runtime,
    actor: Actor,
    request: Request,
    key: str,
    raw: bytes,
    prepare: Prepare,
    act: Act,
    action: AuditAction,
) -> Response:
    """Run `prepare` and `act` once for this key, and answer as then from then on.

    Raises Conflict while the first still runs, and Unprocessable where the key came with another request.
    """
    may_write(actor)
    if not 0 < len(key) <= 255:
        raise Invalid("The key must have 1 to 255 characters.", path="Idempotency-Key")
    name = sha256(f"{_who(actor)}\n{key}".encode()).hexdigest()
    if name in _running:
        raise Conflict("The first request with this Idempotency-Key is still running.")
    _running.add(name)
    try:
        fingerprint = await workers.run(cost_of(raw), _fingerprint, request, raw)
        cx = runtime.context(actor)
        before = await replays.find(cx, name, fingerprint)
        if before is not None:
            return _again(cx, before)
        await prepare()
        return await runtime.write(actor, lambda cx: _once(cx, name, fingerprint, act), action)
    finally:
        _running.discard(name)


def _who(actor: Actor) -> str:
    """Whose keys these are: a token's, or an installation's, whose tokens last an hour."""
    return (
        f"installation {actor.installation.installation_id}"
        if actor.installation
        else f"token {actor.token_id}"
    )


def _again(cx: Context, before: Replay) -> Response:
    body = replays.body(cx, before)
    if body:  # where nothing is told, who has just left may hear it again
        for organization_id in replays.organizations(before):
            permit_in(cx, organization_id)
    headers = {**before.headers, "idempotency-replayed": "true"}
    return Response(body, before.status, headers)


async def _once(cx: Context, name: str, fingerprint: str, act: Act) -> Response:
    await replays.forget_old(cx)
    before = await replays.find(cx, name, fingerprint)  # another process may have been quicker
    if before is not None:
        return _again(cx, before)
    response = await act(cx)
    headers = {k: v for k, v in response.headers.items() if k != "content-length"}
    await replays.keep(cx, name, fingerprint, response.status_code, headers, bytes(response.body))
    return response


def _fingerprint(request: Request, raw: bytes) -> str:
    """Return a hash of what was asked: the order of JSON keys and query parameters does not count."""
    scope = request.scope
    parameters = sorted(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    asked = [scope["method"], scope["path"], parameters, _canonical(raw)]
    return sha256(orjson.dumps(asked)).hexdigest()


def _canonical(raw: bytes) -> str:
    try:
        return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONDecodeError:  # some operations take a body that is not JSON, or none
        return raw.decode("latin-1")

"""Retried writes happen once (decisions, Limits and versioning): `Idempotency-Key`, and `idempotencyKey`.

The answer is stored in the write's own transaction and given again to the same key and input for a day: to
the same token, or to another one of the same installation, and only while its caller belongs to where that
was done. Another token may be narrower, and those of one integration act in many organizations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from app.access.audit_actions import AuditAction
from app.access.context import Actor, Context
from app.access.fetch import permit_in
from app.domain.infrastructure import replays
from app.kit.errors import Conflict, Invalid
from app.models.replays import Replay
from app.runtime import Runtime, may_write

_running: set[str] = set()


@dataclass(slots=True, frozen=True)
class WriteAnswer:
    """The answer to a write; `is_replay` if it is that of an earlier request."""

    body: bytes
    status: int = 200
    headers: dict[str, str] | None = None
    is_replay: bool = False


Prepare = Callable[[], Awaitable[None]]
Act = Callable[[Context], Awaitable[WriteAnswer]]


async def replayed(
    runtime: Runtime,
    actor: Actor,
    key: str,
    name: str,
    fingerprint: Callable[[], Awaitable[str]],
    prepare: Prepare,
    act: Act,
    action: AuditAction,
) -> WriteAnswer:
    """Run `prepare` and `act` once for this key, and answer as then from then on.

    `name` is what the caller calls the key, and `fingerprint` tells what was asked. Raises Invalid for a key
    that is no key, Conflict while the first still runs, and Unprocessable where the key came with another
    request.
    """
    may_write(actor)
    if not 0 < len(key) <= 255:
        raise Invalid("The key must have 1 to 255 characters.", path=name)
    kept = sha256(f"{_who(actor)}\n{key}".encode()).hexdigest()
    if kept in _running:
        raise Conflict("The first request with this Idempotency-Key is still running.")
    _running.add(kept)
    try:
        asked = await fingerprint()
        cx = runtime.context(actor)
        before = await replays.find(cx, kept, asked)
        if before is not None:
            return _again(cx, before)
        await prepare()
        return await runtime.write(actor, lambda cx: _once(cx, kept, asked, act), action)
    finally:
        _running.discard(kept)


def _who(actor: Actor) -> str:
    """Return whose keys these are: a token's, or an installation's, whose tokens last an hour."""
    return actor.installation.name if actor.installation else f"token {actor.holder}"


def _again(cx: Context, before: Replay) -> WriteAnswer:
    body = replays.body_of(cx, before)
    if body:  # where nothing is told, who has just left may hear it again
        for organization_id in replays.organizations_of(before):
            permit_in(cx, organization_id)
    return WriteAnswer(body, before.status, before.headers, is_replay=True)


async def _once(cx: Context, kept: str, asked: str, act: Act) -> WriteAnswer:
    await replays.forget_old(cx)
    before = await replays.find(cx, kept, asked)  # another process may have been quicker
    if before is not None:
        return _again(cx, before)
    answer = await act(cx)
    await replays.keep(cx, kept, asked, answer.status, answer.headers or {}, answer.body)
    return answer

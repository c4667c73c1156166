"""Answers to retried writes, kept for a day."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, select

from app.access.context import Context
from app.domain.infrastructure import stored_secrets
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, query, table
from app.kit.errors import Conflict, Unprocessable
from app.models.replays import Replay

KEPT = timedelta(days=1)
_APART = " "  # what was asked, and where that was done
REPLAYS = table(Replay)
_FIND = query(
    Replay,
    lambda: select(*REPLAYS.c).where(
        REPLAYS.c.key == given("key"), REPLAYS.c.created_at > given("since", Instant())
    ),
)
_FORGET = command(lambda: delete(REPLAYS).where(REPLAYS.c.created_at <= given("before", Instant())))


async def find(cx: Context, key: str, fingerprint: str) -> Replay | None:
    """Return the answer kept for this key; raises Unprocessable where the key came with another request."""
    replay = await cx.db.first(_FIND, key=key, since=cx.now - KEPT)
    if replay is not None and replay.fingerprint.partition(_APART)[0] != fingerprint:
        raise Unprocessable("This idempotency key was used for another request.", path="Idempotency-Key")
    return replay


def body_of(cx: Context, replay: Replay) -> bytes:
    """Return the body of a kept answer; raises Conflict where it cannot be decrypted."""
    found = cx.signer.unseal_bytes(stored_secrets.REPLAY, replay.body, replay.key)
    if found is None:
        raise Conflict("This idempotency key was used before, and its response is no longer available.")
    return found


def organizations_of(replay: Replay) -> list[str]:
    """Return the organizations in which something was done."""
    return replay.fingerprint.split(_APART)[1:]


async def forget_old(cx: Context) -> None:
    """Make room: answers older than a day are given to nobody."""
    await cx.tx.run(_FORGET, before=cx.now - KEPT)


async def keep(
    cx: Context, key: str, fingerprint: str, status: int, headers: dict[str, str], body: bytes
) -> None:
    """Keep an answer, encrypted since it may tell a token, and in which organizations that was done."""
    where = sorted(cx.notes.subjects) if cx.notes is not None else ()
    await cx.tx.add(
        Replay,
        key=key,
        fingerprint=_APART.join((fingerprint, *where)),
        status=status,
        headers=headers,
        body=cx.signer.seal_bytes(stored_secrets.REPLAY, body, key),
        created_at=cx.now,
    )

"""The rate limit: a bucket of calls per token, kept in the database so that all processes share it.

Off by default (decisions, Limits and versioning). The bucket belongs to the verified token, never to what a
request says of itself (threats, 46).
"""

from __future__ import annotations

from datetime import datetime
from math import ceil

from sqlalchemy import Double, case, false, literal, true

from app.kit.db import Database
from app.kit.errors import TooManyRequests
from app.kit.statements import given, query, table
from app.models.rate_limits import Bucket

_b = table(Bucket)


def _take(dialect: str) -> object:
    if dialect == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    most, now = given("most", Double()), given("now", Double())
    filled = _b.c.calls_left + (now - _b.c.filled_at) * most / literal(60.0, Double())
    left = case((filled > most, most), else_=filled)
    taken = insert(_b).values(token_id=given("token"), calls_left=most - 1, filled_at=now, refused=False)
    return taken.on_conflict_do_update(
        index_elements=[_b.c.token_id],
        set_={
            "calls_left": case((left < 1, left), else_=left - 1),
            "filled_at": now,
            "refused": case((left < 1, true()), else_=false()),
        },
    ).returning(*_b.c)


_TAKE = query(Bucket, {name: lambda name=name: _take(name) for name in ("sqlite", "postgresql")})  # type: ignore[misc]


async def take(db: Database, token_id: str, per_minute: int, now: datetime) -> None:
    """Take one call out of a token's bucket; raises TooManyRequests, saying when to come back."""
    values = {"token": token_id, "most": float(per_minute), "now": now.timestamp()}
    bucket = await db.write(lambda tx: tx.first(_TAKE, **values))
    assert bucket is not None
    if bucket.refused:
        wait = max(1, ceil((1 - bucket.calls_left) * 60 / per_minute))
        raise TooManyRequests(f"This token may make {per_minute} calls a minute.", wait)

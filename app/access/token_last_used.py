"""When tokens were last used: noted in memory by every request, kept once a minute, so that no read writes.

A server that stays keeps the notes by itself. Where nothing runs between requests, the next write does; what
a process only read with in its last minute is lost with the process.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import or_, update

from app.kit.database.columns import Instant
from app.kit.database.interface import Database
from app.kit.database.statements import command, given, table
from app.models.access import Token

PAUSE = timedelta(minutes=1)
_t = table(Token)
_KEEP = command(
    lambda: (
        update(_t)
        .values(last_used_at=given("at", Instant()))
        .where(
            _t.c.id == given("id"),
            or_(_t.c.last_used_at.is_(None), _t.c.last_used_at < given("at", Instant())),
        )
    )
)


class TokenUses:
    """The first use of each token since the notes were kept last."""

    def __init__(self) -> None:
        self.noted: dict[str, datetime] = {}

    def note(self, token_id: str, now: datetime) -> None:
        """Remember that a token was used, unless that is known."""
        self.noted[token_id] = now

    def are_due(self, now: datetime) -> bool:
        """Return whether something was noted that is older than a minute."""
        return bool(self.noted) and now - next(iter(self.noted.values())) >= PAUSE

    async def keep(self, db: Database) -> None:
        """Write down what was noted, in a transaction of its own."""
        noted, self.noted = self.noted, {}
        values = [{"id": id_, "at": at} for id_, at in sorted(noted.items())]
        await db.write(lambda tx: tx.run_many(_KEEP, values))

"""Facts about this installation that it makes for itself once."""

from __future__ import annotations

import secrets

from sqlalchemy import select

from app.kit.db import Database
from app.kit.statements import given, query, table
from app.models.facts import Fact

_f = table(Fact)
_FIND = query(Fact, lambda: select(*_f.c).where(_f.c.name == given("name")))


async def secret(db: Database) -> bytes:
    """The key that signs page tokens and file addresses; the first to ask makes it."""
    found = await db.point(_FIND, name="secret")
    if not found:
        made = {"name": "secret", "value": secrets.token_urlsafe(32)}
        await db.write(lambda tx: tx.add_many(Fact, [made], missing=True))
        found = await db.point(_FIND, name="secret")
    return found[0].value.encode()

"""Counts the jobs of the installation by kind and state, for monitoring."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from app.domain.jobs import JOBS
from app.kit.database.interface import Database
from app.kit.database.statements import rows

_COUNTED = rows(
    lambda: select(
        JOBS.c.kind, JOBS.c.state, func.count().label("jobs"), func.min(JOBS.c.due_at).label("due_at")
    ).group_by(JOBS.c.kind, JOBS.c.state)
)


async def count(db: Database) -> list[Any]:
    """Return a row for each kind and state: how many jobs there are, and the time of the first."""
    return await db.all(_COUNTED)

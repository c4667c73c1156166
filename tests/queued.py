"""Jobs in the queue, in states that would take a test long to reach."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.access.context import Context
from app.domain import jobs
from app.kit.ids import new_id
from app.models.jobs import Job
from tests.cast import Cast

UNTIL = timedelta(days=1)


def queued(cast: Cast, kind: str, subject: str, state: str, **values: Any) -> str:
    """The id of a job that no worker does during the test; a failed one has the reasons of its failure."""
    is_failed = state == "failed"
    made = {
        "id": new_id(),
        "kind": kind,
        "subject": subject,
        "organization_id": cast.organization,
        "payload": {},
        "state": state,
        "attempts": jobs.ATTEMPTS if is_failed else 0,
        "error": "ValueError: inside" if is_failed else None,
        "reason": jobs.UNEXPECTED if is_failed else None,
        **values,
    }

    async def add(cx: Context) -> None:
        due = cx.now if is_failed else cx.now + UNTIL
        await cx.tx.add(Job, **{"due_at": due, "created_at": cx.now, **made})

    cast.house.inside(add)
    return str(made["id"])

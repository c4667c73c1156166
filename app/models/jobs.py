"""Work that outlasts a request."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Table


class Job(Table, table=True):
    """A piece of work for an organization: due at a time, tried again with growing pauses, given up at last.

    `state` is `scheduled` until it is due, `waiting` until a worker leases it, `running` until its lease ends
    at `due_at`, `failed` when it is given up. Work for the whole installation has no organization ("").
    """

    __table_args__ = (
        Index("ix_job_queue", "kind", "organization_id", "due_at", "id", info={"where": "state = 'waiting'"}),
        Index("ix_job_timed", "due_at", info={"where": "state IN ('scheduled', 'running')"}),
        Index("ix_job_running", "kind", "organization_id", info={"where": "state = 'running'"}),
        Index("ix_job_organization_id_state", "organization_id", "state"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    kind: str
    subject: str = Field(sa_type=Key, index=True)
    organization_id: str = Field(sa_type=Key)
    payload: dict[str, Any] = Field(sa_type=Json)
    state: str
    due_at: datetime = Field(sa_type=Instant)
    attempts: int
    error: str | None = None
    created_at: datetime = Field(sa_type=Instant)

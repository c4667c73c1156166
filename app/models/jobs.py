"""What workers do: jobs and outgoing mail, and the servers that fail them."""

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


class OutgoingMail(Table, table=True):
    """A mail until it is sent. Its address and texts are encrypted, since they may sign somebody in."""

    __tablename__ = "outgoing_mail"

    id: str = Field(sa_type=Key, primary_key=True)
    content: str
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)


class Circuit(Table, table=True):
    """A server that failed an organization's requests lately, with its failures in a row.

    The circuit is open once `retry_at` is set: nothing is sent until then. `opened` counts how often it was
    opened since the server last answered.
    """

    __table_args__ = (Index(None, "changed_at"),)

    key: str = Field(sa_type=Key, primary_key=True)
    failures: int
    opened: int
    retry_at: datetime | None = Field(default=None, sa_type=Instant)
    changed_at: datetime = Field(sa_type=Instant)

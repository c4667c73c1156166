"""Work that outlasts a request."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.columns import Instant, Json, Key
from app.models.base import Table


class Job(Table, table=True):
    """A piece of work: due at a time, tried again with growing pauses, given up at last."""

    __table_args__ = (Index(None, "state", "due_at"),)

    id: str = Field(sa_type=Key, primary_key=True)
    kind: str
    subject: str = Field(sa_type=Key, index=True)
    payload: dict[str, Any] = Field(sa_type=Json)
    state: str
    due_at: datetime = Field(sa_type=Instant)
    attempts: int
    error: str | None = None
    created_at: datetime = Field(sa_type=Instant)

"""Work that outlasts a request, replays of retried writes, and the installation's own facts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.columns import Bytes, Instant, Json, Key
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


class Replay(Table, table=True):
    """The answer to a write that carried an `Idempotency-Key`, kept for a day."""

    key: str = Field(sa_type=Key, primary_key=True)
    fingerprint: str
    status: int
    headers: dict[str, str] = Field(sa_type=Json)
    body: bytes = Field(sa_type=Bytes)
    created_at: datetime = Field(sa_type=Instant, index=True)


class Bucket(Table, table=True):
    """How many calls a token has left; filled up as time passes (seconds since 1970)."""

    token_id: str = Field(sa_type=Key, primary_key=True)
    calls_left: float
    filled_at: float
    refused: bool


class Fact(Table, table=True):
    """A fact about this installation, such as its signing secret."""

    name: str = Field(sa_type=Key, primary_key=True)
    value: str

"""Answers to writes that carried an `Idempotency-Key`, for when they are sent again."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key
from app.models.base import Table


class Replay(Table, table=True):
    """The answer to a write that carried an `Idempotency-Key`, kept for a day.

    `fingerprint` tells what was asked, and behind that the organizations in which it was done.
    """

    key: str = Field(sa_type=Key, primary_key=True)
    fingerprint: str
    status: int
    headers: dict[str, str] = Field(sa_type=Json)
    body: bytes = Field(sa_type=Bytes)
    created_at: datetime = Field(sa_type=Instant, index=True)

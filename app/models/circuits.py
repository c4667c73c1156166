"""Circuit breakers: which remote servers fail, so that nobody keeps waiting for them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Table


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

"""Quotas of organizations, and the bytes that are held against them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger
from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Shape, Table


class StoredBytes(Table, table=True):
    """The bytes that were stored for something of an organization, and under its own id for all of it.

    Texts, files, specifications and pictures count as long as what holds them is there, with their history,
    and as often as they were stored: that the same bytes are kept once is the server's gain.
    """

    __tablename__ = "stored_bytes"

    holder_id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key)
    bytes: int = Field(sa_type=BigInteger)


class QuotaOut(Shape):
    """How much of something an organization may use; without `limit` there is none.

    What was used of a quota with a `window` comes back little by little; by `resetAt` all of it has.
    """

    limit: float | None = None
    used: float
    window: int | None = Field(default=None, description="seconds within which what was used comes back")
    reset_at: datetime | None = None


class QuotasUrls(Shape):
    """Addresses of the quotas of an organization."""

    location: str


class QuotasOut(Shape):
    """The quotas of an organization: API requests a minute, events of integrations a day, unfinished jobs,
    and stored bytes."""

    object: Literal["quotas"]
    organization: str
    requests: QuotaOut
    events: QuotaOut
    jobs: QuotaOut
    bytes: QuotaOut
    urls: QuotasUrls

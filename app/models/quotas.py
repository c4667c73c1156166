"""Quotas of an organization, and the bytes that it stores."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlalchemy import BigInteger
from sqlmodel import Field

from app.kit.database.columns import Key
from app.models.base import Names, Shape, Table, UrlOut


class StoredBytes(Table, table=True):
    """The bytes that were stored for something of an organization, and under its own id for all of it.

    Texts, files, specifications and pictures count as long as what holds them is there, with their history,
    and as often as they were stored: that the same bytes are kept once is the server's gain.
    """

    __tablename__ = "stored_bytes"

    holder_id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, index=True)
    bytes: int = Field(sa_type=BigInteger)


class QuotaOut(Shape):
    """A quota of an organization, and how much of it is used.

    What was used of a quota with a `window` becomes available again gradually.
    """

    limit: float | None = Field(default=None, description="Limit of the quota. Absent if there is none.")
    used: float = Field(
        description="How much is used now. Always 0 for requests and events that have no limit."
    )
    window: int | None = Field(
        default=None,
        description="Seconds within which a fully used quota becomes available again. Absent for quotas of "
        "what exists at a time.",
    )
    reset_at: datetime | None = Field(
        default=None,
        description="When the full quota is available again. Absent if nothing is used, and for quotas "
        "without a `window`.",
    )


class QuotasUrls(Shape):
    """Addresses of the quotas of an organization."""

    location: UrlOut


class QuotasOut(Shape):
    """The quotas of an organization: API requests a minute, events of integrations a day, unfinished jobs,
    and stored bytes."""

    object: Literal["quotas"]
    organization: Annotated[str, Names("Organization")] = Field(
        description="Organization that the quotas apply to."
    )
    requests: QuotaOut = Field(description="Requests to the REST and GraphQL APIs within a minute.")
    events: QuotaOut = Field(description="Events and calls sent to integrations within a day.")
    jobs: QuotaOut = Field(description="Background jobs that are scheduled, waiting or running.")
    bytes: QuotaOut = Field(
        description="Stored bytes of content with its history, of specifications and of pictures."
    )
    urls: QuotasUrls

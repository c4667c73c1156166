"""The feed of changes: what was changed in the last day, in the order of commits."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, Index, Integer, text
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Table

ChangedKind = Literal["space", "change-request", "comment", "import-run", "git-sync", "openapi-spec"]
SpaceAction = Literal["created", "updated", "content-updated", "moved", "deleted", "restored"]
ChangeRequestAction = Literal[
    "created", "updated", "status-changed", "content-updated", "review-requested", "review-withdrawn",
    "reviewed", "merged",
]  # fmt: skip
CommentAction = Literal[
    "created", "updated", "resolved", "reopened", "deleted", "reply-created", "reply-updated", "reply-deleted"
]
JobAction = Literal[
    "created", "started", "progressed", "completed", "failed", "cancelled", "updated", "deleted"
]
JOB_KINDS = frozenset({"import-run", "git-sync", "openapi-spec"})
_Row = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER counts up by itself there


class ChangeEvent(Table, table=True):
    """A change that was committed: what happened, and the ids of all that it happened in.

    `position` orders changes by their commits. PostgreSQL's rows get theirs when they are first read (see
    domain.change_feed.recorded_changes); on SQLite the `id` is the position. The ids outlive what they name.
    """

    __tablename__ = "change_event"
    __table_args__ = (
        # SQLite's rows have no position of their own: its index stays empty and costs nothing.
        Index(None, "position", unique=True, sqlite_where=text("position IS NOT NULL")),
    )

    id: int | None = Field(default=None, sa_type=_Row, primary_key=True)
    position: int | None = Field(default=None, sa_type=BigInteger)
    kind: str
    action: str
    organization_id: str = Field(sa_type=Key)
    space_id: str | None = Field(default=None, sa_type=Key)
    change_request_id: str | None = Field(default=None, sa_type=Key)
    comment_id: str | None = Field(default=None, sa_type=Key)
    reply_id: str | None = Field(default=None, sa_type=Key)
    page_id: str | None = Field(default=None, sa_type=Key)
    job_id: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)

"""Tables of the server itself: jobs, outgoing mail, answers to retried writes, circuit breakers, quotas, and
the feed of changes, which lists what was changed in the last day in the order of commits.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sqlalchemy import BigInteger, Index, Integer, text
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Json, Key
from app.models.base import Names, Shape, Table, UrlOut


class ServiceOut(Shape):
    """The version of Docyard that answers."""

    version: str = Field(description="Version of Docyard.")
    build: str = Field(description="Hash of the program, equal for equal code.")


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
    """How much of something an organization may use, and how much it has used.

    What was used of a quota with a `window` becomes available again gradually.
    """

    limit: float | None = Field(
        default=None, description="How much may be used. Absent if there is no limit."
    )
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
        description="Time by which everything used is available again. Absent if nothing is used, and for "
        "quotas without a `window`.",
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


class Fact(Table, table=True):
    """A fact about this installation, such as its signing secret."""

    name: str = Field(sa_type=Key, primary_key=True)
    value: str


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


class OutgoingMail(Table, table=True):
    """A mail until it is sent. Its address and texts are encrypted, since they may sign somebody in."""

    __tablename__ = "outgoing_mail"

    id: str = Field(sa_type=Key, primary_key=True)
    content: str
    created_at: datetime = Field(sa_type=Instant)
    expires_at: datetime = Field(sa_type=Instant, index=True)

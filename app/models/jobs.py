"""Background jobs, as stored and as shown to callers; outgoing mail; failing servers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Column, Enumeration, Names, Shape, Table, UrlOut
from app.models.queries import PageQuery

JobState = Literal["scheduled", "waiting", "running", "failed"]
JobKind = Literal[
    "git-sync",
    "run-import",
    "process-openapi",
    "renew-openapi-pages",
    "compute-content",
    "deliver-events",
    "deliver-task",
    "fetch-site-scripts",
    "check-domain",
    "rebuild-links",
    "purge-space",
    "purge-integration",
    "remove-upload",
    "other",
]


class Job(Table, table=True):
    """A piece of work for an organization: due at a time, tried again with growing pauses, given up at last.

    `state` is `scheduled` until it is due, `waiting` until a worker leases it, `running` until its lease ends
    at `due_at`, `failed` when it is given up, which `due_at` tells then. `error` says for operators why the
    last attempt failed, `reason` for the people of the organization. Work for the whole installation has no
    organization ("").
    """

    __table_args__ = (
        Index("ix_job_queue", "kind", "organization_id", "due_at", "id", info={"where": "state = 'waiting'"}),
        Index("ix_job_timed", "due_at", info={"where": "state IN ('scheduled', 'running')"}),
        Index("ix_job_running", "kind", "organization_id", info={"where": "state = 'running'"}),
        Index("ix_job_failed", "due_at", info={"where": "state = 'failed'"}),
        Index("ix_job_organization_id_state", "organization_id", "state"),
        Index("ix_job_organization_id_id", "organization_id", "id"),
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
    reason: str | None = None
    created_at: datetime = Field(sa_type=Instant)


class JobsQuery(PageQuery):
    """Filters of the jobs of an organization."""

    state: JobState | None = Field(default=None, description="Lists only jobs in this state.")


class JobUrls(Shape):
    """Addresses of a job."""

    location: UrlOut
    app: UrlOut = Field(description="Page of the application that lists the jobs of the organization.")


class JobOut(Shape):
    """A background job of an organization. Completed jobs are removed."""

    object: Literal["job"]
    id: str
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that the job belongs to."
    )
    kind: JobKind = Field(description="What the job does.")
    state: JobState = Field(description="State of the job.")
    title: str | None = Field(
        default=None,
        description="Title or name of the object of the job. Absent if it no longer exists or has none.",
    )
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, description="Space that the job works on. Absent if it works on something else."
    )
    spec: Annotated[str, Names("OpenAPISpec")] | None = Field(
        default=None, description="Specification that the job works on. Absent if it works on something else."
    )
    integration: Annotated[str, Names("Integration")] | None = Field(
        default=None, description="Integration that the job works for. Absent if there is none."
    )
    import_run: Annotated[str, Names("ImportRun")] | None = Field(
        default=None, description="Import run that the job does. Absent for jobs of other kinds."
    )
    attempts: int = Field(description="Number of attempts so far.")
    max_attempts: int = Field(description="Number of attempts after which the job fails.")
    error: str | None = Field(
        default=None,
        description="Why the last attempt failed, in a sentence for people. Absent if none failed.",
    )
    next_attempt_at: datetime | None = Field(
        default=None, description="Time of the next attempt. Absent if the job is running or failed."
    )
    failed_at: datetime | None = Field(
        default=None, description="When the job failed for good. Absent unless it is failed."
    )
    created_at: datetime
    can_retry: bool = Field(description="Whether the job can be retried: its last attempt failed.")
    can_cancel: bool = Field(
        description="Whether the job can be cancelled. Upkeep, such as removing a deleted space, cannot."
    )
    urls: JobUrls


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


ENUMERATIONS = (
    Enumeration(
        "JobState",
        JobState,
        {
            "scheduled": "It waits for a time: its first one, or that of the next attempt.",
            "waiting": "It is due, and waits for a worker.",
            "running": "A worker does it.",
            "failed": "It was given up after its last attempt.",
        },
    ),
    Enumeration(
        "JobKind",
        JobKind,
        {
            "git-sync": "Synchronises a space with its Git repository.",
            "run-import": "Imports pages.",
            "process-openapi": "Reads an OpenAPI specification.",
            "renew-openapi-pages": "Updates the pages of an OpenAPI specification.",
            "compute-content": "Computes the pages of a content source.",
            "deliver-events": "Sends events to an integration.",
            "deliver-task": "Sends a task to an integration.",
            "fetch-site-scripts": "Asks an integration for its scripts of sites.",
            "check-domain": "Looks up the DNS record that proves a domain.",
            "rebuild-links": "Rebuilds the links of a space.",
            "purge-space": "Removes a deleted space.",
            "purge-integration": "Removes a deleted integration.",
            "remove-upload": "Removes an upload that was not used.",
            "other": "Something else.",
        },
    ),
)

"""The audit log: what was changed, by whom, from where; one chain of events for each organization."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Column, Enumeration, Location, Shape, Table
from app.models.queries import PageQuery, QueryTime
from app.models.users import UserOut

Face = Literal["rest", "graphql", "browser", "command", "sync", "job"]
AuditActorType = Literal["user", "operator", "system"]
_HAS_TARGET = text("target_id IS NOT NULL")  # what most changes are about is their subject


class AuditEvent(Table, table=True):
    """One change. It names what it is about by ids only, and so outlives all of it.

    `hash` is a signature of the rest of the row and of the hash before (see domain.audit).
    """

    __tablename__ = "audit_event"
    __table_args__ = (
        Index(None, "organization_id", "created_at"),
        Index(None, "organization_id", "user_id", "number"),
        Index(None, "organization_id", "subject_id", "number"),
        Index(
            None,
            "organization_id",
            "target_id",
            "number",
            sqlite_where=_HAS_TARGET,
            postgresql_where=_HAS_TARGET,
        ),
    )

    organization_id: str = Field(sa_type=Key, primary_key=True, foreign_key="organization.id")
    number: int = Field(sa_type=BigInteger, primary_key=True)
    created_at: datetime = Field(sa_type=Instant)
    actor: str
    user_id: str | None = Field(default=None, sa_type=Key)
    token_id: str | None = Field(default=None, sa_type=Key)
    face: str
    address: str | None = None
    request_id: str | None = None
    action: str = Field(sa_type=Key)
    subject_kind: str
    subject_id: str = Field(sa_type=Key)
    subject_title: str | None = None
    target_kind: str | None = None
    target_id: str | None = Field(default=None, sa_type=Key)
    hash: str


class AuditHead(Table, table=True):
    """The newest event of an organization's log, so that one that is cut off is missed.

    `seal` is a signature of this row with the key of the audit log (see domain.audit); empty where the log
    was found altered.
    """

    __tablename__ = "audit_head"

    organization_id: str = Field(sa_type=Key, primary_key=True, foreign_key="organization.id")
    number: int = Field(sa_type=BigInteger)
    hash: str
    seal: str


class AuditQuery(PageQuery):
    """Which events; what is left out asks for nothing."""

    actor: str | None = Field(default=None, max_length=100, description="id of the person who acted")
    action: str | None = Field(default=None, max_length=100, description="operation, by its operationId")
    target: str | None = Field(default=None, max_length=100, description="id of what was changed")
    since: QueryTime | None = Field(default=None, description="events at or after this time")
    until: QueryTime | None = Field(default=None, description="events before this time")


class AuditActor(Shape):
    """Who acted: a person, whoever runs the installation's commands, or the installation by itself."""

    type: AuditActorType
    user: UserOut | None = None
    token: str | None = None


class AuditObject(Shape):
    """An object by its kind and id, which may be gone; the title is the one it had then."""

    type: str
    id: str
    title: str | None = None


class AuditEventOut(Shape):
    """A change that was made. `subject` is what the right to it was asked of, `target` what was made in it or
    changed of it, where that is something else."""

    object: Literal["audit-event"]
    id: str
    number: int
    created_at: datetime
    action: str
    actor: AuditActor
    face: Face
    address: str | None = None
    request: Annotated[str | None, Column("request_id")] = None
    subject: AuditObject
    target: AuditObject | None = None
    hash: str
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "AuditActorType",
        AuditActorType,
        {
            "user": "",
            "operator": "",
            "system": "",
        },
    ),
    Enumeration(
        "AuditFace",
        Face,
        {
            "rest": "",
            "graphql": "",
            "browser": "",
            "command": "",
            "sync": "",
            "job": "",
        },
    ),
)

"""The audit log: what was changed, by whom, from where; one chain of events for each organization."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Column, Enumeration, Location, Names, Shape, Table
from app.models.queries import PageQuery, QueryTime
from app.models.users import UserOut

Face = Literal["rest", "graphql", "mcp", "browser", "oauth", "upload", "command", "sync", "job"]
AuditActorType = Literal["user", "operator", "system"]
_HAS_TARGET = text("target_id IS NOT NULL")  # what most changes are about is their subject


class AuditEvent(Table, table=True):
    """One change. It names what it is about by ids only, and so outlives all of it.

    `hash` is a signature of the rest of the row and of the hash before (see domain.audit). What is personal,
    the address and the titles, is hashed with a salt of its own first, and so can be erased: `erased` then
    has its hash, and `erasure` is a signature of what is left. Events of the form 1 were hashed as they were;
    those of the form 2 have no title of the target.
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
    target_title: str | None = None
    hash: str
    form: int = 3
    address_salt: str | None = None
    title_salt: str | None = None
    target_title_salt: str | None = None
    erased: dict[str, str] | None = Field(default=None, sa_type=Json)
    erasure: str | None = None


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
    """Filters of the events of an audit log."""

    actor: Annotated[str, Names("User")] | None = Field(
        default=None, max_length=100, description="Identifier of a person. Lists only what this person did."
    )
    action: str | None = Field(
        default=None,
        max_length=100,
        description="Name of an action, such as an `operationId`. Lists only events of this action.",
    )
    target: Annotated[str, Names("Node")] | None = Field(
        default=None,
        max_length=100,
        description="Identifier of an object. Lists only events whose subject or target it is.",
    )
    target_type: str | None = Field(
        default=None,
        max_length=100,
        description="Type of an object, such as `space` or `change-request`. Lists only events whose subject "
        "or target has this type.",
    )
    since: QueryTime | None = Field(default=None, description="Lists only events at or after this time.")
    until: QueryTime | None = Field(default=None, description="Lists only events before this time.")


class AuditActor(Shape):
    """The person or program that made a change."""

    type: AuditActorType = Field(description="Type of the actor.")
    user: UserOut | None = Field(
        default=None, description="Person who made the change. Absent unless `type` is `user`."
    )
    token: str | None = Field(
        default=None, description="Identifier of the token that was used. Absent if there was none."
    )


class AuditObject(Shape):
    """An object that a change was about, which may not exist any more."""

    type: str = Field(description="Type of the object, such as `space` or `change-request`.")
    id: str
    title: str | None = Field(
        default=None,
        description="Title of the object: of the subject before the change, or of a target that was created. "
        "Absent if it has none or it was not recorded.",
    )


class AuditEventOut(Shape):
    """A change that was made in an organization."""

    object: Literal["audit-event"]
    id: str = Field(description="Identifier of the event in its organization, which is its number.")
    number: int = Field(
        description="Number of the event. The events of an organization are numbered from 1 without gaps."
    )
    created_at: datetime = Field(description="When the change was made.")
    action: str = Field(
        description="What was done: the `operationId` of an operation (in GraphQL too), the name of a "
        "command, or the name of an action of the server, such as `purgeSpace`."
    )
    actor: AuditActor = Field(description="Who made the change.")
    face: Face = Field(description="Interface through which the change was made.")
    address: str | None = Field(
        default=None,
        description="IP address that the request came from. Absent if there was none, and if it was erased "
        "with the account of the person.",
    )
    request: Annotated[str | None, Column("request_id")] = Field(
        default=None,
        description="Identifier of the request, as in the header `X-Request-Id`. Absent if there was none.",
    )
    subject: AuditObject = Field(description="Object whose permission was checked.")
    target: AuditObject | None = Field(
        default=None,
        description="Object that was created or changed in the subject. Absent if it is the subject itself.",
    )
    hash: str = Field(
        description="Identifier of the key, and the HMAC-SHA256 of the event with the hash of the event "
        "before."
    )
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "AuditActorType",
        AuditActorType,
        {
            "user": "A person, or an integration that acts with a token.",
            "operator": "Somebody who ran a command on the server.",
            "system": "The server itself.",
        },
    ),
    Enumeration(
        "AuditFace",
        Face,
        {
            "rest": "The REST API.",
            "graphql": "The GraphQL API.",
            "mcp": "A tool of the MCP server for authors.",
            "browser": "Signing in or out, accepting an invite or allowing an application in a browser.",
            "oauth": "An OAuth application that obtained or revoked a token.",
            "upload": "Bytes that were sent to the URL of an upload.",
            "command": "A command on the server.",
            "sync": "A synchronisation with a Git repository.",
            "job": "A background job.",
        },
    ),
)

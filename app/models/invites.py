"""Invites: to one address, or by a link that lets in whoever holds it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as Part
from pydantic import StringConstraints
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Role, Shape, Table, absent, one_of
from app.models.users import EMAIL_PATTERN, UserOut

InviteKind = Literal["email", "link"]
Email = Annotated[
    str,
    StringConstraints(min_length=3, max_length=320, strip_whitespace=True),
    Part(json_schema_extra={"pattern": f"^{EMAIL_PATTERN}$"}),  # the domain says so in words
]


class Invite(Table, table=True):
    """An invite into an organization: to the person with an address, or to whoever has its id.

    A link gives a role in the organization, or a level on one space or collection.
    """

    __table_args__ = (UniqueConstraint("organization_id", "email"), Index(None, "organization_id", "id"))

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    email: str | None = Field(default=None, sa_type=Key)
    role: str | None = None
    level: str | None = None
    object_kind: str | None = None
    object_id: str | None = Field(default=None, sa_type=Key)
    sso: bool
    created_by: str | None = Field(default=None, sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)


class Invitee(Shape):
    """Somebody to invite with a role of their own; a null role invites a guest."""

    email: Email
    role: Role | None


class InvitesCreate(Change):
    """Whom to invite: addresses, or addresses with roles; the others get `role`, else the default role."""

    emails: Annotated[list[Email | Invitee], Part(min_length=1, max_length=100)]
    role: Role | None = None
    sso: bool = False


class LinkInviteCreate(Change):
    """A link: a role in the organization, or a level on one space or one collection for guests."""

    model_config = one_of(
        {"role": {}}, {"level": {}, "space": {}}, {"level": {}, "collection": {}}, only=True
    )

    role: Role = absent()
    level: Role = absent()
    space: str = absent()
    collection: str = absent()


class LinkInviteUpdate(Change):
    """What a link gives from now on: a role or a level, whichever it gave before."""

    role: Role = absent()
    level: Role = absent()


class InviteUrls(Shape):
    """Where an invite is read and accepted, and the page of the application that does it."""

    location: str
    app: str


class InviteOut(Shape):
    """An invite. One by e-mail has an `email`; a link has a role, or a level on a space or a collection."""

    object: Literal["invite"]
    id: str
    type: InviteKind
    organization: Annotated[str, Column("organization_id")]
    email: str | None = None
    role: Role | None = None
    level: Role | None = None
    space: str | None = None
    collection: str | None = None
    sso: bool
    created_at: datetime
    urls: InviteUrls


class InvitedOut(Shape):
    """What came of inviting: who belongs already, who is invited now, and whom single sign-on leaves out."""

    users: list[UserOut]
    invited: list[InviteOut]
    failed_sso_emails: list[str] = Part(alias="failedSSOEmails")


class AcceptedOut(Shape):
    """The organization that the caller belongs to now."""

    organization: str

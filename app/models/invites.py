"""Invites into organizations: by e-mail to the person with an address, by link to whoever has it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as ShapeField
from pydantic import StringConstraints
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import (
    Change,
    Choice,
    Choices,
    Column,
    Enumeration,
    Names,
    Role,
    Shape,
    Table,
    UrlOut,
    absent,
    one_of,
)
from app.models.users import EMAIL_PATTERN, UserOut

InviteKind = Literal["email", "link"]
Email = Annotated[
    str,
    StringConstraints(min_length=3, max_length=320, strip_whitespace=True),
    ShapeField(json_schema_extra={"pattern": f"^{EMAIL_PATTERN}$"}),  # the domain says so in words
]


class Invite(Table, table=True):
    """An invite into an organization: to the person with an address, or to whoever has its id.

    A link gives a role in the organization, or a level on one space or collection.
    """

    __table_args__ = (
        UniqueConstraint("organization_id", "email"),
        Index(None, "organization_id", "id"),
        Index(None, "email"),
    )

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
    """Somebody to invite with a role of their own."""

    email: Email = Field(description="E-mail address to invite.")
    role: Role | None = Field(description="Role in the organization. Null invites a guest.")


class InvitesCreate(Change):
    """Invites by e-mail."""

    emails: Annotated[list[Email | Invitee], ShapeField(min_length=1, max_length=100)] = Field(
        description="E-mail addresses to invite, each with or without a role of its own; 1 to 100."
    )
    role: Role | None = Field(
        default=None,
        description="Role of the addresses without a role of their own. Null invites guests. If left out, "
        "the default role of the organization.",
    )
    sso: bool = Field(
        default=False,
        description="Whether those who accept have to sign in by single sign-on. Addresses outside the "
        "verified domains of the organization are not invited then.",
    )


class LinkInviteCreate(Change):
    """An invite by link, which gives a role in the organization, or a level on a space or a collection."""

    model_config = one_of(
        {"role": {}}, {"level": {}, "space": {}}, {"level": {}, "collection": {}}, only=True
    )
    choices = Choices(
        {
            "role": Choice("role", "Role in the organization."),
            "space": Choice("space", "A level on a space, which the link leads to.", beside=["level"]),
            "collection": Choice(
                "collection", "A level on a collection, which the link leads to.", beside=["level"]
            ),
        },
        within="access",
        description="What people who follow the link may do.",
    )

    role: Role = absent("Role in the organization. Excludes the other fields.")
    level: Role = absent("Level on the space or the collection. People who are no members become guests.")
    space: Annotated[str, Names("Space")] = absent("Space that the link leads to.")
    collection: Annotated[str, Names("Collection")] = absent("Collection that the link leads to.")


class LinkInviteUpdate(Change):
    """Changes to an invite link. It gives a role or a level, whichever it gave before."""

    role: Role = absent("Role in the organization. Only for links that give a role.")
    level: Role = absent("Level on the space or the collection. Only for links that give a level.")


class InviteUrls(Shape):
    """Addresses of an invite."""

    location: UrlOut
    app: UrlOut = Field(description="Page of the application where the invite is accepted.")


class InviteOut(Shape):
    """An invite into an organization, by e-mail or by link."""

    object: Literal["invite"]
    id: str
    type: InviteKind = Field(description="Type of the invite.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that the invite leads into."
    )
    email: str | None = Field(default=None, description="E-mail address that was invited. Absent for links.")
    role: Role | None = Field(
        default=None,
        description="Role that the invite gives in the organization. Absent if it invites a guest or gives a "
        "level.",
    )
    level: Role | None = Field(
        default=None,
        description="Level that the link grants on the space or collection. Absent if it is for neither.",
    )
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, description="Space that the link is for. Absent if it is for none."
    )
    collection: Annotated[str, Names("Collection")] | None = Field(
        default=None, description="Collection that the link is for. Absent if it is for none."
    )
    sso: bool = Field(description="Whether who accepts has to sign in by single sign-on.")
    created_at: datetime
    urls: InviteUrls


class InvitedOut(Shape):
    """The outcome of inviting people by e-mail."""

    users: list[UserOut] = Field(
        description="People who belong to the organization already and were not invited."
    )
    invited: list[InviteOut] = Field(description="Invites that were created or changed.")
    failed_sso_emails: list[str] = Field(
        alias="failedSSOEmails",
        description="Addresses that were not invited because single sign-on was asked for and their domain "
        "is not verified.",
    )


class AcceptedOut(Shape):
    """The outcome of accepting an invite."""

    organization: Annotated[str, Names("Organization")] = Field(
        description="Organization that the caller belongs to now."
    )


ENUMERATIONS = (
    Enumeration(
        "InviteType",
        InviteKind,
        {
            "email": "For the person with an e-mail address; it can be accepted once.",
            "link": "For everybody who has the link; it can be accepted any number of times.",
        },
    ),
)

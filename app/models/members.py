"""Members of organizations: their teams, and the invites that make them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as ShapeField
from pydantic import StringConstraints
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Permissions, Role, Shape, Table, absent, one_of
from app.models.queries import Order, PageQuery
from app.models.spaces import SpaceOut
from app.models.teams import TeamOut, TeamRole
from app.models.texts import Form
from app.models.users import EMAIL_PATTERN, UserOut

RoleOrGuest = Literal["admin", "create", "review", "edit", "comment", "read", "guest"]
MemberSort = Literal["joinedAt", "lastSeenAt", "name"]
SigningKey = Annotated[
    str,
    StringConstraints(min_length=32, max_length=256),
    Form(r"^[\x21-\x7e]+$", "visible ASCII characters without blanks"),
]


class MembersQuery(PageQuery):
    """Which members of an organization, and in which order."""

    role: RoleOrGuest | None = ShapeField(default=None, description="only members with this role, or guests")
    search: str | None = ShapeField(
        default=None, max_length=256, description="part of a name or an e-mail address, in any case"
    )
    sort: MemberSort = ShapeField(
        default="joinedAt", description="with lastSeenAt only who was seen is listed"
    )
    order: Order = ShapeField(default="desc", description="newest, or last in the alphabet, first")


class MemberSpacesQuery(PageQuery):
    """In which order the spaces of a member are listed."""

    order: Order = ShapeField(default="desc", description="by the last change, newest first")


class MemberTeamsQuery(PageQuery):
    """Which teams of a member."""

    title: str | None = ShapeField(default=None, max_length=64, description="part of the title, in any case")


class MemberUpdate(Change):
    """Changes to a member; a null role makes a guest of them. Who is disabled has no access."""

    role: Role | None = None
    disabled: bool = absent()
    sso: bool = absent()


class MemberOut(Shape):
    """A person's place in an organization (specification, Member). A guest has no role."""

    object: Literal["member"]
    id: Annotated[str, Column("user_id")]
    role: Role | None
    user: UserOut
    disabled: bool
    joined_at: datetime
    last_seen_at: datetime | None = None
    sso: bool
    spaces: int
    teams: int


class MemberSpaceOut(Shape):
    """A space that a member sees, and what they may do there at most."""

    permission: Role
    space: SpaceOut


class PingOut(Shape):
    """What a member who is there is told: who they are, signed with the organization's key if it has one."""

    service_visitor_claims: str | None = None


class SigningKeyUpdate(Change):
    """The key that visitor claims are signed with; one is made where none is given."""

    key: SigningKey = absent()


class SigningKeyOut(Shape):
    """A signing key that was set; `key` is shown this once, and only if it was made here."""

    object: Literal["signing-key"]
    key: str | None = None


class MemberInTeam(Shape):
    """What a member of the organization is in a team."""

    role: TeamRole


class TeamMemberPermissions(Permissions):
    """What the caller may do with a member of a team."""

    view: bool


class TeamMemberOut(Shape):
    """A member of the organization and what they are in a team."""

    organization: MemberOut
    team: MemberInTeam
    permissions: TeamMemberPermissions


class MemberTeamOut(Shape):
    """A team that a member of the organization is in, and what they are there."""

    team: TeamOut
    member: MemberInTeam


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

    emails: Annotated[list[Email | Invitee], ShapeField(min_length=1, max_length=100)]
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
    failed_sso_emails: list[str] = ShapeField(alias="failedSSOEmails")


class AcceptedOut(Shape):
    """The organization that the caller belongs to now."""

    organization: str


ENUMERATIONS = (
    Enumeration(
        "RoleOrGuest",
        RoleOrGuest,
        {
            "admin": "",
            "create": "",
            "review": "",
            "edit": "",
            "comment": "",
            "read": "",
            "guest": "",
        },
    ),
    Enumeration(
        "MemberSort",
        MemberSort,
        {
            "joinedAt": "",
            "lastSeenAt": "",
            "name": "",
        },
    ),
    Enumeration(
        "InviteType",
        InviteKind,
        {
            "email": "",
            "link": "",
        },
    ),
)

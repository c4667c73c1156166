"""Members of organizations: their teams, and the invites that make them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlmodel import Field

from app.models.base import ROLES, Change, Column, Enumeration, Permissions, Role, Shape, absent
from app.models.queries import Order, PageQuery
from app.models.spaces import SpaceOut
from app.models.teams import TeamOut, TeamRole
from app.models.texts import Form
from app.models.users import UserOut

RoleOrGuest = Literal["admin", "create", "review", "edit", "comment", "read", "guest"]
MemberSort = Literal["joinedAt", "lastSeenAt", "name"]
SigningKey = Annotated[
    str,
    StringConstraints(min_length=32, max_length=256),
    Form(r"^[\x21-\x7e]+$", "visible ASCII characters without blanks"),
]


class MembersQuery(PageQuery):
    """Filters and order of the members of an organization."""

    role: RoleOrGuest | None = Field(
        default=None, description="Lists only members with this role, or only guests."
    )
    search: str | None = Field(
        default=None,
        max_length=256,
        description="Part of a name or an e-mail address, regardless of case. Lists only members who match.",
    )
    sort: MemberSort = Field(
        default="joinedAt",
        description="Property to sort by. With `lastSeenAt`, only members who were seen and are not disabled "
        "are listed.",
    )
    order: Order = Field(default="desc", description="Direction of the order.")


class MemberSpacesQuery(PageQuery):
    """Order of the spaces of a member."""

    order: Order = Field(
        default="desc", description="Direction of the order, which is by the time of the last change."
    )


class MemberTeamsQuery(PageQuery):
    """Filters of the teams of a member."""

    title: str | None = Field(
        default=None,
        max_length=64,
        description="Part of the title, regardless of case. Lists only teams whose title contains it.",
    )


class MemberUpdate(Change):
    """Changes to a member of an organization."""

    role: Role | None = Field(
        default=None,
        description="Role in the organization, at most the caller's own. Null makes the member a guest, who "
        "can no longer own teams.",
    )
    disabled: bool = absent(
        "Whether the member is disabled. Disabled members keep their teams and grants and have no access."
    )
    sso: bool = absent(
        "Whether the member has to sign in by single sign-on. The organization must have an active identity "
        "provider and have verified the domain of their e-mail address before it is switched on."
    )


class MemberOut(Shape):
    """A member of an organization: a person with their role there (specification, Member)."""

    object: Literal["member"]
    id: Annotated[str, Column("user_id")] = Field(
        description="Identifier of the person, the same in every organization."
    )
    role: Role | None = Field(description="Role in the organization. Null for guests.")
    user: UserOut = Field(description="Person who is the member.")
    disabled: bool = Field(
        description="Whether the member is disabled, which means that they have no access."
    )
    joined_at: datetime = Field(description="When the person joined the organization.")
    last_seen_at: datetime | None = Field(
        default=None, description="When the member last sent a ping. Absent if they never did."
    )
    sso: bool = Field(
        description="Whether the member has to sign in by single sign-on, even if the organization does not "
        "ask everybody to."
    )
    spaces: int = Field(
        description="Number of spaces of the organization that the member and the caller see."
    )
    teams: int = Field(
        description="Number of teams of the organization that the member is in. Guests are told of their own."
    )


class MemberSpaceOut(Shape):
    """A space that a member sees, and their level on it."""

    permission: Role = Field(description="Highest level that the member has on the space.")
    space: SpaceOut = Field(description="Space that the member sees.")


class PingOut(Shape):
    """The answer to a ping: claims about the member, signed with the key of the organization."""

    service_visitor_claims: str | None = Field(
        default=None,
        description="JSON Web Token (HS256, valid for an hour) with the identifier, e-mail address, name and "
        "role of the caller. Absent if the organization has no signing key.",
    )


class SigningKeyUpdate(Change):
    """The key that visitor claims are signed with."""

    key: SigningKey = absent(
        "Key of 32 to 256 visible ASCII characters without blanks. Left out, a key is generated."
    )


class SigningKeyOut(Shape):
    """A signing key that was set."""

    object: Literal["signing-key"]
    key: str | None = Field(
        default=None,
        description="Key that was generated, shown only once. Absent if the caller sent the key.",
    )


class MemberInTeam(Shape):
    """The role of a member of the organization in a team."""

    role: TeamRole = Field(description="Role in the team.")


class TeamMemberPermissions(Permissions):
    """The permissions of the caller for a member of a team."""

    view: bool = Field(description="Whether the caller may see the member. Always true.")


class TeamMemberOut(Shape):
    """A member of a team."""

    organization: MemberOut = Field(description="The person as a member of the organization.")
    team: MemberInTeam = Field(description="The person as a member of the team.")
    permissions: TeamMemberPermissions


class MemberTeamOut(Shape):
    """A team that a member of the organization is in."""

    team: TeamOut = Field(description="Team that the member is in.")
    member: MemberInTeam = Field(description="The member's part in the team.")


ENUMERATIONS = (
    Enumeration(
        "RoleOrGuest",
        RoleOrGuest,
        {
            **ROLES,
            "guest": "Has no role in the organization, only what was granted on content.",
        },
        "Role of a member, or none.",
    ),
    Enumeration(
        "MemberOrderField",
        MemberSort,
        {
            "joinedAt": "By the time at which the member joined the organization.",
            "lastSeenAt": "By the time of the member's last ping.",
            "name": "By the name of the person, regardless of case.",
        },
    ),
)

"""Teams: people of an organization who are given rights together."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import (
    Change,
    Column,
    Enumeration,
    Location,
    Names,
    Permissions,
    Role,
    Shape,
    Table,
    absent,
)
from app.models.queries import Order, PageQuery
from app.models.spaces import SpaceOut
from app.models.texts import ID_FORM, Label

TeamRole = Literal["owner", "member"]
TeamTitle = Annotated[str, Label(64)]
MemberId = Annotated[str, StringConstraints(max_length=100), ID_FORM]
IdOrEmail = Annotated[str, StringConstraints(min_length=1, max_length=320)]
MOST_PEOPLE = 1000


class Team(Table, table=True):
    """A team: `member_count` is kept by who changes its members, `title_key` is the title without case."""

    __table_args__ = (Index(None, "organization_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    title: str
    title_key: str
    member_count: int
    created_at: datetime = Field(sa_type=Instant)


class TeamMember(Table, table=True):
    """A person's place in a team; an owner manages its members."""

    __tablename__ = "team_member"
    __table_args__ = (Index(None, "user_id", "organization_id", "team_id"),)

    team_id: str = Field(sa_type=Key, primary_key=True, foreign_key="team.id")
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id", index=True)
    role: str
    joined_at: datetime = Field(sa_type=Instant)


class TeamInvite(Table, table=True):
    """A place in a team for somebody who was invited; it goes with the invite, and with the team."""

    __tablename__ = "team_invite"

    team_id: str = Field(sa_type=Key, primary_key=True, foreign_key="team.id", ondelete="CASCADE")
    invite_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="invite.id", ondelete="CASCADE", index=True
    )


class TeamsQuery(PageQuery):
    """Filters of the teams of an organization."""

    title: str | None = Field(
        default=None,
        max_length=64,
        description="Part of the title, regardless of case. Lists only teams whose title contains it.",
    )
    owner: Annotated[str, Names("User")] | None = Field(
        default=None,
        max_length=100,
        description="Identifier of a person. Lists only teams that this person may manage, as an owner of "
        "the team or as an administrator of the organization.",
    )


class TeamCreate(Change):
    """A new team, and its first members."""

    title: TeamTitle = Field(description="Title of the team, 1 to 64 characters.")
    members: Annotated[list[MemberId], Names("User")] = Field(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="Identifiers of members of the organization who join the team, at most 1,000.",
    )


class TeamUpdate(Change):
    """Changes to a team."""

    title: TeamTitle = Field(description="New title of the team, 1 to 64 characters.")


class TeamMembershipUpdate(Change):
    """The role of a member in a team."""

    role: TeamRole = absent(
        "Role in the team. Left out, a new member of the team gets the role `member`, and others keep theirs."
    )


class TeamMembersUpdate(Change):
    """Changes to the members of a team: additions first, then roles, then removals.

    Somebody who is both added and removed is removed.
    """

    add: Annotated[list[IdOrEmail], Names("User")] = Field(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="People to add, by their identifiers or e-mail addresses, at most 1,000. An address that "
        "no member of the organization has is invited as a guest, which takes the role `admin` in the "
        "organization.",
    )
    remove: Annotated[list[IdOrEmail], Names("User")] = Field(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="People to remove, by their identifiers or e-mail addresses, at most 1,000.",
    )
    memberships: dict[MemberId, TeamMembershipUpdate] = Field(
        default_factory=dict,
        max_length=MOST_PEOPLE,
        description="New roles of members of the team, by the identifiers of the people, at most 1,000.",
    )


class TeamSpacesQuery(PageQuery):
    """Order of the spaces of a team."""

    order: Order = Field(
        default="desc", description="Direction of the order, which is by the time of the last change."
    )


class TeamSpaceOut(Shape):
    """A space that a team was granted a role on, and that role."""

    permission: Role = Field(description="Highest role that the team was granted on the space.")
    space: SpaceOut = Field(description="Space that the team was granted a role on.")


class TeamPermissions(Permissions):
    """The permissions of the caller for a team."""

    view: bool = Field(description="Whether the caller may see the team.")
    admin: bool = Field(description="Whether the caller may change the title and the members of the team.")


class TeamOut(Shape):
    """A team: people of an organization who are granted roles together (specification, Team)."""

    object: Literal["team"]
    id: str
    title: str = Field(description="Title of the team.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that the team belongs to."
    )
    members: Annotated[int, Column("member_count")] = Field(description="Number of members of the team.")
    spaces: int = Field(
        description="Number of spaces that the caller sees and on which the team was granted a role, "
        "directly or on a collection above."
    )
    created_at: datetime
    permissions: TeamPermissions
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "TeamRole",
        TeamRole,
        {
            "owner": "Manages the members of the team.",
            "member": "Has what the team was granted.",
        },
    ),
)

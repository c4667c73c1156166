"""Teams: people of an organization who are given rights together."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as Part
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Location, Permissions, Shape, Table, absent
from app.models.queries import PageQuery
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
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
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
    """Which teams of an organization."""

    title: str | None = Part(default=None, max_length=64, description="part of the title, in any case")
    owner: str | None = Part(
        default=None, max_length=100, description="only teams that the person with this id may manage"
    )


class TeamCreate(Change):
    """A new team, and who is in it from the start."""

    title: TeamTitle
    members: list[MemberId] = Part(default_factory=list, max_length=MOST_PEOPLE)


class TeamUpdate(Change):
    """A new title."""

    title: TeamTitle


class TeamMembershipUpdate(Change):
    """What somebody is in a team; who is new and has no role given is a member."""

    role: TeamRole = absent()


class TeamMembersUpdate(Change):
    """Who comes, what those who stay are, who goes: in this order, so that who comes and goes is gone."""

    add: list[IdOrEmail] = Part(
        default_factory=list,
        max_length=MOST_PEOPLE,
        description="ids or e-mail addresses; an address that nobody has is invited as a guest",
    )
    remove: list[IdOrEmail] = Part(
        default_factory=list, max_length=MOST_PEOPLE, description="ids or e-mail addresses"
    )
    memberships: dict[MemberId, TeamMembershipUpdate] = Part(
        default_factory=dict, max_length=MOST_PEOPLE, description="by the id of somebody in the team"
    )


class TeamPermissions(Permissions):
    """What the caller may do with a team."""

    view: bool
    admin: bool


class TeamOut(Shape):
    """A team (specification, Team); `spaces` counts those that it was granted, in collections too."""

    object: Literal["team"]
    id: str
    title: str
    organization: Annotated[str, Column("organization_id")]
    members: Annotated[int, Column("member_count")]
    spaces: int
    created_at: datetime
    permissions: TeamPermissions
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "TeamRole",
        TeamRole,
        {
            "owner": "",
            "member": "",
        },
    ),
)

"""GraphQL face of teams and their members."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.members import Member  # noqa: F401 - declared before the first type that shows members
from app.api.graphql.shapes import input_of, output
from app.domain.organizations import team_members
from app.domain.organizations import teams as teaming
from app.models.members import TeamMemberOut
from app.models.teams import (
    TeamCreate,
    TeamMembershipUpdate,
    TeamMembersUpdate,
    TeamOut,
    TeamsQuery,
    TeamUpdate,
)
from app.present.people import team as show_team
from app.present.people import team_member as show_team_member

TeamCreateInput: Any = input_of(TeamCreate)
TeamUpdateInput: Any = input_of(TeamUpdate)
TeamMembersUpdateInput: Any = input_of(TeamMembersUpdate)
TeamMembershipUpdateInput: Any = input_of(TeamMembershipUpdate)


@output(TeamMemberOut)
class TeamMember:
    """A member of the organization and what they are in a team."""


@output(TeamOut)
class Team:
    """A team: people of an organization who are given rights together."""

    @reads(team_members.list_members)
    async def member_list(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[TeamMember]:
        return await pages(
            info,
            team_members.list_members,
            self["organization"],
            self["id"],
            first=first,
            after=after,
            show=show_team_member,
        )


@strawberry.type
class OrganizationTeams:
    """What an organization tells of its teams."""

    @reads(teaming.get)
    async def team(self: Any, info: Info, id: ID) -> Team | None:
        return await read(info, teaming.get, self["id"], id, show=show_team)

    @reads(teaming.list_in_organization)
    async def teams(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        title: str | None = None,
        owner: str | None = None,
    ) -> Connection[Team]:
        return await pages(
            info,
            teaming.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_team,
            shape=TeamsQuery,
            title=title,
            owner=owner,
        )


@strawberry.type
class TeamMutation:
    @writes(teaming.create)
    async def create_team(self, info: Info, organization: ID, new: TeamCreateInput) -> Team | None:
        return await write(info, teaming.create, organization, body(TeamCreate, new), show=show_team)

    @writes(teaming.update)
    async def update_team(self, info: Info, organization: ID, id: ID, change: TeamUpdateInput) -> Team | None:
        asked = body(TeamUpdate, change)
        return await write(info, teaming.update, organization, id, asked, show=show_team)

    @writes(teaming.delete)
    async def delete_team(self, info: Info, organization: ID, id: ID) -> bool | None:
        return await write(info, teaming.delete, organization, id)

    @writes(team_members.update_members)
    async def update_team_members(
        self, info: Info, organization: ID, team: ID, change: TeamMembersUpdateInput
    ) -> bool | None:
        asked = body(TeamMembersUpdate, change)
        return await write(info, team_members.update_members, organization, team, asked)

    @writes(team_members.put)
    async def put_team_member(
        self, info: Info, organization: ID, team: ID, user: ID, change: TeamMembershipUpdateInput
    ) -> bool | None:
        asked = body(TeamMembershipUpdate, change)
        return await write(info, team_members.put, organization, team, user, asked)

    @writes(team_members.remove)
    async def remove_team_member(self, info: Info, organization: ID, team: ID, user: ID) -> bool | None:
        return await write(info, team_members.remove, organization, team, user)

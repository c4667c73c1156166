"""GraphQL face of the members of an organization: lists, changes, who is there."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.members import Member
from app.api.graphql.shapes import enum_of, input_of, output
from app.api.graphql.spaces import Space  # noqa: F401 - declared before the first type that shows spaces
from app.api.graphql.teams import Team  # noqa: F401 - declared before the first type that shows teams
from app.domain.organizations import member_lists as lists
from app.domain.organizations import members, visitor_claims
from app.models.members import (
    MemberSort,
    MemberSpaceOut,
    MemberSpacesQuery,
    MembersQuery,
    MemberTeamOut,
    MemberTeamsQuery,
    MemberUpdate,
    PingOut,
    RoleOrGuest,
    SigningKeyOut,
    SigningKeyUpdate,
)
from app.models.queries import Order as OrderValues
from app.present.people import member as show_member
from app.present.people import member_space, member_team, ping, signing_key

Order: Any = enum_of(OrderValues)
Sort: Any = enum_of(MemberSort)
RoleFilter: Any = enum_of(RoleOrGuest)
MemberUpdateInput: Any = input_of(MemberUpdate)
SigningKeyUpdateInput: Any = input_of(SigningKeyUpdate)


@output(MemberSpaceOut)
class MemberSpace:
    """A space that a member sees, and what they may do there."""


@output(MemberTeamOut)
class MemberTeam:
    """A team that a member is in, and what they are there."""


@output(PingOut)
class Ping:
    """What a member who is there is told."""


@output(SigningKeyOut)
class SigningKey:
    """A signing key that was set; `key` is shown this once, and only if it was made here."""


@strawberry.type
class OrganizationMembers:
    """What an organization tells of its members."""

    @reads(members.get)
    async def member(self: Any, info: Info, user: ID) -> Member | None:
        return await read(info, members.get, self["id"], user, show=show_member)

    @reads(members.list_in_organization)
    async def members(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        role: RoleFilter | None = None,
        search: str | None = None,
        sort: Sort | None = None,
        order: Order | None = None,
    ) -> Connection[Member]:
        return await pages(
            info,
            members.list_in_organization,
            self["id"],
            first=first,
            after=after,
            show=show_member,
            shape=MembersQuery,
            role=role,
            search=search,
            sort=sort,
            order=order,
        )

    @reads(lists.list_spaces)
    async def member_spaces(
        self: Any,
        info: Info,
        user: ID,
        first: int = FIRST,
        after: str | None = None,
        order: Order | None = None,
    ) -> Connection[MemberSpace]:
        return await pages(
            info,
            lists.list_spaces,
            self["id"],
            user,
            first=first,
            after=after,
            show=member_space,
            shape=MemberSpacesQuery,
            order=order,
        )

    @reads(lists.list_teams)
    async def member_teams(
        self: Any,
        info: Info,
        user: ID,
        first: int = FIRST,
        after: str | None = None,
        title: str | None = None,
    ) -> Connection[MemberTeam]:
        return await pages(
            info,
            lists.list_teams,
            self["id"],
            user,
            first=first,
            after=after,
            show=member_team,
            shape=MemberTeamsQuery,
            title=title,
        )


@strawberry.type
class MemberMutation:
    @writes(members.update_member)
    async def update_member(
        self, info: Info, organization: ID, user: ID, change: MemberUpdateInput
    ) -> Member | None:
        asked = body(MemberUpdate, change)
        return await write(info, members.update_member, organization, user, asked, show=show_member)

    @writes(members.set_sso)
    async def set_sso_member(self, info: Info, organization: ID, user: ID) -> Member | None:
        return await write(info, members.set_sso, organization, user, show=show_member)

    @writes(members.remove)
    async def remove_member(self, info: Info, organization: ID, user: ID) -> bool | None:
        return await write(info, members.remove, organization, user)

    @writes(visitor_claims.ping)
    async def ping(self, info: Info, organization: ID) -> Ping | None:
        return await write(info, visitor_claims.ping, organization, show=ping)

    @writes(visitor_claims.set_key)
    async def set_signing_key(
        self, info: Info, organization: ID, change: SigningKeyUpdateInput
    ) -> SigningKey | None:
        asked = body(SigningKeyUpdate, change)
        return await write(info, visitor_claims.set_key, organization, asked, show=signing_key)

    @writes(visitor_claims.remove_key)
    async def remove_signing_key(self, info: Info, organization: ID) -> bool | None:
        return await write(info, visitor_claims.remove_key, organization)

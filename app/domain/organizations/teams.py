"""Teams: made, found, changed and removed; who is in them: listed, added, made an owner, removed.

Whoever belongs to the organization and is no guest sees its teams. Only members of the organization are in
its teams, guests included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, exists, false, or_, select
from sqlalchemy import delete as sql_delete

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rights import TEAM
from app.domain.organizations import grants, invites, member_rows, team_places, users
from app.domain.organizations.member_rows import beside_team, level_on_team, plain_team_columns, team_columns
from app.domain.organizations.users import EMAIL
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, holds
from app.kit.database.statements import command, given, query, table
from app.kit.errors import Forbidden, Invalid, NotFound
from app.kit.ids import new_id
from app.models.invites import Invite
from app.models.organizations import Member
from app.models.queries import PageQuery
from app.models.teams import (
    Team,
    TeamCreate,
    TeamInvite,
    TeamMember,
    TeamMembershipUpdate,
    TeamMembersUpdate,
    TeamsQuery,
    TeamUpdate,
)
from app.models.users import User

TEAMS, TEAM_MEMBERS, MEMBERS = table(Team), table(TeamMember), table(Member)


def _owned() -> ColumnElement[bool]:
    """Return the teams that a person may manage, or all of them."""
    person = given("owner", Key)
    owner = exists().where(
        TEAM_MEMBERS.c.team_id == TEAMS.c.id, TEAM_MEMBERS.c.user_id == person, TEAM_MEMBERS.c.role == "owner"
    )
    administrator = exists().where(
        MEMBERS.c.organization_id == TEAMS.c.organization_id,
        MEMBERS.c.user_id == person,
        MEMBERS.c.role == "admin",
        MEMBERS.c.disabled == false(),
    )
    return or_(person == "", owner, administrator)


def _rows() -> Select[Any]:
    return select(*plain_team_columns()).where(
        TEAMS.c.organization_id == given("organization"),
        holds(TEAMS.c.title_key, given("title", Key)),
        _owned(),
    )


LIST: Listing[Any] = Listing(
    "teams",
    Team,
    _rows,
    order=lambda: [TEAMS.c.id],
    completed=lambda found: select(found, *beside_team(found)),
)
_ONE = query(
    Team,
    lambda: select(*team_columns()).where(
        TEAMS.c.organization_id == given("organization"), TEAMS.c.id == given("team")
    ),
)


async def list_in_organization(cx: Context, organization_id: str, query: TeamsQuery) -> Page[Any]:
    """List the teams of an organization, oldest first."""
    permit_in(cx, organization_id, can="listTeams")
    values = {"title": users.name_key(query.title or ""), "owner": query.owner or ""}
    asked: dict[str, Any] = {"organization": organization_id, **values}
    sight = member_rows.sight(cx)
    return await LIST.page(cx.db, query.paging, cx.tokens, sight=sight, **asked)


async def get(cx: Context, organization_id: str, team_id: str) -> Any:
    """Get a team."""
    return await find(cx, organization_id, team_id)


async def create(cx: Context, organization_id: str, new: TeamCreate) -> Any:
    """Create a team, with members from the start where they are named."""
    permit_in(cx, organization_id, can="ownTeam")
    team = await cx.tx.add(
        Team,
        id=new_id(),
        organization_id=organization_id,
        title=new.title,
        title_key=users.name_key(new.title),
        member_count=0,
        created_at=cx.now,
    )
    await team_places.join(cx, team, team_places.places("members", new.members))
    return await find(cx, organization_id, team.id)


async def update(cx: Context, organization_id: str, team_id: str, change: TeamUpdate) -> Any:
    """Change a team's title."""
    team = await find(cx, organization_id, team_id, can="admin")
    title = {"title": change.title, "title_key": users.name_key(change.title)}
    await cx.tx.put(Team, title, id=team.id)
    return await find(cx, organization_id, team_id)


async def delete(cx: Context, organization_id: str, team_id: str) -> None:
    """Delete a team, and with it what it was granted."""
    team = await find(cx, organization_id, team_id)
    permit_in(cx, organization_id, can="ownTeam")
    await cx.tx.lock(team_places.lane(team))
    await grants.withdraw_all(cx, organization_id, team.id)
    await cx.tx.remove(TeamMember, team_id=team.id)
    await cx.tx.remove(Team, id=team.id)


async def find(cx: Context, organization_id: str, team_id: str, *, can: str = "view") -> Any:
    """Return a team of the organization, with what `beside` adds, if the caller may do this to it.

    Raises NotFound, and Forbidden for guests and for what only those who administrate the team may do.
    """
    permit_in(replace(cx, notes=None), organization_id, can="listTeams")
    asked = {"organization": organization_id, "team": team_id, **member_rows.sight(cx)}
    team: Any = await cx.db.first(_ONE, **asked)
    if team is None:
        raise NotFound("There is no such team.")
    if level_on_team(cx, team) < TEAM[can]:
        raise Forbidden("Only an administrator of the organization or an owner of the team may do this.")
    cx.note("team", team.id, organization_id, team.title)
    return team


USERS = table(User)
INVITES, TEAM_INVITES = table(Invite), table(TeamInvite)


class TeamMemberRow(member_rows.ListedMemberRow, Protocol):
    """A member of the organization with their role in a team."""

    team_role: str


MEMBER_LIST: Listing[Any] = Listing(
    "members of a team",
    Member,
    lambda: (
        select(*MEMBERS.c, TEAM_MEMBERS.c.role.label("team_role"))
        .join(
            TEAM_MEMBERS,
            (TEAM_MEMBERS.c.user_id == MEMBERS.c.user_id)
            & (TEAM_MEMBERS.c.organization_id == MEMBERS.c.organization_id),
        )
        .where(TEAM_MEMBERS.c.team_id == given("inside"))  # the rows of one page stand apart from the team's
    ),
    order=lambda: [MEMBERS.c.user_id],
    inside=Team,
    counted=lambda: TEAMS.c.member_count,
    completed=member_rows.with_numbers,
)
_INVITED = query(
    Invite,
    lambda: select(*INVITES.c).where(
        INVITES.c.organization_id == given("organization"), among(INVITES.c.email, "emails")
    ),
)
_UNINVITE = command(
    lambda: sql_delete(TEAM_INVITES).where(
        TEAM_INVITES.c.team_id == given("team"), among(TEAM_INVITES.c.invite_id, "invites")
    )
)


async def list_members(cx: Context, organization_id: str, team_id: str, query: PageQuery) -> Page[Any]:
    """List the members of a team with their roles."""
    permit_in(cx, organization_id, can="listTeams")
    asked = {"inside": team_id, "organization": organization_id}
    sight = member_rows.sight(cx)
    found = await MEMBER_LIST.page_inside(cx.db, query.paging, cx.tokens, sight=sight, **asked)
    if found is None or found[0].organization_id != organization_id:
        raise NotFound("There is no such team.")
    return found[1]


async def update_members(cx: Context, organization_id: str, team_id: str, change: TeamMembersUpdate) -> None:
    """Add people to a team, change their roles or remove them; removal wins.

    Raises Invalid naming whom the organization, or for `memberships` the team, does not know.
    """
    team = await find(cx, organization_id, team_id, can="admin")
    await cx.tx.lock(team_places.lane(team))
    await _add(cx, team, team_places.places("add", change.add))
    await _change_roles(cx, team, change.memberships)
    await _remove(cx, team, team_places.places("remove", change.remove))


async def put_member(
    cx: Context, organization_id: str, team_id: str, user_id: str, change: TeamMembershipUpdate
) -> None:
    """Add a member of the organization to a team, or change their role in it."""
    team = await find(cx, organization_id, team_id, can="admin")
    await cx.tx.lock(team_places.lane(team))
    member = (await team_places.named(cx, team, [user_id])).get(user_id)
    if member is None or member.user_id != user_id:  # a path names people by their ids, not by addresses
        raise NotFound("There is no such member of the organization.")
    team_places.refuse_owner(member, change.sent().get("role", "member"), "role")
    if member.role is None:
        await team_places.add(cx, team, [user_id], change.sent().get("role", "member"))
    elif change.sent():
        await cx.tx.put(TeamMember, {"role": change.role}, team_id=team.id, user_id=user_id)


async def remove_member(cx: Context, organization_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team."""
    team = await find(cx, organization_id, team_id, can="admin")
    await cx.tx.lock(team_places.lane(team))
    if not await team_places.leave(cx, team, [user_id]):
        raise NotFound("There is no such member of the team.")


async def _add(cx: Context, team: Any, wanted: Mapping[str, str]) -> None:
    """Let in who belongs to the organization, and invite the addresses that nobody there has."""
    known = await team_places.named(cx, team, wanted.values())
    unknown = {place: name for place, name in wanted.items() if name not in known}
    team_places.refuse_unknown(place for place, name in unknown.items() if "@" not in name)
    if unknown:  # an owner of the team adds members of the organization, and invites nobody to it
        permit_in(cx, team.organization_id, can="admin")
    await _invite(cx, team, unknown)
    await team_places.add(cx, team, team_places.new_among(known))


async def _change_roles(cx: Context, team: Any, changes: Mapping[str, TeamMembershipUpdate]) -> None:
    named = await team_places.named(cx, team, changes)
    for user, change in changes.items():
        if user not in named or named[user].role is None:
            raise Invalid("There is no such member of the team.", path=f"memberships.{user}")
        if change.sent():
            team_places.refuse_owner(named[user], change.role, f"memberships.{user}.role")
            await cx.tx.put(TeamMember, {"role": change.role}, team_id=team.id, user_id=user)


async def _remove(cx: Context, team: Any, wanted: Mapping[str, str]) -> None:
    named = await team_places.named(cx, team, wanted.values())
    invited = await _uninvite(cx, team, wanted.values())
    team_places.refuse_unknown(
        place for place, name in wanted.items() if name not in named and name not in invited
    )
    await team_places.leave(cx, team, [member.user_id for member in named.values()])


async def _invite(cx: Context, team: Any, wanted: Mapping[str, str]) -> None:
    """Keep a place for people who are invited as guests, unless they are invited already."""
    if not wanted:
        return
    for place, email in wanted.items():
        if not EMAIL.fullmatch(email):
            raise Invalid("This is not an e-mail address.", path=place)
    emails = list(dict.fromkeys(wanted.values()))
    await invites.invite_missing(cx, team.organization_id, emails, team_id=team.id)


async def _uninvite(cx: Context, team: Any, names: Iterable[str]) -> set[str | None]:
    """Give up the places of those who are invited, and tell their addresses."""
    emails = sorted({name for name in names if "@" in name})
    kept = await cx.tx.all(_INVITED, organization=team.organization_id, emails=emails) if emails else []
    if kept:
        await cx.tx.run(_UNINVITE, team=team.id, invites=[invite.id for invite in kept])
    return {invite.email for invite in kept}

"""Who is in a team: listed, added, made an owner, removed.

Only members of the organization are in its teams, guests included. An e-mail address that none of them has is
invited as a guest, by who may invite people to the organization: nobody gets a role by way of a team, only
what the team was granted. Guests are in teams and own none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from sqlalchemy import delete, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.organizations import invites, member_rows, team_places, teams
from app.domain.organizations.users import EMAIL
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, table
from app.kit.errors import Invalid, NotFound
from app.models.invites import Invite
from app.models.organizations import Member
from app.models.queries import PageQuery
from app.models.teams import Team, TeamInvite, TeamMember, TeamMembershipUpdate, TeamMembersUpdate
from app.models.users import User

_t, _tm, _m, _u = table(Team), table(TeamMember), table(Member), table(User)
_i, _ti = table(Invite), table(TeamInvite)


class TeamMemberRow(member_rows.MemberRow, Protocol):
    """A member of the organization with their role in a team."""

    team_role: str


LIST: Listing[Any] = Listing(
    "members of a team",
    Member,
    lambda: (
        select(*_m.c, _tm.c.role.label("team_role"))
        .join(_tm, (_tm.c.user_id == _m.c.user_id) & (_tm.c.organization_id == _m.c.organization_id))
        .where(_tm.c.team_id == given("inside"))  # the rows of one page stand apart from the team's
    ),
    order=lambda: [_m.c.user_id],
    inside=Team,
    counted=lambda: _t.c.member_count,
    completed=member_rows.with_numbers,
)
_INVITED = query(
    Invite,
    lambda: select(*_i.c).where(_i.c.organization_id == given("organization"), among(_i.c.email, "emails")),
)
_UNINVITE = command(
    lambda: delete(_ti).where(_ti.c.team_id == given("team"), among(_ti.c.invite_id, "invites"))
)


async def list_members(cx: Context, organization_id: str, team_id: str, query: PageQuery) -> Page[Any]:
    """List the members of a team and what they are there."""
    permit_in(cx, organization_id, can="listTeams")
    found = await LIST.page_inside(
        cx.db, query.paging, cx.tokens, inside=team_id, organization=organization_id
    )
    if found is None or found[0].organization_id != organization_id:
        raise NotFound("There is no such team.")
    return found[1]


async def update_members(cx: Context, organization_id: str, team_id: str, change: TeamMembersUpdate) -> None:
    """Add people to a team, change what they are there, remove some; who is added and removed is removed.

    Raises Invalid naming whom the organization, or for `memberships` the team, does not know.
    """
    team = await teams.find(cx, organization_id, team_id, can="admin")
    await cx.tx.lock(team_places.lane(team))
    await _add(cx, team, team_places.places("add", change.add))
    await _change_roles(cx, team, change.memberships)
    await _remove(cx, team, team_places.places("remove", change.remove))


async def put(
    cx: Context, organization_id: str, team_id: str, user_id: str, change: TeamMembershipUpdate
) -> None:
    """Add a member of the organization to a team, or change what they are there."""
    team = await teams.find(cx, organization_id, team_id, can="admin")
    await cx.tx.lock(team_places.lane(team))
    member = (await team_places.named(cx, team, [user_id])).get(user_id)
    if member is None or member.user_id != user_id:  # a path names people by their ids, not by addresses
        raise NotFound("There is no such member of the organization.")
    team_places.refuse_owner(member, change.sent().get("role", "member"), "role")
    if member.role is None:
        await team_places.add(cx, team, [user_id], change.sent().get("role", "member"))
    elif change.sent():
        await cx.tx.put(TeamMember, {"role": change.role}, team_id=team.id, user_id=user_id)


async def remove(cx: Context, organization_id: str, team_id: str, user_id: str) -> None:
    """Remove a member from a team."""
    team = await teams.find(cx, organization_id, team_id, can="admin")
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

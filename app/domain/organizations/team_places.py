"""Places in teams: who takes one, who gives one up, and for whom one is kept. Nobody's rights are asked here.

Only members of the organization are in its teams, guests included. Who changes a team's members queues at its
lane, and keeps its count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Integer, delete, exists, or_, select, update

from app.access.context import Context
from app.domain.organizations import grants
from app.kit.database.sql import among
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Invalid
from app.kit.http.urls import canonical_email
from app.models.invites import Invite
from app.models.organizations import Member
from app.models.teams import Team, TeamInvite, TeamMember
from app.models.users import User

TEAMS, TEAM_MEMBERS, MEMBERS, USERS = table(Team), table(TeamMember), table(Member), table(User)
INVITES, TEAM_INVITES = table(Invite), table(TeamInvite)

_NAMED = rows(
    lambda: (
        select(
            MEMBERS.c.user_id,
            MEMBERS.c.granted,
            MEMBERS.c.role.label("member_role"),
            USERS.c.email,
            TEAM_MEMBERS.c.role,
        )
        .join(USERS, USERS.c.id == MEMBERS.c.user_id)
        .outerjoin(
            TEAM_MEMBERS,
            (TEAM_MEMBERS.c.user_id == MEMBERS.c.user_id) & (TEAM_MEMBERS.c.team_id == given("team")),
        )
        .where(
            MEMBERS.c.organization_id == given("organization"),
            or_(among(MEMBERS.c.user_id, "names"), among(USERS.c.email, "names")),
        )
    )
)
_LEAVE = query(
    TeamMember,
    lambda: (
        delete(TEAM_MEMBERS)
        .where(TEAM_MEMBERS.c.team_id == given("team"), among(TEAM_MEMBERS.c.user_id, "users"))
        .returning(*TEAM_MEMBERS.c)
    ),
)
_COUNT = command(
    lambda: (
        update(TEAMS)
        .values(member_count=TEAMS.c.member_count + given("more", Integer()))
        .where(TEAMS.c.id == given("team"))
    )
)


def _there() -> ColumnElement[bool]:
    return (
        exists()
        .where(TEAM_MEMBERS.c.team_id == TEAMS.c.id, TEAM_MEMBERS.c.user_id == USERS.c.id)
        .correlate(TEAMS, USERS)
    )


_WAITING = rows(
    lambda: (
        select(TEAMS.c.id, TEAMS.c.organization_id)
        .join(TEAM_INVITES, TEAM_INVITES.c.team_id == TEAMS.c.id)
        .join(INVITES, INVITES.c.id == TEAM_INVITES.c.invite_id)
        .join(USERS, USERS.c.email == INVITES.c.email)
        .where(INVITES.c.organization_id == given("organization"), USERS.c.id == given("user"), ~_there())
        .order_by(TEAMS.c.id)
    )
)


def lane(team: Any) -> str:
    """Return where all queue who change a team's members."""
    return f"team {team.id}"


def places(field: str, names: Iterable[str]) -> dict[str, str]:
    """Return whom a body names, by where it does so; addresses as they are kept."""
    return {f"{field}.{n}": canonical_email(name) if "@" in name else name for n, name in enumerate(names)}


async def join(cx: Context, team: Any, wanted: Mapping[str, str]) -> None:
    """Let members of the organization into a team: `wanted` names them, and where the caller did so."""
    known = await named(cx, team, wanted.values())
    refuse_unknown(place for place, name in wanted.items() if name not in known)
    await add(cx, team, new_among(known))


async def take_places(cx: Context, organization_id: str, user_id: str) -> None:
    """Let somebody who belongs to the organization now into the teams they were invited to."""
    for team in await cx.tx.all(_WAITING, organization=organization_id, user=user_id):
        await cx.tx.lock(lane(team))
        await add(cx, team, [user_id])


async def add(cx: Context, team: Any, users: Iterable[str], role: str = "member") -> None:
    """Let people into a team who are members of the organization and not in the team yet."""
    here = {"team_id": team.id, "organization_id": team.organization_id, "role": role, "joined_at": cx.now}
    new = [{**here, "user_id": user} for user in users]
    if new:
        await cx.tx.add_many(TeamMember, new)
        await grants.mark(cx, team.organization_id, [row["user_id"] for row in new])
        await cx.tx.run(_COUNT, team=team.id, more=len(new))


async def leave(cx: Context, team: Any, users: Collection[str]) -> int:
    """Let people go from a team, and tell how many of them were in it."""
    gone = await cx.tx.all(_LEAVE, team=team.id, users=users) if users else []
    if gone:
        await cx.tx.run(_COUNT, team=team.id, more=-len(gone))
    return len(gone)


async def named(cx: Context, team: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the members of the organization among them, by id and by address; `role` is theirs in the
    team."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    found = await cx.tx.all(_NAMED, organization=team.organization_id, team=team.id, names=wanted)
    return {name: member for member in found for name in (member.user_id, member.email)}


def new_among(known: Mapping[str, Any]) -> list[str]:
    """Return those of them who are not in the team yet."""
    return list(dict.fromkeys(member.user_id for member in known.values() if member.role is None))


def refuse_owner(member: Any, role: str, path: str) -> None:
    """Raise Invalid, naming `path`, where a guest would own a team: they see no teams, not even their own."""
    if role == "owner" and member.member_role is None:
        raise Invalid("A guest cannot own a team.", path=path)


def refuse_unknown(unknown: Iterable[str]) -> None:
    """Raise Invalid naming the first place where a stranger was named."""
    for place in unknown:
        raise Invalid("There is no such member of the organization.", path=place)

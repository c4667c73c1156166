"""Teams: made, found, changed and removed. Who is in them is the matter of `team_members`.

Whoever belongs to the organization and is no guest sees its teams. An administrator of the organization, or
an owner of the team, administrates a team; only the first makes and removes teams.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, false, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.access.rights import TEAM
from app.domain.organizations import grants, team_places, users
from app.domain.organizations.team_rows import beside, columns, level_on, plain_columns
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds
from app.kit.database.statements import given, query, table
from app.kit.errors import Forbidden, NotFound
from app.kit.ids import new_id
from app.models.organizations import Member
from app.models.teams import Team, TeamCreate, TeamMember, TeamsQuery, TeamUpdate

_t, _tm, _m = table(Team), table(TeamMember), table(Member)


def _owned() -> ColumnElement[bool]:
    """Return the teams that a person may manage, or all of them."""
    person = given("owner", Key)
    owner = exists().where(_tm.c.team_id == _t.c.id, _tm.c.user_id == person, _tm.c.role == "owner")
    administrator = exists().where(
        _m.c.organization_id == _t.c.organization_id,
        _m.c.user_id == person,
        _m.c.role == "admin",
        _m.c.disabled == false(),
    )
    return or_(person == "", owner, administrator)


def _rows() -> Select[Any]:
    return select(*plain_columns()).where(
        _t.c.organization_id == given("organization"), holds(_t.c.title_key, given("title", Key)), _owned()
    )


LIST: Listing[Any] = Listing(
    "teams", Team, _rows, order=lambda: [_t.c.id], completed=lambda found: select(found, *beside(found))
)
_ONE = query(
    Team,
    lambda: select(*columns()).where(_t.c.organization_id == given("organization"), _t.c.id == given("team")),
)


async def list_in_organization(cx: Context, organization_id: str, query: TeamsQuery) -> Page[Any]:
    """List the teams of an organization, oldest first."""
    permit_in(cx, organization_id, can="listTeams")
    values = {"title": users.name_key(query.title or ""), "owner": query.owner or ""}
    asked: dict[str, Any] = {"organization": organization_id, "me": cx.actor.user_id, **values}
    return await LIST.page(cx.db, query.paging, cx.tokens, **asked)


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
    team: Any = await cx.db.first(_ONE, organization=organization_id, team=team_id, me=cx.actor.user_id)
    if team is None:
        raise NotFound("There is no such team.")
    if level_on(cx, team) < TEAM[can]:
        raise Forbidden("Only an administrator of the organization or an owner of the team may do this.")
    cx.note("team", team.id, organization_id, team.title)
    return team

"""The teams that a member is in."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import Select, select

from app.access.context import Context
from app.access.fetch import fetch_page
from app.domain.organizations import team_rows
from app.domain.organizations.members import permit_seeing
from app.domain.organizations.people import name_key
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, table
from app.kit.errors import NotFound
from app.models.members import MemberTeamsQuery
from app.models.organizations import Member, Organization
from app.models.teams import Team, TeamMember

_m, _o, _t, _tm = table(Member), table(Organization), table(Team), table(TeamMember)


class MemberTeamRow(team_rows.TeamRow, Protocol):
    """A team with the role of a member of it."""

    team_role: str


def _teams() -> Select[Any]:
    return (
        select(*team_rows.columns(), _tm.c.role.label("team_role"))
        .join_from(_t, _tm, _tm.c.team_id == _t.c.id)
        .where(
            _tm.c.user_id == given("user"),
            _tm.c.organization_id == _o.c.id,
            holds(_t.c.title_key, given("title", Key)),
        )
    )


def _member() -> Select[Any]:
    return select(_m.c.role).where(_m.c.user_id == given("user"), _m.c.organization_id == _o.c.id)


_LIST: Listing[Any] = Listing(
    "teams of a member",
    Team,
    _teams,
    order=lambda: [_t.c.id],
    inside=Organization,
    beside=lambda: [nested(_member(), "member")],
)


async def list_teams(cx: Context, organization_id: str, user_id: str, query: MemberTeamsQuery) -> Page[Any]:
    """List the teams that a member is in, oldest first, and what they are there."""
    permit_seeing(cx, organization_id, user_id)
    values: dict[str, Any] = {"user": user_id, "title": name_key(query.title or ""), "me": cx.actor.user_id}
    found = await fetch_page(cx, Organization, organization_id, _LIST, query.paging, **values)
    organization: Any = found[0]
    if not organization.member:
        raise NotFound("There is no such member.")
    return found[1]

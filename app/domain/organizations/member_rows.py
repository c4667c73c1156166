"""Members and teams with what is shown of them.

Members with what is shown of them: the person, and how many spaces they see and teams they are in.

The numbers are worked out for the members at hand, all at once: what default levels show is counted once for
all, and what was granted is followed from their grants to spaces. Who is disabled sees nothing.

Teams with what is shown of them: how many spaces they were granted, and the caller's rights on them.

Whoever asks is told of no more than they see themselves: numbers count the spaces and teams that they could
list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import CTE, ColumnElement, FromClause, Select, and_, case, func, or_, select, union, union_all
from sqlalchemy.sql.elements import Label

from app.access.context import Context
from app.access.fetch import may_in, organization_level, permissions_at, seeing_inside, visible
from app.access.rights import Level
from app.kit.database.columns import Key
from app.kit.database.sql import among, holds, nested
from app.kit.database.statements import given, shown, table
from app.models.access import Grant
from app.models.spaces import Space
from app.models.teams import Team, TeamMember
from app.models.users import User

SPACES, USERS, GRANTS, TEAM_MEMBERS = table(Space), table(User), table(Grant), table(TeamMember)


class ListedMemberRow(Protocol):
    """A member with the person, in a list of one (see `with_numbers`)."""

    user_id: str
    user: Sequence[User]


def sight(cx: Context) -> dict[str, Any]:
    """Return the values that the numbers of members and teams need for this caller."""
    known = sorted(each for each in cx.actor.memberships if may_in(cx, each, can="listTeams"))
    return {**seeing_inside(cx), "me": cx.actor.user_id, "teams_in": known}


def with_numbers(found: CTE, organization: ColumnElement[str] | None = None) -> Select[Any]:
    """Return the rows of `found` (of the member table) with `user`, `spaces` and `teams`; needs
    `organization`, and the values of `sight`.

    Where the organization is not given by its id, `organization` is a statement's own way to it.
    """
    within = given("organization", Key) if organization is None else organization
    person = select(*USERS.c).where(USERS.c.id == found.c.user_id).correlate(found)
    teams = select(func.count()).where(
        TEAM_MEMBERS.c.user_id == found.c.user_id,
        TEAM_MEMBERS.c.organization_id == within,
        or_(found.c.user_id == given("me"), among(within, "teams_in")),
    )
    granted = _granted(found, within).subquery("granted_spaces")
    return select(
        *found.c,
        nested(person, "user"),
        _spaces(found, func.coalesce(granted.c.number, 0), within).label("spaces"),
        teams.correlate(found).scalar_subquery().label("teams"),
    ).join_from(found, granted, granted.c.user_id == found.c.user_id, isouter=True)


def _spaces(found: CTE, granted: ColumnElement[int], within: ColumnElement[str]) -> ColumnElement[int]:
    def number(*which: ColumnElement[bool]) -> Any:
        there = _there(within)
        return select(func.count()).select_from(SPACES).where(*there, *which).scalar_subquery()

    return case(
        (found.c.disabled, 0),
        (found.c.role == "admin", number()),
        (found.c.role.is_(None), granted),
        else_=number(SPACES.c.base_level != Level.NONE) + granted,
    )


def _granted(found: CTE, within: ColumnElement[str]) -> Select[Any]:
    """Return how many spaces each of them sees by grants alone, own and of teams."""
    holders = union_all(
        select(found.c.user_id, found.c.role, found.c.user_id.label("grantee")).where(found.c.granted),
        select(found.c.user_id, found.c.role, TEAM_MEMBERS.c.team_id)
        .join_from(found, TEAM_MEMBERS, TEAM_MEMBERS.c.user_id == found.c.user_id)
        .where(found.c.granted, TEAM_MEMBERS.c.organization_id == within),
    ).cte("holders")
    held = (
        select(holders.c.user_id, holders.c.role, GRANTS.c.object_id, GRANTS.c.object_kind)
        .join_from(holders, GRANTS, GRANTS.c.grantee_id == holders.c.grantee)
        .where(GRANTS.c.organization_id == within)
        .cte("held")
    )
    reached = _reached(held, within)
    hidden = or_(held.c.role.is_(None), reached.c.base_level == Level.NONE)
    return (
        select(held.c.user_id, func.count(reached.c.space_id.distinct()).label("number"))
        .join_from(held, reached, reached.c.object_id == held.c.object_id)
        .where(hidden)
        .group_by(held.c.user_id)
    )


def _reached(held: CTE, within: ColumnElement[str]) -> CTE:
    """Return the spaces that grants on these objects lead to."""
    objects = select(held.c.object_id, held.c.object_kind).distinct().cte("granted_objects")
    columns = objects.c.object_id, SPACES.c.id.label("space_id"), SPACES.c.base_level
    there = _there(within)
    itself = (objects.c.object_kind == "space") & (SPACES.c.id == objects.c.object_id)
    inside = (objects.c.object_kind == "collection") & holds(SPACES.c.lineage, objects.c.object_id)
    return union_all(
        select(*columns).join_from(objects, SPACES, itself).where(*there),
        select(*columns).join_from(objects, SPACES, inside).where(*there),
    ).cte("reached")


def _there(within: ColumnElement[str]) -> tuple[ColumnElement[bool], ...]:
    """Return the spaces of the organization that the caller sees."""
    return (
        SPACES.c.organization_id == within,
        SPACES.c.deleted_at.is_(None),
        visible(SPACES, organization=within),
    )


TEAMS = table(Team)


class TeamRow(Protocol):
    """A team with what it is shown with besides its row (see `columns`)."""

    id: str
    organization_id: str
    my_role: str | None


def team_columns() -> list[Any]:
    """Return all that a team is shown with; the statement needs the values of `sight`."""
    return [*plain_team_columns(), *beside_team(TEAMS)]


def plain_team_columns() -> list[ColumnElement[Any]]:
    """Return what is shown of a team's row."""
    return shown(Team, besides=("title_key",))


def beside_team(team: FromClause) -> Sequence[Label[Any]]:
    """Return what a team is shown with besides its row: `spaces`, and the caller's role in it."""
    mine = select(TEAM_MEMBERS.c.role).where(
        TEAM_MEMBERS.c.team_id == team.c.id, TEAM_MEMBERS.c.user_id == given("me")
    )
    return _spaces_of_team(team), mine.correlate(team).scalar_subquery().label("my_role")


def _spaces_of_team(team: FromClause) -> Label[int]:
    """Return how many spaces that the caller sees the team was granted, itself or by a collection above."""
    seen = visible(SPACES, organization=team.c.organization_id)
    held = GRANTS.c.grantee_id == team.c.id, SPACES.c.deleted_at.is_(None), seen
    itself = select(SPACES.c.id).join(GRANTS, GRANTS.c.object_id == SPACES.c.id)
    above = and_(
        SPACES.c.organization_id == GRANTS.c.organization_id, holds(SPACES.c.lineage, GRANTS.c.object_id)
    )
    through = select(SPACES.c.id).join(GRANTS, above).where(GRANTS.c.object_kind == "collection")
    found = union(*(part.where(*held).correlate(team) for part in (itself, through))).subquery()
    return select(func.count()).select_from(found).scalar_subquery().label("spaces")


def team_permissions(cx: Context, team: TeamRow) -> dict[str, bool]:
    """Return the `permissions` of a team, from the table that refuses."""
    return permissions_at(cx, "team", team.organization_id, level_on_team(cx, team))


def level_on_team(cx: Context, team: TeamRow) -> Level:
    """Return the caller's level on a team: its owners administrate it, and so do the organization's."""
    held = organization_level(cx, team.organization_id)
    return Level.ADMIN if team.my_role == "owner" and held >= Level.READ else held

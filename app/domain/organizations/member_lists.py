"""Lists of a member: the spaces they see, as far as the caller sees them too, and the teams they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, case, exists, false, func, or_, select

from app.access import memberships
from app.access.context import Context, Membership
from app.access.fetch import fetch_page, seeing, visible
from app.access.rights import Level
from app.domain.organizations import member_rows
from app.domain.organizations.members import permit_seeing
from app.domain.organizations.team_spaces import by_change
from app.domain.organizations.users import name_key
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, shown, table
from app.kit.errors import NotFound
from app.models.access import Grant
from app.models.members import MemberSpacesQuery, MemberTeamsQuery
from app.models.organizations import Member, Organization
from app.models.spaces import Space
from app.models.teams import Team, TeamMember

TEAMS = table(Team)
MEMBERS, ORGANIZATIONS, SPACES, GRANTS, TEAM_MEMBERS = (
    table(Member),
    table(Organization),
    table(Space),
    table(Grant),
    table(TeamMember),
)


@dataclass(slots=True, frozen=True)
class MemberSpace:
    """A space and a member's level there."""

    space: Any
    level: Level


def _grants() -> tuple[ColumnElement[bool], ...]:
    """Return the grants of the member that count on a space."""
    theirs = (
        TEAM_MEMBERS.c.user_id == given("user"),
        TEAM_MEMBERS.c.organization_id == SPACES.c.organization_id,
    )
    teams = select(TEAM_MEMBERS.c.team_id).where(*theirs).correlate_except(TEAM_MEMBERS)
    mine = or_(GRANTS.c.grantee_id == given("user"), GRANTS.c.grantee_id.in_(teams))
    reaching = or_(GRANTS.c.object_id == SPACES.c.id, holds(SPACES.c.lineage, GRANTS.c.object_id))
    return GRANTS.c.organization_id == SPACES.c.organization_id, mine, reaching


def _spaces() -> Select[Any]:
    highest = select(func.max(GRANTS.c.level)).where(*_grants()).correlate(SPACES, MEMBERS).scalar_subquery()
    by_role = case(
        (MEMBERS.c.role == "admin", True),
        (MEMBERS.c.role.is_(None), False),
        else_=SPACES.c.base_level != Level.NONE,
    )
    by_grant = and_(MEMBERS.c.granted, exists().where(*_grants()).correlate(SPACES, MEMBERS))
    columns = shown(Space, besides=("rank", "revision_number"))
    return (
        select(*columns, case((MEMBERS.c.granted, highest), else_=None).label("granted_level"))
        .join_from(SPACES, MEMBERS, MEMBERS.c.organization_id == SPACES.c.organization_id)
        .where(
            SPACES.c.organization_id == ORGANIZATIONS.c.id,
            SPACES.c.deleted_at.is_(None),
            visible(Space),
            MEMBERS.c.user_id == given("user"),
            MEMBERS.c.disabled == false(),
            or_(by_role, by_grant),
        )
    )


def _member() -> Select[Any]:
    return select(MEMBERS.c.role).where(
        MEMBERS.c.user_id == given("user"), MEMBERS.c.organization_id == ORGANIZATIONS.c.id
    )


_LISTS = by_change("spaces of a member", _spaces, lambda: nested(_member(), "member"))


async def list_spaces(
    cx: Context, organization_id: str, user_id: str, query: MemberSpacesQuery
) -> Page[MemberSpace]:
    """List the spaces that a member and the caller both see, what changed last first.

    `permission` is what the member may do there: the highest of their role, default levels and grants.
    """
    permit_seeing(cx, organization_id, user_id)
    listing, sight = _LISTS[query.order], seeing(cx, organization_id)
    found = await fetch_page(
        cx, Organization, organization_id, listing, query.paging, sight=sight, user=user_id
    )
    organization: Any = found[0]
    if not organization.member:
        raise NotFound("There is no such member.")
    held, inherited = memberships.levels(organization.member[0].role, organization.default_role)
    membership = Membership(organization_id, held, inherited)
    return found[1].map(lambda row: MemberSpace(row, _level(membership, row)))


class GrantedRow(Protocol):
    """Content with the highest level that a member was granted on it."""

    base_level: int
    granted_level: int | None


def _level(membership: Membership, row: GrantedRow) -> Level:
    by_default: Level = membership.on_content[row.base_level]
    return max(by_default, Level(row.granted_level or Level.NONE))


class MemberTeamRow(member_rows.TeamRow, Protocol):
    """A team with the role of a member of it."""

    team_role: str


def _teams() -> Select[Any]:
    return (
        select(*member_rows.team_columns(), TEAM_MEMBERS.c.role.label("team_role"))
        .join_from(TEAMS, TEAM_MEMBERS, TEAM_MEMBERS.c.team_id == TEAMS.c.id)
        .where(
            TEAM_MEMBERS.c.user_id == given("user"),
            TEAM_MEMBERS.c.organization_id == ORGANIZATIONS.c.id,
            holds(TEAMS.c.title_key, given("title", Key)),
        )
    )


_LIST: Listing[Any] = Listing(
    "teams of a member",
    Team,
    _teams,
    order=lambda: [TEAMS.c.id],
    inside=Organization,
    beside=lambda: [nested(_member(), "member")],
)


async def list_teams(cx: Context, organization_id: str, user_id: str, query: MemberTeamsQuery) -> Page[Any]:
    """List the teams of a member with their role in each, oldest first."""
    permit_seeing(cx, organization_id, user_id)
    values: dict[str, Any] = {"user": user_id, "title": name_key(query.title or "")}
    sight = member_rows.sight(cx)
    found = await fetch_page(cx, Organization, organization_id, _LIST, query.paging, sight=sight, **values)
    organization: Any = found[0]
    if not organization.member:
        raise NotFound("There is no such member.")
    return found[1]

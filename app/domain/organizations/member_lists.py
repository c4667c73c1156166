"""Lists of a member: the spaces they see, as far as the caller sees them too, and the teams they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, case, exists, false, func, or_, select

from app.access import memberships
from app.access.context import Context, Membership
from app.access.fetch import fetch_page, seeing, visible
from app.access.rights import Level
from app.domain.organizations import team_rows
from app.domain.organizations.members import permit_seeing
from app.domain.organizations.users import name_key
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, shown, table
from app.kit.errors import NotFound
from app.models.access import Grant
from app.models.members import MemberSpacesQuery, MemberTeamsQuery
from app.models.organizations import Member, Organization
from app.models.queries import Order
from app.models.spaces import Space
from app.models.teams import Team, TeamMember

_t = table(Team)
_m, _o, _s, _g, _tm = table(Member), table(Organization), table(Space), table(Grant), table(TeamMember)


@dataclass(slots=True, frozen=True)
class MemberSpace:
    """A space and a member's level there."""

    space: Any
    level: Level


def _grants() -> tuple[ColumnElement[bool], ...]:
    """Return the grants of the member that count on a space."""
    theirs = _tm.c.user_id == given("user"), _tm.c.organization_id == _s.c.organization_id
    teams = select(_tm.c.team_id).where(*theirs).correlate_except(_tm)
    mine = or_(_g.c.grantee_id == given("user"), _g.c.grantee_id.in_(teams))
    reaching = or_(_g.c.object_id == _s.c.id, holds(_s.c.lineage, _g.c.object_id))
    return _g.c.organization_id == _s.c.organization_id, mine, reaching


def _spaces() -> Select[Any]:
    highest = select(func.max(_g.c.level)).where(*_grants()).correlate(_s, _m).scalar_subquery()
    by_role = case(
        (_m.c.role == "admin", True), (_m.c.role.is_(None), False), else_=_s.c.base_level != Level.NONE
    )
    by_grant = and_(_m.c.granted, exists().where(*_grants()).correlate(_s, _m))
    columns = shown(Space, besides=("rank", "revision_number"))
    return (
        select(*columns, case((_m.c.granted, highest), else_=None).label("granted_level"))
        .join_from(_s, _m, _m.c.organization_id == _s.c.organization_id)
        .where(
            _s.c.organization_id == _o.c.id,
            _s.c.deleted_at.is_(None),
            visible(Space),
            _m.c.user_id == given("user"),
            _m.c.disabled == false(),
            or_(by_role, by_grant),
        )
    )


def _member() -> Select[Any]:
    return select(_m.c.role).where(_m.c.user_id == given("user"), _m.c.organization_id == _o.c.id)


def _listing(order: Order) -> Listing[Any]:
    return Listing(
        f"spaces of a member {order}",
        Space,
        _spaces,
        order=lambda: [_s.c.updated_at, _s.c.id],
        descending=order == "desc",
        inside=Organization,
        beside=lambda: [nested(_member(), "member")],
    )


_ORDERS: tuple[Order, ...] = ("asc", "desc")
_LISTS = {order: _listing(order) for order in _ORDERS}


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

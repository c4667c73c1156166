"""Who has access to a space or a collection, and how much: worked out by the database for everybody at once.

The rules are those of `access.context.Membership.on`, said in SQL: the highest of an administrator's role, of
the default level, of what was granted to the person and to their teams, there or on what it inherits from. A
test holds the two to each other.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, case, false, func, or_, select, union_all
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import KINDS, fetch_page, permit_in
from app.access.levels import INHERITED
from app.access.rights import Level, level
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, table
from app.models.access import AccessQuery
from app.models.collections import Collection
from app.models.grants import Grant
from app.models.organizations import Member, Organization
from app.models.spaces import Space
from app.models.teams import TeamMember
from app.models.users import User

_m, _o, _g, _tm, _u = table(Member), table(Organization), table(Grant), table(TeamMember), table(User)
_above = table(Collection).alias("above")
_ROLES = {held.name.lower(): int(held) for held in Level if held}


def _level_of(role: ColumnElement[Any]) -> ColumnElement[int]:
    return case(_ROLES, value=role, else_=0)


def _higher(one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
    return case((one > other, one), else_=other)


def _granted(model: type[SQLModel]) -> Any:
    """The highest that each person was granted on the object `inside` or on what it inherits from.

    It names the object by its value: what refers to the row around it is worked out anew for every member.
    """
    here = table(model).alias("here")
    above = (_above.c.organization_id == here.c.organization_id) & holds(here.c.lineage, _above.c.id)
    itself = select(here.c.id).where(here.c.id == given("inside"))
    inherited = select(_above.c.id).join_from(here, _above, above).where(here.c.id == given("inside"))
    reaching = _g.c.object_id.in_(union_all(itself, inherited))
    people = select(_g.c.grantee_id.label("user_id"), _g.c.level).where(reaching)
    of_teams = select(_tm.c.user_id, _g.c.level).join(_g, _g.c.grantee_id == _tm.c.team_id).where(reaching)
    found = union_all(people, of_teams).subquery()
    highest = func.max(found.c.level).label("level")
    return select(found.c.user_id, highest).group_by(found.c.user_id).subquery("granted")


def _rows(model: type[SQLModel]) -> Select[Any]:
    t, granted = table(model), _granted(model)
    inherited = _higher(_level_of(_m.c.role), _level_of(_o.c.default_role))
    by_default = case(
        (_m.c.role.is_(None), 0), (t.c.base_level == INHERITED, inherited), else_=t.c.base_level
    )
    highest = _higher(by_default, func.coalesce(granted.c.level, 0))
    held = case((_m.c.role == "admin", int(Level.ADMIN)), else_=highest)
    wanted = given("wanted", Integer())
    members = _m.join(_o, _o.c.id == _m.c.organization_id).outerjoin(
        granted, granted.c.user_id == _m.c.user_id
    )
    person = select(*_u.c).where(_u.c.id == _m.c.user_id).correlate(_m)
    return (
        select(_m.c.user_id, held.label("level"), nested(person, "grantee"))
        .select_from(members)
        .where(
            _m.c.organization_id == t.c.organization_id,
            _m.c.disabled == false(),
            held > int(Level.NONE),
            or_(wanted == 0, held == wanted),
        )
        .correlate(t)
    )


class Audience:
    """Who has access to one kind of content."""

    def __init__(self, model: type[SQLModel]) -> None:
        self.model: Any = model
        self.listing: Listing[Any] = Listing(
            f"people with access to a {KINDS[model].name}",
            Member,
            lambda: _rows(model),
            order=lambda: [_m.c.user_id],
            inside=model,
        )

    async def list_everybody(self, cx: Context, object_id: str, query: AccessQuery) -> Page[Any]:
        """List everybody who has access to a space or a collection, and what they may do at most.

        This shows members of the organization, so those who administrate the object as guests may not.
        """
        wanted = int(level(query.role))
        row, page = await fetch_page(
            cx, self.model, object_id, self.listing, query.paging, can="admin", wanted=wanted
        )
        permit_in(cx, row.organization_id, can="listMembers")
        return page


SPACES, COLLECTIONS = Audience(Space), Audience(Collection)

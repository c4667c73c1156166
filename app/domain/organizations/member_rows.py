"""Members with what is shown of them: the person, and how many spaces they see and teams they are in.

The numbers are worked out for the members at hand, all at once: what default levels show is counted once for
all, and what was granted is followed from their grants to spaces. Who is disabled sees nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import CTE, ColumnElement, Select, case, func, or_, select, union_all

from app.access.rights import Level
from app.kit.database.columns import Key
from app.kit.database.sql import holds, nested
from app.kit.database.statements import given, table
from app.models.access import Grant
from app.models.spaces import Space
from app.models.teams import TeamMember
from app.models.users import User

_s, _u, _g, _tm = table(Space), table(User), table(Grant), table(TeamMember)


class MemberRow(Protocol):
    """A member with the person, in a list of one (see `with_numbers`)."""

    user_id: str
    user: Sequence[User]


def with_numbers(found: CTE, organization: ColumnElement[str] | None = None) -> Select[Any]:
    """Return the rows of `found` (of the member table) with `user`, `spaces` and `teams`; needs
    `organization`.

    Where that is not given by its id, `organization` is a statement's own way to it.
    """
    within = given("organization", Key) if organization is None else organization
    person = select(*_u.c).where(_u.c.id == found.c.user_id).correlate(found)
    teams = select(func.count()).where(_tm.c.user_id == found.c.user_id, _tm.c.organization_id == within)
    granted = _granted(found, within).subquery("granted_spaces")
    return select(
        *found.c,
        nested(person, "user"),
        _spaces(found, func.coalesce(granted.c.number, 0), within).label("spaces"),
        teams.correlate(found).scalar_subquery().label("teams"),
    ).join_from(found, granted, granted.c.user_id == found.c.user_id, isouter=True)


def _spaces(found: CTE, granted: ColumnElement[int], within: ColumnElement[str]) -> ColumnElement[int]:
    def number(*which: ColumnElement[bool]) -> Any:
        there = _s.c.organization_id == within, _s.c.deleted_at.is_(None)
        return select(func.count()).select_from(_s).where(*there, *which).scalar_subquery()

    return case(
        (found.c.disabled, 0),
        (found.c.role == "admin", number()),
        (found.c.role.is_(None), granted),
        else_=number(_s.c.base_level != Level.NONE) + granted,
    )


def _granted(found: CTE, within: ColumnElement[str]) -> Select[Any]:
    """Return how many spaces each of them sees by grants alone, own and of teams."""
    holders = union_all(
        select(found.c.user_id, found.c.role, found.c.user_id.label("grantee")).where(found.c.granted),
        select(found.c.user_id, found.c.role, _tm.c.team_id)
        .join_from(found, _tm, _tm.c.user_id == found.c.user_id)
        .where(found.c.granted, _tm.c.organization_id == within),
    ).cte("holders")
    held = (
        select(holders.c.user_id, holders.c.role, _g.c.object_id, _g.c.object_kind)
        .join_from(holders, _g, _g.c.grantee_id == holders.c.grantee)
        .where(_g.c.organization_id == within)
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
    columns = objects.c.object_id, _s.c.id.label("space_id"), _s.c.base_level
    there = _s.c.organization_id == within, _s.c.deleted_at.is_(None)
    itself = (objects.c.object_kind == "space") & (_s.c.id == objects.c.object_id)
    inside = (objects.c.object_kind == "collection") & holds(_s.c.lineage, objects.c.object_id)
    return union_all(
        select(*columns).join_from(objects, _s, itself).where(*there),
        select(*columns).join_from(objects, _s, inside).where(*there),
    ).cte("reached")

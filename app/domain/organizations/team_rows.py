"""Teams with what is shown of them: how many spaces they were granted, and the caller's rights on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import ColumnElement, FromClause, and_, func, select, union
from sqlalchemy.sql.elements import Label

from app.access.context import Context
from app.access.fetch import organization_level, permissions_at
from app.access.rights import Level
from app.kit.database.sql import holds
from app.kit.database.statements import given, shown, table
from app.models.access import Grant
from app.models.spaces import Space
from app.models.teams import Team, TeamMember

_t, _tm, _g, _s = table(Team), table(TeamMember), table(Grant), table(Space)


class TeamRow(Protocol):
    """A team with what it is shown with besides its row (see `columns`)."""

    id: str
    organization_id: str
    my_role: str | None


def columns() -> list[Any]:
    """Return all that a team is shown with; the statement needs the value `me`, the caller's id."""
    return [*plain_columns(), *beside(_t)]


def plain_columns() -> list[ColumnElement[Any]]:
    """Return what is shown of a team's row."""
    return shown(Team, besides=("title_key",))


def beside(team: FromClause) -> Sequence[Label[Any]]:
    """Return what a team is shown with besides its row: `spaces`, and the caller's role in it (the value
    `me`)."""
    mine = select(_tm.c.role).where(_tm.c.team_id == team.c.id, _tm.c.user_id == given("me"))
    return _spaces(team), mine.correlate(team).scalar_subquery().label("my_role")


def _spaces(team: FromClause) -> Label[int]:
    """Return how many spaces the team was granted, or collections that hand their grants down to them."""
    held = _g.c.grantee_id == team.c.id, _s.c.deleted_at.is_(None)
    itself = select(_s.c.id).join(_g, _g.c.object_id == _s.c.id)
    above = and_(_s.c.organization_id == _g.c.organization_id, holds(_s.c.lineage, _g.c.object_id))
    through = select(_s.c.id).join(_g, above).where(_g.c.object_kind == "collection")
    found = union(*(part.where(*held).correlate(team) for part in (itself, through))).subquery()
    return select(func.count()).select_from(found).scalar_subquery().label("spaces")


def permissions(cx: Context, team: TeamRow) -> dict[str, bool]:
    """Return the `permissions` of a team, from the table that refuses."""
    return permissions_at(cx, "team", level_on(cx, team))


def level_on(cx: Context, team: TeamRow) -> Level:
    """Return the caller's level on a team: its owners administrate it, and so do the organization's."""
    held = organization_level(cx, team.organization_id)
    return Level.ADMIN if team.my_role == "owner" and held >= Level.READ else held

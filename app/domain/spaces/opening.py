"""What a change of place opens: content that people would see there who do not see it now, guests included.

Whoever may create content moves it, but only its administrators let more people see it. A move opens content
whose default level no longer hides it, and content below collections on which somebody was granted something.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, func, literal, or_, select, union_all

from app.access.context import Context
from app.access.fetch import level_on
from app.access.rights import Level
from app.domain.spaces.places import Content
from app.kit.database.sql import among, holds
from app.kit.database.statements import given, rows, table
from app.kit.errors import Forbidden
from app.models.access import Grant
from app.models.collections import Collection
from app.models.organizations import Member
from app.models.spaces import Space
from app.models.teams import TeamMember

_c, _s, _g, _tm, _m = table(Collection), table(Space), table(Grant), table(TeamMember), table(Member)
_MODELS: dict[str, Any] = {"collection": Collection, "space": Space}


async def permit_opening(cx: Context, row: Content, standing: Mapping[str, Any]) -> None:
    """Refuse a change of place that opens content to more people, unless the caller administrates it.

    `standing` are the columns of access.levels as they will be. Raises Forbidden.
    """
    membership = cx.actor.memberships[row.organization_id]
    held, giver = membership.ruling(row)
    if held == Level.ADMIN and (giver is not None or membership.level == Level.ADMIN):
        return  # they administrate all that is below it too
    model = type_of(row)
    if row.base_level == Level.NONE and standing["base_level"] != Level.NONE and held < Level.ADMIN:
        raise _refusal(model)
    before: list[str] = row.lineage.split()
    after: list[str] = standing["lineage"].split()
    new = [above for above in after if above not in before]
    if not new:
        return
    for opened in await cx.db.all(
        _OPENED[model],
        root=row.id,
        organization=row.organization_id,
        new=new,
        known=[row.id, *before],
    ):
        if level_on(cx, _MODELS[opened.kind], opened) != Level.ADMIN:
            raise _refusal(_MODELS[opened.kind])


def type_of(row: Content) -> type[Space] | type[Collection]:
    """Tell the model that a row of content is of: only spaces have content of their own."""
    return Space if hasattr(row, "revision_id") else Collection


def below_root() -> CTE:
    """The collection `root` and every collection inside it, however deep."""
    below = select(_c.c.id).where(_c.c.id == given("root")).cte("below", recursive=True)
    child = _c.alias("child")
    return below.union(select(child.c.id).where(child.c.parent_id == below.c.id))


def _refusal(model: type[Space] | type[Collection]) -> Forbidden:
    name = next(name for name, known in _MODELS.items() if known is model)
    return Forbidden(f"There more people would see it: this needs the level 'admin' on the {name}.")


def _moved(model: type[Space] | type[Collection]) -> Any:
    """What moves with the root: itself, and for a collection all that it holds."""

    def part(kind: str, t: Any, *conditions: ColumnElement[bool]) -> Select[Any]:
        columns = t.c.id, t.c.organization_id, t.c.base_level, t.c.lineage
        return select(literal(kind).label("kind"), *columns).where(*conditions)

    if model is Space:
        return part("space", _s, _s.c.id == given("root")).cte("moved")
    below = select(below_root().c.id)
    inside = part("space", _s, _s.c.parent_id.in_(below))
    return union_all(part("collection", _c, _c.c.id.in_(below)), inside).cte("moved")


def _granted(*conditions: ColumnElement[bool]) -> Select[Any]:
    """The people whom grants of the organization reach, themselves or through a team."""
    return (
        select(_WHO)
        .select_from(_g.outerjoin(_tm, _tm.c.team_id == _g.c.grantee_id))
        .where(_g.c.organization_id == given("organization"), *conditions)
    )


def _opened(model: type[Space] | type[Collection]) -> Select[Any]:
    moved = _moved(model)
    newcomers = (
        select(_m.c.user_id, _m.c.role)
        .where(
            _m.c.organization_id == given("organization"),
            or_(_m.c.role.is_(None), _m.c.role != "admin"),
            _m.c.user_id.in_(_granted(among(_g.c.object_id, "new"))),
            _m.c.user_id.not_in(_granted(among(_g.c.object_id, "known"))),
        )
        .cte("newcomers")
    )
    there = or_(_g.c.object_id == moved.c.id, holds(moved.c.lineage, _g.c.object_id))
    sees = _granted(there, newcomers.c.user_id == _WHO).correlate(moved, newcomers).exists()
    hidden = or_(newcomers.c.role.is_(None), moved.c.base_level == Level.NONE)
    return select(moved).where(select(newcomers).where(hidden, ~sees).correlate(moved).exists())


_WHO = func.coalesce(_tm.c.user_id, _g.c.grantee_id)
_OPENED = {
    model: rows(lambda model=model: _opened(model))  # type: ignore[misc]
    for model in (Space, Collection)
}

"""Default levels and what they come to: organization -> collection -> space (decisions, Authentication).

`default_level` is a role, null (no access by default) or `inherit`. What it comes to is kept in `base_level`
when it is set, so that reading a space needs no walk: a level, or INHERITED where the chain reaches the
organization. There a member has the higher of their own role and the organization's `defaultRole`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Update, case, select, update
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.rights import level
from app.kit.statements import command, given, table
from app.models.collections import Collection
from app.models.spaces import Space

INHERITED = -1
_c = table(Collection)


def base_level(default_level: str | None, parent: Collection | None) -> int:
    """What a default level comes to under this parent."""
    if default_level == "inherit":
        return parent.base_level if parent else INHERITED
    return level(default_level)


async def refresh_below(cx: Context, collection_id: str) -> None:
    """Work the base levels out again for everything under a collection whose own base level changed."""
    await cx.tx.run(_REFRESH_COLLECTIONS, root=collection_id)
    await cx.tx.run(_REFRESH_SPACES, root=collection_id)


def _resolved(own: ColumnElement[Any], stored: ColumnElement[Any], above: ColumnElement[Any]) -> Any:
    return case((own == "inherit", above), else_=stored)


def _refresh(model: type[SQLModel]) -> Update:
    below = (
        select(_c.c.id, _c.c.base_level.label("base"))
        .where(_c.c.id == given("root"))
        .cte("below", recursive=True)
    )
    child = _c.alias("child")
    below = below.union_all(
        select(child.c.id, _resolved(child.c.default_level, child.c.base_level, below.c.base)).where(
            child.c.parent_id == below.c.id
        )
    )
    t = table(model)
    above = select(below.c.base).where(below.c.id == t.c.parent_id).scalar_subquery()
    return (
        update(t)
        .values(base_level=above)
        .where(t.c.default_level == "inherit", t.c.parent_id.in_(select(below.c.id)))
    )


_REFRESH_COLLECTIONS = command(lambda: _refresh(Collection))
_REFRESH_SPACES = command(lambda: _refresh(Space))

"""Default levels and what they come to: organization -> collection -> space (decisions, Authentication).

`default_level` is a role, null (no access by default) or `inherit`: then the content has its parent's. What
it comes to is kept when it is set, so that reading a space needs no walk: `base_level` is a level, or
INHERITED where the chain reaches the organization, where a member has the higher of their own role and the
organization's `defaultRole`. `lineage` are all collections above, nearest first: what was granted on one of
them counts here too, whatever the default level is.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Text, Update, case, func, literal, select, update
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.rights import level
from app.kit.database.statements import command, given, table
from app.models.collections import Collection
from app.models.spaces import Space

INHERITED = -1
COLLECTIONS = table(Collection)


def level_columns(default_level: str | None, parent: Collection | None) -> dict[str, Any]:
    """Return the columns that keep what a default level comes to under this parent."""
    base = parent.base_level if parent else INHERITED
    lineage = f"{parent.id} {parent.lineage}".rstrip() if parent else ""
    return {"base_level": base if default_level == "inherit" else level(default_level), "lineage": lineage}


async def refresh_below(cx: Context, collection_id: str) -> None:
    """Work out again what everything below a collection has from it, where that changed."""
    await cx.tx.run(_REFRESH_COLLECTIONS, root=collection_id)
    await cx.tx.run(_REFRESH_SPACES, root=collection_id)


async def forget(cx: Context, collection: Collection) -> None:
    """Take a collection that goes out of every lineage."""
    for statement in _FORGET:
        await cx.tx.run(statement, organization=collection.organization_id, gone=f" {collection.id} ")


def _forget(t: Any) -> Update:
    gone = given("gone", Text())
    around = " " + t.c.lineage + " "
    rest = func.trim(func.replace(around, gone, " "))
    inside = t.c.organization_id == given("organization"), around.contains(gone)
    return update(t).values(lineage=rest).where(*inside)


def _handed_down(t: Any) -> ColumnElement[str]:
    """Return the lineage of what is directly in a collection."""
    return case((t.c.lineage == "", t.c.id), else_=t.c.id + " " + t.c.lineage)


def _refresh(model: type[SQLModel]) -> Update:
    below = (
        select(
            COLLECTIONS.c.id,
            COLLECTIONS.c.base_level.label("base"),
            _handed_down(COLLECTIONS).label("lineage"),
        )
        .where(COLLECTIONS.c.id == given("root"))
        .cte("below", recursive=True)
    )
    child = COLLECTIONS.alias("child")
    below = below.union_all(
        select(
            child.c.id,
            case((child.c.default_level == "inherit", below.c.base), else_=child.c.base_level),
            child.c.id + literal(" ") + below.c.lineage,
        ).where(child.c.parent_id == below.c.id)
    )
    t = table(model)

    def above(column: ColumnElement[Any]) -> Any:
        return select(column).where(below.c.id == t.c.parent_id).scalar_subquery()

    base = case((t.c.default_level == "inherit", above(below.c.base)), else_=t.c.base_level)
    inside = t.c.parent_id.in_(select(below.c.id))
    return update(t).values(base_level=base, lineage=above(below.c.lineage)).where(inside)


_FORGET = [command(partial(_forget, table(model))) for model in (Collection, Space)]
_REFRESH_COLLECTIONS = command(lambda: _refresh(Collection))
_REFRESH_SPACES = command(lambda: _refresh(Space))

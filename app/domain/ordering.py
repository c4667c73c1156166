"""Order among siblings: spaces and collections share one order inside a parent (decisions, Move position)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, select, union_all

from app.access.context import Context
from app.kit.ranks import after
from app.kit.statements import given, rows, table
from app.models.collections import Collection
from app.models.spaces import Space

_c, _s = table(Collection), table(Space)


def _siblings(in_root: bool) -> Any:
    def of(t: Any) -> Select[Any]:
        parent = t.c.parent_id.is_(None) if in_root else t.c.parent_id == given("parent")
        return select(t.c.id, t.c.rank).where(t.c.organization_id == given("organization"), parent)

    return union_all(of(_c), of(_s)).subquery()


def _last(in_root: bool) -> Select[Any]:
    return select(func.max(_siblings(in_root).c.rank).label("rank"))


_LAST = {in_root: rows(lambda in_root=in_root: _last(in_root)) for in_root in (True, False)}  # type: ignore[misc]


async def last(cx: Context, organization_id: str, parent_id: str | None) -> str:
    """The rank after all children of a parent (None: the organization's root)."""
    values = {"organization": organization_id} | ({} if parent_id is None else {"parent": parent_id})
    found = await cx.db.all(_LAST[parent_id is None], **values)
    return after(found[0].rank)

"""Order among siblings: spaces and collections share one order inside a parent (decisions, Move position).

A rank is text between its neighbours', so that a move writes one row. Where neighbours are equal or ranks
have grown long, the children of the parent are spread anew. Deleted spaces keep their rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    Update,
    and_,
    func,
    literal,
    select,
    tuple_,
    union_all,
    update,
)

from app.access.context import Context
from app.domain.spaces.parents import Content, Parent
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict
from app.kit.ids import rank_after, rank_between, spread_ranks
from app.models.collections import Collection, Position, Side
from app.models.spaces import Space

LONGEST = 100
TABLES: dict[str, Any] = {"collection": table(Collection), "space": table(Space)}


@dataclass(slots=True, frozen=True)
class Gap:
    """Two ranks with no sibling's between them; None is an open end."""

    low: str | None
    high: str | None

    @property
    def middle(self) -> str:
        """Return a rank inside."""
        return rank_between(self.low, self.high)

    @property
    def is_usable(self) -> bool:
        """Tell whether something fits in, and shortly."""
        is_open = self.low is None or self.high is None or self.low < self.high
        return is_open and len(self.middle) <= LONGEST


async def last(cx: Context, place: Parent) -> str:
    """Return the rank after all children of a place."""
    rank = rank_after(await _greatest(cx, place))
    if len(rank) > LONGEST:
        await respread(cx, place)
        rank = rank_after(await _greatest(cx, place))
    return rank


async def at(cx: Context, place: Parent, row: Content, position: Position | None) -> str:
    """Return the rank that puts content at a position among the children of a place; last without one.

    Raises Conflict where the named sibling is not a child of the place, or is the content itself.
    """
    if position is None:
        return await last(cx, place)
    if position.side.id == row.id:
        raise Conflict("An item cannot be placed before or after itself.", path="position")
    found = await gap(cx, place, position.side, forward=position.after is not None, leaving=row.id)
    return found.middle


async def gap(cx: Context, place: Parent, side: Side, *, forward: bool, leaving: str = "") -> Gap:
    """Return the room right after (or before) a child of a place, made where there is none.

    `leaving` is about to move away and is not counted. Raises Conflict for what is no child of the place.
    """
    found = await _gap(cx, place, side, forward, leaving)
    if not found.is_usable:
        await respread(cx, place)
        found = await _gap(cx, place, side, forward, leaving)
    return found


async def children(cx: Context, place: Parent) -> list[Any]:
    """Return all children of a place in their order, each as `kind` and `id`."""
    return await cx.db.all(_CHILDREN[place.parent is None], **_values(place))


async def respread(cx: Context, place: Parent) -> None:
    """Give the children of a place short ranks in the order they have."""
    found = await children(cx, place)
    await rerank(cx, found, list(spread_ranks(len(found))))


async def rerank(cx: Context, found: Sequence[Any], ranks: Sequence[str]) -> None:
    """Give each of these children its new rank: one hop for spaces, one for collections."""
    for kind, statement in _RERANK.items():
        pairs = zip(found, ranks, strict=True)
        changes = [{"key": child.id, "rank": rank} for child, rank in pairs if child.kind == kind]
        if changes:
            await cx.tx.run_many(statement, changes)


async def _greatest(cx: Context, place: Parent) -> str | None:
    found = await cx.db.first(_GREATEST[place.parent is None], **_values(place))
    return max(filter(None, found or ()), default=None)


async def _gap(cx: Context, place: Parent, side: Side, forward: bool, leaving: str) -> Gap:
    in_root, values = place.parent is None, _values(place)
    sibling = await cx.db.first(_CHILD[side.type, in_root], child=side.id, **values)
    if sibling is None:
        raise Conflict(f"There is no such {side.type} in this parent.", path="position")
    beyond = await cx.db.all(
        _NEIGHBOURS[in_root, forward], child=side.id, rank=sibling.rank, leaving=leaving, **values
    )
    ranks = [neighbour.rank for neighbour in beyond]
    if forward:
        return Gap(sibling.rank, min(ranks, default=None))
    return Gap(max(ranks, default=None), sibling.rank)


def _values(place: Parent) -> dict[str, str]:
    values = {"organization": place.organization_id}
    return values if place.parent is None else {**values, "parent": place.parent.id}


def _within(t: Any, in_root: bool) -> ColumnElement[bool]:
    parent = t.c.parent_id.is_(None) if in_root else t.c.parent_id == given("parent")
    return and_(t.c.organization_id == given("organization"), parent)


def _greatest_rank(in_root: bool) -> Select[Any]:
    # One scalar for each table, so that each is the end of an index and not a scan.
    of = (select(func.max(t.c.rank)).where(_within(t, in_root)).scalar_subquery() for t in TABLES.values())
    return select(*of)


def _child(kind: str, in_root: bool) -> Select[Any]:
    t = TABLES[kind]
    found = select(t.c.rank).where(t.c.id == given("child"), _within(t, in_root))
    return found.where(t.c.deleted_at.is_(None)) if kind == "space" else found


def _neighbours(in_root: bool, forward: bool) -> CompoundSelect[Any]:
    def nearest(t: Any) -> Select[Any]:
        here, there = tuple_(t.c.rank, t.c.id), tuple_(given("rank", Key), given("child", Key))
        order = [t.c.rank, t.c.id] if forward else [t.c.rank.desc(), t.c.id.desc()]
        beyond = here > there if forward else here < there
        found = select(t.c.rank).where(_within(t, in_root), beyond, t.c.id != given("leaving"))
        return select(found.order_by(*order).limit(1).subquery())

    return union_all(*(nearest(t) for t in TABLES.values()))


def _children(in_root: bool) -> Select[Any]:
    parts = (
        select(literal(kind).label("kind"), t.c.id, t.c.rank).where(_within(t, in_root))
        for kind, t in TABLES.items()
    )
    found = union_all(*parts).subquery()
    return select(found.c.kind, found.c.id).order_by(found.c.rank, found.c.id)


def _rerank(t: Any) -> Update:
    return update(t).values(rank=given("rank", Key)).where(t.c.id == given("key"))


_EITHER = (True, False)
_GREATEST = {root: rows(lambda root=root: _greatest_rank(root)) for root in _EITHER}  # type: ignore[misc]
_CHILD = {
    (kind, root): rows(lambda kind=kind, root=root: _child(kind, root))  # type: ignore[misc]
    for kind in TABLES
    for root in _EITHER
}
_NEIGHBOURS = {
    (root, forward): rows(lambda root=root, forward=forward: _neighbours(root, forward))  # type: ignore[misc]
    for root in _EITHER
    for forward in _EITHER
}
_CHILDREN = {root: rows(lambda root=root: _children(root)) for root in _EITHER}  # type: ignore[misc]
_RERANK = {kind: command(lambda t=t: _rerank(t)) for kind, t in TABLES.items()}  # type: ignore[misc]

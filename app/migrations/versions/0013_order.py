"""Lists follow the order that is kept: indexes for it, and new ranks where siblings share one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns
from app.kit.ids import spread_ranks as spread

revision = "0013"
down_revision = "0012"

LONGEST = 100
BEFORE: list[tuple[str, list[str]]] = [
    ("space", ["organization_id", "id", "deleted_at", "base_level", "lineage"]),
    ("space", ["organization_id", "parent_id", "rank"]),
    ("space", ["parent_id", "rank"]),
    ("collection", ["organization_id", "id"]),
    ("collection", ["organization_id", "parent_id", "rank"]),
    ("collection", ["parent_id"]),
]
AFTER: list[tuple[str, list[str]]] = [
    ("space", ["organization_id", "rank", "id", "deleted_at", "base_level", "lineage"]),
    ("space", ["organization_id", "parent_id", "rank", "id"]),
    ("space", ["parent_id", "rank", "id"]),
    ("collection", ["organization_id", "rank", "id"]),
    ("collection", ["organization_id", "parent_id", "rank", "id"]),
    ("collection", ["parent_id", "rank", "id"]),
]
_TABLES = {
    name: sa.table(
        name, *(sa.column(column, columns.Key) for column in ("id", "organization_id", "parent_id", "rank"))
    )
    for name in ("collection", "space")
}


def upgrade() -> None:
    """Spread the ranks that do not tell siblings apart, and exchange the indexes."""
    for place in _unordered():
        _spread(place)
    _exchange(BEFORE, AFTER)


def downgrade() -> None:
    """Bring the indexes of before back."""
    _exchange(AFTER, BEFORE)


def _exchange(old: list[tuple[str, list[str]]], new: list[tuple[str, list[str]]]) -> None:
    for table, names in old:
        op.drop_index(op.f(f"ix_{table}_{'_'.join(names)}"), table_name=table)
    for table, names in new:
        op.create_index(op.f(f"ix_{table}_{'_'.join(names)}"), table, names)


def _unordered() -> set[tuple[str, str | None]]:
    """Return the places, each an organization and a parent, whose children need new ranks."""
    parts = (sa.select(t.c.organization_id, t.c.parent_id, t.c.rank) for t in _TABLES.values())
    children = sa.union_all(*parts).subquery()
    place = children.c.organization_id, children.c.parent_id
    same = sa.select(*place).group_by(*place, children.c.rank).having(sa.func.count() > 1)
    long = sa.select(*place).where(sa.func.length(children.c.rank) > LONGEST)
    found = [*op.get_bind().execute(same), *op.get_bind().execute(long)]
    return {(row.organization_id, row.parent_id) for row in found}


def _spread(place: tuple[str, str | None]) -> None:
    """Give the children of a place short ranks in the order that they have."""
    organization, parent = place
    children: list[tuple[str, str, str]] = []
    for name, t in _TABLES.items():
        here = t.c.organization_id == organization, t.c.parent_id == parent
        found = op.get_bind().execute(sa.select(t.c.rank, t.c.id).where(*here))
        children += [(row.rank, row.id, name) for row in found]
    changes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (_, id_, name), rank in zip(sorted(children), spread(len(children)), strict=True):
        changes[name].append({"key": id_, "new": rank})
    for name, rows in changes.items():
        t = _TABLES[name]
        change = sa.update(t).values(rank=sa.bindparam("new")).where(t.c.id == sa.bindparam("key"))
        op.get_bind().execute(change, rows)

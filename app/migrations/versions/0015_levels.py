"""Levels count grants on all collections above; who created content, and whether it may be handed over.

Content keeps all collections above it as its lineage, creators are told from the audit log, and guests own no
teams any more.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0015"
down_revision = "0014"

MADE = ("space", "collection", "site")
ACTIONS = ("createSpace", "duplicateSpace", "createCollection", "createSite")
_collection, _space = (
    sa.table(name, *(sa.column(column, columns.Key) for column in ("id", "parent_id", "lineage")))
    for name in ("collection", "space")
)
_event = sa.table(
    "audit_event",
    *(sa.column(name, columns.Key) for name in ("action", "user_id", "target_kind", "target_id")),
)
_TEAM_OWNERS = """
UPDATE team_member SET role = 'member' WHERE role = 'owner' AND EXISTS (
    SELECT 1 FROM member WHERE member.user_id = team_member.user_id
    AND member.organization_id = team_member.organization_id AND member.role IS NULL)
"""


def upgrade() -> None:
    """Add the columns and fill them."""
    for table in MADE:
        op.add_column(table, sa.Column("created_by", columns.Key, nullable=True))
    op.add_column(
        "organization",
        sa.Column("content_transfers", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute(_TEAM_OWNERS)
    _fill_lineages()
    _fill_creators()


def downgrade() -> None:
    """Take the columns away; lineages stay as they are."""
    with op.batch_alter_table("organization") as batch:
        batch.drop_column("content_transfers")
    for table in MADE:
        with op.batch_alter_table(table) as batch:
            batch.drop_column("created_by")


def _fill_lineages() -> None:
    """Keep with all content the collections above it, nearest first."""
    connection = op.get_bind()
    above = {
        row.id: row.parent_id
        for row in connection.execute(sa.select(_collection.c.id, _collection.c.parent_id))
    }

    def chain(collection: str | None) -> Iterator[str]:
        while collection is not None:
            yield collection
            collection = above.get(collection)

    inside = [{"above": collection, "chain": " ".join(chain(collection))} for collection in above]
    for t in (_collection, _space):
        if inside:
            held = t.c.parent_id == sa.bindparam("above")
            connection.execute(sa.update(t).values(lineage=sa.bindparam("chain")).where(held), inside)


def _fill_creators() -> None:
    """Tell from the audit log who created what is still there."""
    made = sa.select(_event.c.target_kind, _event.c.target_id, _event.c.user_id).where(
        _event.c.action.in_(ACTIONS), _event.c.user_id.is_not(None), _event.c.target_kind.in_(MADE)
    )
    for rows in op.get_bind().execute(made).partitions(1000):
        for kind in MADE:
            t = sa.table(kind, sa.column("id", columns.Key), sa.column("created_by", columns.Key))
            changes = [{"key": row.target_id, "who": row.user_id} for row in rows if row.target_kind == kind]
            if changes:
                named = t.c.id == sa.bindparam("key")
                change = sa.update(t).values(created_by=sa.bindparam("who")).where(named)
                op.get_bind().execute(change, changes)

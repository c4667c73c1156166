"""Sites count what is read and searched for on each day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0053"
down_revision = "0052"


def upgrade() -> None:
    """Add the tables of the counts."""
    op.create_table(
        "site_count",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("day", columns.Key, nullable=False),
        sa.Column("kind", columns.Key, nullable=False),
        sa.Column("name", columns.Key, nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("agents", sa.Integer(), nullable=False),
        sa.Column("bots", sa.Integer(), nullable=False),
        sa.Column("last_at", columns.Instant(), nullable=False),
        sa.Column("referrer", columns.Key, nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_count_site_id_site")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_count")),
    )
    op.create_index(op.f("ix_site_count_site_id_kind_day"), "site_count", ["site_id", "kind", "day"])
    op.create_index(op.f("ix_site_count_day"), "site_count", ["day"])
    op.create_table(
        "site_visitors",
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("day", columns.Key, nullable=False),
        sa.Column("visitors", sa.Integer(), nullable=False),
        sa.Column("sketch", columns.Bytes, nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_visitors_site_id_site")),
        sa.PrimaryKeyConstraint("site_id", "day", name=op.f("pk_site_visitors")),
    )
    op.create_index(op.f("ix_site_visitors_day"), "site_visitors", ["day"])


def downgrade() -> None:
    """Remove them."""
    op.drop_table("site_visitors")
    op.drop_table("site_count")

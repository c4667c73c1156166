"""Buckets of rate limits have any key, and say how much they hold; those of before are full again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Make the table anew: what it had counted is of the last minute."""
    op.drop_table("bucket")
    op.create_table(
        "bucket",
        sa.Column("key", columns.Key, nullable=False),
        sa.Column("calls_left", sa.Float(), nullable=False),
        sa.Column("most", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("filled_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_bucket")),
    )
    op.create_index(op.f("ix_bucket_filled_at"), "bucket", ["filled_at"])


def downgrade() -> None:
    """Make the table as it was."""
    op.drop_table("bucket")
    op.create_table(
        "bucket",
        sa.Column("token_id", columns.Key, nullable=False),
        sa.Column("calls_left", sa.Float(), nullable=False),
        sa.Column("filled_at", sa.Float(), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_bucket")),
    )

"""The feed of changes, which subscriptions read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Make the table. Its ids count up by themselves."""
    op.create_table(
        "change_event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("space_id", columns.Key, nullable=True),
        sa.Column("change_request_id", columns.Key, nullable=True),
        sa.Column("comment_id", columns.Key, nullable=True),
        sa.Column("reply_id", columns.Key, nullable=True),
        sa.Column("page_id", columns.Key, nullable=True),
        sa.Column("job_id", columns.Key, nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_event")),
    )
    op.create_index(
        op.f("ix_change_event_position"),
        "change_event",
        ["position"],
        unique=True,
        sqlite_where=sa.text("position IS NOT NULL"),
    )


def downgrade() -> None:
    """Forget the changes."""
    op.drop_table("change_event")

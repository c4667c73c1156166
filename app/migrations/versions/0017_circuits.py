"""Circuit breakers of remote servers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "circuit",
        sa.Column("key", columns.Key, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("opened", sa.Integer(), nullable=False),
        sa.Column("retry_at", columns.Instant(), nullable=True),
        sa.Column("changed_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_circuit")),
    )
    op.create_index(op.f("ix_circuit_changed_at"), "circuit", ["changed_at"])


def downgrade() -> None:
    """Take it away."""
    op.drop_table("circuit")

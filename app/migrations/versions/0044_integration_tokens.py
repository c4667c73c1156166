"""Tokens with which scripts call as their integration, wherever it is installed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "integration_token",
        sa.Column("hash", columns.Key, nullable=False),
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("integration_id", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("expires_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["integration_id"],
            ["integration.id"],
            name=op.f("fk_integration_token_integration_id_integration"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_integration_token")),
        sa.UniqueConstraint("id", name=op.f("uq_integration_token_id")),
    )
    op.create_index(op.f("ix_integration_token_integration_id"), "integration_token", ["integration_id"])
    op.create_index(op.f("ix_integration_token_expires_at"), "integration_token", ["expires_at"])


def downgrade() -> None:
    """Remove it."""
    op.drop_table("integration_token")

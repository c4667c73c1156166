"""Rows of an organization are found by an index, where its removal and its archive look for them."""

from __future__ import annotations

from alembic import op

revision = "0057"
down_revision = "0055"
TABLES = ("integration_event", "stored_bytes", "team_member", "upload")


def upgrade() -> None:
    """Add an index by organization to each table."""
    for table in TABLES:
        op.create_index(f"ix_{table}_organization_id", table, ["organization_id"])


def downgrade() -> None:
    """Remove them."""
    for table in TABLES:
        op.drop_index(f"ix_{table}_organization_id", table)

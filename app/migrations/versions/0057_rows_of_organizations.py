"""Rows of an organization are found by an index, where its removal and its archive look for them."""

from __future__ import annotations

from alembic import op

revision = "0057"
down_revision = "0055"
COLUMNS = {
    "integration_event": "organization_id",
    "stored_bytes": "organization_id",
    "team_member": "organization_id",
    "token": "sso_organization_id",
    "upload": "organization_id",
}


def upgrade() -> None:
    """Add an index by organization to each table."""
    for table, column in COLUMNS.items():
        op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    """Remove them."""
    for table, column in COLUMNS.items():
        op.drop_index(f"ix_{table}_{column}", table)

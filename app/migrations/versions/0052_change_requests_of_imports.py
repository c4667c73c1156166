"""Import runs know the change request that they open when they write the content."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"

_ADDED = ("change_request_subject", "agent_task_id")


def upgrade() -> None:
    """Add its subject, and the task of the agent that asked for it."""
    for name in _ADDED:
        op.add_column("import_run", sa.Column(name, sa.String(), nullable=True))


def downgrade() -> None:
    """Remove them."""
    for name in _ADDED:
        op.drop_column("import_run", name)

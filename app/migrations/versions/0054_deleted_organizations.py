"""Organizations can be deleted, and restored for a while; their sites are offline meanwhile."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database.columns import Instant

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    """Add when an organization was deleted, and which of its sites went offline by that."""
    op.add_column("organization", sa.Column("deleted_at", Instant(), nullable=True))
    op.add_column("site", sa.Column("suspended", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Remove both."""
    op.drop_column("site", "suspended")
    op.drop_column("organization", "deleted_at")

"""Events of the audit log keep the title of what was created."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    """Add it. The events that are there keep their forms, which do not cover it."""
    with op.batch_alter_table("audit_event") as batch:
        batch.add_column(sa.Column("target_title", sa.String(), nullable=True))
        batch.add_column(sa.Column("target_title_salt", sa.String(), nullable=True))


def downgrade() -> None:
    """Remove it; the version before finds events of the third form altered."""
    with op.batch_alter_table("audit_event") as batch:
        for name in ("target_title_salt", "target_title"):
            batch.drop_column(name)

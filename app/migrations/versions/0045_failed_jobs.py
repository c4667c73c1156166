"""Jobs that failed are listed with their reasons, and forgotten after a while."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
FAILED = "ix_job_failed"
LISTED = "ix_job_organization_id_id"


def upgrade() -> None:
    """Add the reason for people, and the indexes of both."""
    op.add_column("job", sa.Column("reason", sa.String(), nullable=True))
    is_failed = sa.text("state = 'failed'")
    op.create_index(op.f(FAILED), "job", ["due_at"], sqlite_where=is_failed, postgresql_where=is_failed)
    op.create_index(op.f(LISTED), "job", ["organization_id", "id"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index(op.f(LISTED), "job")
    op.drop_index(op.f(FAILED), "job")
    op.drop_column("job", "reason")

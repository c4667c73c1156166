"""Bodies that are no text keep their bytes.

Revision ID: 0023
Revises: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the column; what was imported before has lost its bytes and gets them with the next import."""
    op.add_column("document", sa.Column("raw", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Take the bytes away: what is shown of them stays."""
    op.drop_column("document", "raw")

"""Specifications keep what readers need not care about as warnings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the warnings: none until a specification is read again."""
    op.add_column("openapi_spec", sa.Column("warnings", columns.Json(), nullable=True))


def downgrade() -> None:
    """Forget the warnings."""
    op.drop_column("openapi_spec", "warnings")

"""An organization's administrators list the tokens that are limited to it."""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Index tokens by their organization."""
    op.create_index(op.f("ix_token_organization_id"), "token", ["organization_id"])


def downgrade() -> None:
    """Remove the index."""
    op.drop_index(op.f("ix_token_organization_id"), table_name="token")

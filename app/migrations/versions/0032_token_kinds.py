"""Tokens say what they are: a person's own, the session of a browser, or an application's; and are narrowed
to spaces, to scopes and to being used.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Add the columns. What single sign-on gave to browsers is their session."""
    with op.batch_alter_table("token") as batch:
        batch.add_column(sa.Column("kind", sa.String(), nullable=False, server_default="personal"))
        batch.add_column(sa.Column("spaces", columns.Json(), nullable=True))
        batch.add_column(sa.Column("scopes", columns.Json(), nullable=True))
        batch.add_column(sa.Column("is_agent", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch.add_column(sa.Column("user_agent", sa.String(), nullable=True))
        batch.add_column(sa.Column("address", sa.String(), nullable=True))
        batch.add_column(sa.Column("idle_seconds", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE token SET kind = 'session' WHERE name = 'browser session' AND sso_provider_id IS NOT NULL"
    )
    with op.batch_alter_table("token") as batch:
        batch.alter_column("kind", server_default=None)
        batch.alter_column("is_agent", server_default=None)


def downgrade() -> None:
    """Remove them; a narrower token would open more without them, so it is revoked."""
    op.execute("DELETE FROM token WHERE spaces IS NOT NULL OR scopes IS NOT NULL OR is_agent")
    with op.batch_alter_table("token") as batch:
        for name in ("idle_seconds", "address", "user_agent", "is_agent", "scopes", "spaces", "kind"):
            batch.drop_column(name)

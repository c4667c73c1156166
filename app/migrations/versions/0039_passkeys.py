"""Passkeys, and the challenges that browsers are given."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "passkey",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("credential_id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("public_key", columns.Bytes, nullable=False),
        sa.Column("counter", sa.BigInteger(), nullable=False),
        sa.Column("transports", columns.Json(), nullable=False),
        sa.Column("backed_up", sa.Boolean(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("last_used_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_passkey_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkey")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkey_credential_id")),
    )
    op.create_index(op.f("ix_passkey_user_id"), "passkey", ["user_id"])
    op.create_table(
        "passkey_challenge",
        sa.Column("challenge", columns.Key, nullable=False),
        sa.Column("browser", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=True),
        sa.Column("expires_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("challenge", name=op.f("pk_passkey_challenge")),
    )
    op.create_index(op.f("ix_passkey_challenge_expires_at"), "passkey_challenge", ["expires_at"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("passkey_challenge")
    op.drop_table("passkey")

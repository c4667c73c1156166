"""Links that sign people in, and mail on its way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Make both tables, and find invites by their addresses."""
    op.create_table(
        "sign_in_link",
        sa.Column("hash", columns.Key, nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("email", columns.Key, nullable=False),
        sa.Column("browser", columns.Key, nullable=True),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("expires_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sign_in_link")),
    )
    op.create_index(op.f("ix_sign_in_link_email"), "sign_in_link", ["email"])
    op.create_index(op.f("ix_sign_in_link_expires_at"), "sign_in_link", ["expires_at"])
    op.create_table(
        "outgoing_mail",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("expires_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outgoing_mail")),
    )
    op.create_index(op.f("ix_outgoing_mail_expires_at"), "outgoing_mail", ["expires_at"])
    op.create_index(op.f("ix_invite_email"), "invite", ["email"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index(op.f("ix_invite_email"), table_name="invite")
    op.drop_table("outgoing_mail")
    op.drop_table("sign_in_link")

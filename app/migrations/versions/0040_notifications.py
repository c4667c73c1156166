"""What people are told of by mail, and how soon."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "notification",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("change_request_id", columns.Key, nullable=True),
        sa.Column("comment_id", columns.Key, nullable=True),
        sa.Column("reply_id", columns.Key, nullable=True),
        sa.Column("caused_by", columns.Key, nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("due_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_notification_user_id_user_account")
        ),
        sa.ForeignKeyConstraint(
            ["space_id"], ["space.id"], name=op.f("fk_notification_space_id_space"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification")),
    )
    op.create_index(op.f("ix_notification_space_id"), "notification", ["space_id"])
    op.create_index(op.f("ix_notification_user_id_due_at"), "notification", ["user_id", "due_at"])
    op.create_table(
        "notification_preferences",
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("mentions", sa.String(), nullable=False),
        sa.Column("review_requests", sa.String(), nullable=False),
        sa.Column("invitations", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_notification_preferences_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_notification_preferences")),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("notification_preferences")
    op.drop_table("notification")

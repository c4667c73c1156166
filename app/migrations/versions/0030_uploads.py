"""Files that are sent by themselves, before something uses them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "upload",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("created_by", columns.Key, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("place", columns.Key, nullable=True),
        sa.Column("draft_id", columns.Key, nullable=True),
        sa.Column("blob_id", columns.Key, nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_upload_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["user_account.id"], name=op.f("fk_upload_created_by_user_account")
        ),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name=op.f("fk_upload_blob_id_blob")),
    )
    op.create_index(op.f("ix_upload_blob_id"), "upload", ["blob_id"])


def downgrade() -> None:
    """Forget the uploads."""
    op.drop_table("upload")

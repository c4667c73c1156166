"""Visitors of a site rate its pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    """Add the table of what they say."""
    op.create_table(
        "page_feedback",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("site_id", columns.Key, nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("page_id", columns.Key, nullable=False),
        sa.Column("visitor", columns.Key, nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("comment", sa.String(), nullable=True),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_page_feedback_site_id_site")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_feedback")),
    )
    op.create_index(op.f("ix_page_feedback_site_id_id"), "page_feedback", ["site_id", "id"])
    op.create_index(
        op.f("ix_page_feedback_site_id_page_id_visitor"),
        "page_feedback",
        ["site_id", "page_id", "visitor"],
        unique=True,
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("page_feedback")

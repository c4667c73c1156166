"""Visitors and agents report what is missing from a site, beside ratings of its pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0055"
down_revision = "0054"

_TABLE = "page_feedback"
_WAS = "ix_page_feedback_site_id_page_id_visitor"
_IS = "ix_page_feedback_site_id_subject_visitor"
_OF_PAGES = (("space_id", columns.Key), ("page_id", columns.Key), ("rating", sa.String()))


def upgrade() -> None:
    """Add where feedback was given and what it is about; the subject of a rating is its page."""
    op.drop_index(op.f(_WAS), table_name=_TABLE)
    with op.batch_alter_table(_TABLE) as batch:
        for name, kind in _OF_PAGES:
            batch.alter_column(name, existing_type=kind, nullable=True)
        batch.add_column(sa.Column("source", sa.String(), nullable=False, server_default="page"))
        batch.add_column(sa.Column("subject", columns.Key, nullable=False, server_default=""))
        batch.add_column(sa.Column("query", sa.String(), nullable=True))
    op.execute("UPDATE page_feedback SET subject = page_id")
    op.create_index(op.f(_IS), _TABLE, ["site_id", "subject", "visitor"], unique=True)


def downgrade() -> None:
    """Remove it, with the reports."""
    op.execute("DELETE FROM page_feedback WHERE rating IS NULL")
    op.drop_index(op.f(_IS), table_name=_TABLE)
    with op.batch_alter_table(_TABLE) as batch:
        for name in ("source", "subject", "query"):
            batch.drop_column(name)
        for name, kind in _OF_PAGES:
            batch.alter_column(name, existing_type=kind, nullable=False)
    op.create_index(op.f(_WAS), _TABLE, ["site_id", "page_id", "visitor"], unique=True)

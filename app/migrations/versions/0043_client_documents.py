"""Applications that describe themselves at an address, which is their client id."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0043"
down_revision = "0042"
NAME = "ix_oauth_application_document_url"


def upgrade() -> None:
    """Add the address of the document, and until when it need not be fetched again."""
    op.add_column("oauth_application", sa.Column("document_url", columns.Key, nullable=True))
    op.add_column("oauth_application", sa.Column("document_until", columns.Instant(), nullable=True))
    op.create_index(op.f(NAME), "oauth_application", ["document_url"], unique=True)


def downgrade() -> None:
    """Remove them with the applications that have no other name."""
    op.execute(sa.text("DELETE FROM oauth_application WHERE document_url IS NOT NULL"))
    op.drop_index(op.f(NAME), "oauth_application")
    op.drop_column("oauth_application", "document_until")
    op.drop_column("oauth_application", "document_url")

"""Public sites are listed by their titles without reading all sites."""

from __future__ import annotations

from alembic import op

revision = "0042"
down_revision = "0041"
NAME = "ix_site_visibility_published_title_folded_id"


def upgrade() -> None:
    """Add the index."""
    op.create_index(op.f(NAME), "site", ["visibility", "published", "title_folded", "id"])


def downgrade() -> None:
    """Remove it."""
    op.drop_index(op.f(NAME), "site")

"""Spaces keep who signs in the visitors of the site that shows them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0027"
down_revision = "0026"

_SPACES, _SITES, _ITEMS = (
    sa.table(name, *(sa.column(column) for column in names))
    for name, names in (
        ("space", ("id", "site_visibility", "site_auth")),
        ("site", ("id", "published", "visitor_backend")),
        ("site_item", ("site_id", "space_id", "draft")),
    )
)


def upgrade() -> None:
    """Take it from the oldest site that shows the space: no other shows it to more people."""
    op.add_column("space", sa.Column("site_auth", columns.Json(), nullable=True))
    shown = (
        sa.select(_SITES.c.visitor_backend)
        .join(_ITEMS, _ITEMS.c.site_id == _SITES.c.id)
        .where(
            _ITEMS.c.space_id == _SPACES.c.id, _SITES.c.published == sa.true(), _ITEMS.c.draft == sa.false()
        )
        .order_by(_SITES.c.id)
        .limit(1)
        .correlate(_SPACES)
    )
    visited = _SPACES.c.site_visibility == "visitor-auth"
    op.execute(sa.update(_SPACES).values(site_auth=shown.scalar_subquery()).where(visited))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("space", "site_auth")

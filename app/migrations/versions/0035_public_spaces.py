"""Spaces keep whether a public site shows them to everybody."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

_SPACES, _SITES, _ITEMS = (
    sa.table(name, *(sa.column(column) for column in names))
    for name, names in (
        ("space", ("id", "is_public")),
        ("site", ("id", "published", "visibility")),
        ("site_item", ("id", "site_id", "parent_id", "space_id", "draft", "condition")),
    )
)


def upgrade() -> None:
    """Tell it by the sites: no draft is public, nor what has a condition or stands in what has one."""
    op.add_column("space", sa.Column("is_public", sa.Boolean(), server_default=sa.false(), nullable=False))
    items = [_ITEMS.alias(name) for name in ("item", "section", "section_group")]
    item, section, group = items
    shown = (
        sa.exists()
        .select_from(
            item.join(_SITES, _SITES.c.id == item.c.site_id)
            .outerjoin(section, section.c.id == item.c.parent_id)
            .outerjoin(group, group.c.id == section.c.parent_id)
        )
        .where(
            item.c.space_id == _SPACES.c.id,
            _SITES.c.published == sa.true(),
            _SITES.c.visibility == "public",
            *(sa.func.coalesce(each.c.draft, sa.false()) == sa.false() for each in items),
            *(each.c.condition.is_(None) for each in items),
        )
    )
    op.execute(sa.update(_SPACES).values(is_public=sa.true()).where(shown.correlate(_SPACES)))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("space", "is_public")

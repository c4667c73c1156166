"""Spaces keep their titles folded, so that they are found in any case."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database.columns import Key

revision = "0046"
down_revision = "0045"

_SPACES = sa.table("space", sa.column("id", Key), sa.column("title"), sa.column("title_folded"))


def upgrade() -> None:
    """Fold the titles that are there."""
    op.add_column("space", sa.Column("title_folded", sa.String(), server_default="", nullable=False))
    bind = op.get_bind()
    for row in bind.execute(sa.select(_SPACES.c.id, _SPACES.c.title)).all():
        folded = {"title_folded": row.title.casefold()}
        bind.execute(sa.update(_SPACES).where(_SPACES.c.id == row.id).values(folded))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("space", "title_folded")

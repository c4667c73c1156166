"""Change requests keep their subjects folded, so that they are found in any case."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database.columns import Key

revision = "0047"
down_revision = "0046"

_REQUESTS = sa.table(
    "change_request", sa.column("id", Key), sa.column("subject"), sa.column("subject_folded")
)


def upgrade() -> None:
    """Fold the subjects that are there."""
    column = sa.Column("subject_folded", sa.String(), server_default="", nullable=False)
    op.add_column("change_request", column)
    bind = op.get_bind()
    for row in bind.execute(sa.select(_REQUESTS.c.id, _REQUESTS.c.subject)).all():
        folded = {"subject_folded": row.subject.casefold()}
        bind.execute(sa.update(_REQUESTS).where(_REQUESTS.c.id == row.id).values(folded))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("change_request", "subject_folded")

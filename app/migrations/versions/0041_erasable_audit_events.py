"""What is personal in an event of the audit log can be erased; what a person made is found by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0041"
down_revision = "0040"
INDEXED = (
    ("collection", "created_by"),
    ("comment", "posted_by"),
    ("comment_mention", "user_id"),
    ("comment_reaction", "user_id"),
    ("comment_reply", "posted_by"),
    ("integration_version", "published_by"),
    ("review", "reviewer_id"),
    ("revision", "author_id"),
    ("sign_in", "user_id"),
    ("site", "created_by"),
    ("space", "created_by"),
    ("upload", "created_by"),
)


def upgrade() -> None:
    """Add them. The events that are there keep their hashes, and so are of the first form."""
    with op.batch_alter_table("audit_event") as batch:
        batch.add_column(sa.Column("form", sa.Integer(), nullable=False, server_default="1"))
        batch.add_column(sa.Column("address_salt", sa.String(), nullable=True))
        batch.add_column(sa.Column("title_salt", sa.String(), nullable=True))
        batch.add_column(sa.Column("erased", columns.Json(), nullable=True))
        batch.add_column(sa.Column("erasure", sa.String(), nullable=True))
    with op.batch_alter_table("audit_event") as batch:
        batch.alter_column("form", server_default=None)
    for table, column in INDEXED:
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column])


def downgrade() -> None:
    """Remove them; the version before finds events of the second form altered."""
    for table, column in INDEXED:
        op.drop_index(op.f(f"ix_{table}_{column}"), table)
    with op.batch_alter_table("audit_event") as batch:
        for name in ("erasure", "erased", "title_salt", "address_salt", "form"):
            batch.drop_column(name)

"""The audit log.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0006"
down_revision = "0005"

INDEXES = [
    ["organization_id", "created_at"],
    ["organization_id", "user_id", "number"],
    ["organization_id", "subject_id", "number"],
]
TARGETS = ["organization_id", "target_id", "number"]


def upgrade() -> None:
    op.create_table(
        "audit_event",
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("user_id", columns.Key, nullable=True),
        sa.Column("token_id", columns.Key, nullable=True),
        sa.Column("face", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("request_id", sa.String(), nullable=True),
        sa.Column("action", columns.Key, nullable=False),
        sa.Column("subject_kind", sa.String(), nullable=False),
        sa.Column("subject_id", columns.Key, nullable=False),
        sa.Column("subject_title", sa.String(), nullable=True),
        sa.Column("target_kind", sa.String(), nullable=True),
        sa.Column("target_id", columns.Key, nullable=True),
        sa.Column("hash", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_audit_event_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("organization_id", "number", name=op.f("pk_audit_event")),
    )
    for names in INDEXES:
        op.create_index(op.f(f"ix_audit_event_{'_'.join(names)}"), "audit_event", names)
    has_one = sa.text("target_id IS NOT NULL")
    op.create_index(
        op.f(f"ix_audit_event_{'_'.join(TARGETS)}"),
        "audit_event",
        TARGETS,
        sqlite_where=has_one,
        postgresql_where=has_one,
    )
    op.create_table(
        "audit_head",
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_audit_head_organization_id_organization")
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_audit_head")),
    )


def downgrade() -> None:
    op.drop_table("audit_head")
    op.drop_table("audit_event")

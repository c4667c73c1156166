"""What agents changed, so that it can be undone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Make the table. Its ids count up by themselves."""
    op.create_table(
        "agent_change",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("token_id", columns.Key, nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("user_id", columns.Key, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("space_id", columns.Key, nullable=False),
        sa.Column("change_request_id", columns.Key, nullable=True),
        sa.Column("object_id", columns.Key, nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("undone_at", columns.Instant(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_agent_change_organization_id_organization"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_agent_change_user_id_user_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_change")),
    )
    op.create_index(op.f("ix_agent_change_organization_id_id"), "agent_change", ["organization_id", "id"])
    op.create_index(
        op.f("ix_agent_change_organization_id_token_id_id"),
        "agent_change",
        ["organization_id", "token_id", "id"],
    )
    op.create_index(op.f("ix_agent_change_object_id_token_id"), "agent_change", ["object_id", "token_id"])
    op.create_index(op.f("ix_agent_change_user_id"), "agent_change", ["user_id"])


def downgrade() -> None:
    """Forget what agents changed."""
    op.drop_table("agent_change")

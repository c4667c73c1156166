"""Imports that go on after the request that asked for them, and the files that were sent for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "import_run",
        sa.Column("id", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.Column("created_by", columns.Key, nullable=False),
        sa.Column("source", columns.Json(), nullable=False),
        sa.Column("space_id", columns.Key, nullable=True),
        sa.Column("change_request_id", columns.Key, nullable=True),
        sa.Column("page_id", columns.Key, nullable=True),
        sa.Column("site_id", columns.Key, nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("pages_read", sa.Integer(), nullable=False),
        sa.Column("pages_found", sa.Integer(), nullable=False),
        sa.Column("result", columns.Json(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("problems", columns.Json(), nullable=True),
        sa.Column("more_problems", sa.Integer(), nullable=False),
        sa.Column("created_at", columns.Instant(), nullable=False),
        sa.Column("started_at", columns.Instant(), nullable=True),
        sa.Column("ended_at", columns.Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_run")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organization.id"], name=op.f("fk_import_run_organization_id_organization")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["user_account.id"], name=op.f("fk_import_run_created_by_user_account")
        ),
    )
    for names in (["organization_id", "id"], ["created_by"], ["space_id"]):
        op.create_index(op.f(f"ix_import_run_{'_'.join(names)}"), "import_run", names)
    op.create_table(
        "import_file",
        sa.Column("run_id", columns.Key, nullable=False),
        sa.Column("name", columns.Key, nullable=False),
        sa.Column("blob_id", columns.Key, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_import_file")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["import_run.id"], name=op.f("fk_import_file_run_id_import_run"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["blob_id"], ["blob.id"], name=op.f("fk_import_file_blob_id_blob")),
    )
    op.create_index(op.f("ix_import_file_blob_id"), "import_file", ["blob_id"])


def downgrade() -> None:
    """Forget the runs."""
    op.drop_table("import_file")
    op.drop_table("import_run")

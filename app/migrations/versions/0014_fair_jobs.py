"""Jobs know their organization, and whether they are due by time or waiting for a worker."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0014"
down_revision = "0013"

INDEXES = {
    "ix_job_queue": (["kind", "organization_id", "due_at", "id"], "state = 'waiting'"),
    "ix_job_timed": (["due_at"], "state IN ('scheduled', 'running')"),
    "ix_job_running": (["kind", "organization_id"], "state = 'running'"),
    "ix_job_organization_id_state": (["organization_id", "state"], None),
}
SUBJECTS = {
    "space": ("purge_space", "git_sync"),
    "openapi_spec": ("process_openapi", "renew_openapi_pages"),
    "integration": ("deliver_events", "deliver_task", "fetch_site_scripts", "purge_integration"),
}


def upgrade() -> None:
    """Add the organization, that of what a job is about, and the indexes that leases are taken by."""
    op.drop_index(op.f("ix_job_state_due_at"), table_name="job")
    with op.batch_alter_table("job") as job:
        job.add_column(sa.Column("organization_id", columns.Key, nullable=False, server_default=""))
    for table, kinds in SUBJECTS.items():
        listed = ", ".join(f"'{kind}'" for kind in kinds)
        owner = f"(SELECT organization_id FROM {table} WHERE {table}.id = job.subject)"
        op.execute(f"UPDATE job SET organization_id = coalesce({owner}, '') WHERE kind IN ({listed})")
    op.execute("UPDATE job SET state = 'scheduled' WHERE state = 'waiting'")
    with op.batch_alter_table("job") as job:
        job.alter_column("organization_id", existing_type=columns.Key, server_default=None)
    for name, (names, where) in INDEXES.items():
        condition = sa.text(where) if where else None
        op.create_index(name, "job", names, sqlite_where=condition, postgresql_where=condition)


def downgrade() -> None:
    """Take the organization away; what is due by time waits again."""
    for name in INDEXES:
        op.drop_index(name, table_name="job")
    op.execute("UPDATE job SET state = 'waiting' WHERE state = 'scheduled'")
    with op.batch_alter_table("job") as job:
        job.drop_column("organization_id")
    op.create_index(op.f("ix_job_state_due_at"), "job", ["state", "due_at"])

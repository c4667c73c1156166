"""Organizations by their e-mail domains and reusable contents by their documents: found by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0010"
down_revision = "0009"

_INDEX = "ix_reusable_version_document_id"
_ORGANIZATIONS = sa.table(
    "organization", sa.column("id", columns.Key), sa.column("email_domains", columns.Json())
)


def upgrade() -> None:
    """Add the index and the table, with the domains that there are."""
    op.create_index(op.f(_INDEX), "reusable_version", ["document_id"])
    domains = op.create_table(
        "email_domain",
        sa.Column("domain", columns.Key, nullable=False),
        sa.Column("organization_id", columns.Key, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_email_domain_organization_id_organization"),
        ),
        sa.PrimaryKeyConstraint("domain", "organization_id", name=op.f("pk_email_domain")),
    )
    op.create_index(op.f("ix_email_domain_organization_id"), "email_domain", ["organization_id"])
    for row in op.get_bind().execute(sa.select(_ORGANIZATIONS)).all():
        kept = [{"domain": domain, "organization_id": row.id} for domain in dict.fromkeys(row.email_domains)]
        op.bulk_insert(domains, kept)


def downgrade() -> None:
    """Take both away."""
    op.drop_table("email_domain")
    op.drop_index(op.f(_INDEX), table_name="reusable_version")

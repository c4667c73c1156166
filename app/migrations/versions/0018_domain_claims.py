"""Domains of organizations are claims, which have no effect before they are verified.

The domains that organizations have stated so far were never proven, so they become claims that are pending:
nobody joins by them and no identity provider asserts people of them until each is verified.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns
from app.kit.ids import new_id

revision = "0018"
down_revision = "0017"

_BEFORE = sa.table(
    "email_domain", sa.column("domain", columns.Key), sa.column("organization_id", columns.Key)
)
_COLUMNS = ("id", "organization_id", "kind", "name", "status", "token")
_TIMES = ("checked_at", "verified_at", "ends_at", "mailed_until")


def upgrade() -> None:
    claims = op.create_table(
        "domain_claim",
        *(sa.Column(name, _type(name), nullable=False) for name in _COLUMNS),
        *(sa.Column(name, sa.String(), nullable=True) for name in ("method", "problem", "mailed_hash")),
        sa.Column("created_at", columns.Instant(), nullable=False),
        *(sa.Column(name, columns.Instant(), nullable=True) for name in _TIMES),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organization.id"],
            name=op.f("fk_domain_claim_organization_id_organization"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_domain_claim")),
        sa.UniqueConstraint(
            "organization_id", "kind", "name", name=op.f("uq_domain_claim_organization_id_kind_name")
        ),
    )
    op.create_index(op.f("ix_domain_claim_organization_id_id"), "domain_claim", ["organization_id", "id"])
    where = sa.text("status = 'verified'")
    op.create_index(
        "ix_domain_claim_verified",
        "domain_claim",
        ["kind", "name"],
        unique=True,
        sqlite_where=where,
        postgresql_where=where,
    )
    stated = op.get_bind().execute(sa.select(_BEFORE)).all()
    op.bulk_insert(claims, [_pending(row.organization_id, row.domain) for row in stated])
    op.drop_table("email_domain")


def downgrade() -> None:
    op.create_table(
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
    op.execute("INSERT INTO email_domain SELECT name, organization_id FROM domain_claim WHERE kind = 'email'")
    op.drop_table("domain_claim")


def _type(name: str) -> sa.types.TypeEngine[str]:
    return columns.Key if name in ("id", "organization_id", "name") else sa.String()


def _pending(organization_id: str, domain: str) -> dict[str, object]:
    return {
        "id": new_id(),
        "organization_id": organization_id,
        "kind": "email",
        "name": domain,
        "status": "pending",
        "token": secrets.token_urlsafe(24),
        "created_at": datetime.now(UTC),
    }

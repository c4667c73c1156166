"""Single sign-on: SAML providers, the requests that they answered, who signed in through them.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "saml_provider",
        _key("id"),
        _key("organization_id"),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("entity_id", sa.String(), nullable=True),
        sa.Column("certificate", sa.String(), nullable=True),
        sa.Column("sso_url", sa.String(), nullable=True),
        _key("default_team_id", nullable=True),
        sa.Column("default_role", sa.String(), nullable=True),
        _time("created_at"),
        _time("updated_at"),
        _to("saml_provider", "organization_id", "organization"),
        _to("saml_provider", "default_team_id", "team", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saml_provider")),
    )
    op.create_index(op.f("ix_saml_provider_organization_id_id"), "saml_provider", ["organization_id", "id"])
    op.create_index(op.f("ix_saml_provider_default_team_id"), "saml_provider", ["default_team_id"])
    _create_requests()
    op.create_table(
        "sign_in",
        _key("provider_id"),
        _key("user_id"),
        _time("first_at"),
        _time("last_at"),
        _to("sign_in", "provider_id", "saml_provider", ondelete="CASCADE"),
        _to("sign_in", "user_id", "user_account"),
        sa.PrimaryKeyConstraint("provider_id", "user_id", name=op.f("pk_sign_in")),
    )


def downgrade() -> None:
    for table in ("sign_in", "saml_request", "saml_provider"):
        op.drop_table(table)


def _create_requests() -> None:
    op.create_table(
        "saml_request",
        _key("id"),
        _key("provider_id"),
        _key("assertion_id"),
        _time("answered_at"),
        _time("expires_at"),
        _to("saml_request", "provider_id", "saml_provider", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saml_request")),
    )
    unique = ["provider_id", "assertion_id"]
    op.create_index(op.f("ix_saml_request_provider_id_assertion_id"), "saml_request", unique, unique=True)
    op.create_index(op.f("ix_saml_request_expires_at"), "saml_request", ["expires_at"])


def _key(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, columns.Key, nullable=nullable)


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, columns.Instant(), nullable=False)


def _to(table: str, column: str, other: str, *, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete=ondelete)

"""Identity providers may speak OpenID Connect."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0037"
down_revision = "0036"

_BEFORE = ["organization_id", "id"]
_NOW = ["organization_id", "kind", "id"]


def upgrade() -> None:
    """Add the columns; all providers so far speak SAML."""
    with op.batch_alter_table("saml_provider") as batch:
        batch.add_column(sa.Column("kind", columns.Key, nullable=False, server_default="saml"))
        batch.add_column(sa.Column("client_id", sa.String(), nullable=True))
        batch.add_column(sa.Column("client_secret", sa.String(), nullable=True))
    with op.batch_alter_table("saml_provider") as batch:
        batch.alter_column("kind", server_default=None)
    op.drop_index(op.f("ix_saml_provider_organization_id_id"), table_name="saml_provider")
    op.create_index(op.f("ix_saml_provider_organization_id_kind_id"), "saml_provider", _NOW)


def downgrade() -> None:
    """Remove the providers that would be none, with their sessions, and the columns."""
    op.execute(
        "DELETE FROM token WHERE sso_provider_id IN (SELECT id FROM saml_provider WHERE kind = 'oidc')"
    )
    op.execute("DELETE FROM sign_in WHERE provider_id IN (SELECT id FROM saml_provider WHERE kind = 'oidc')")
    op.execute("DELETE FROM saml_provider WHERE kind = 'oidc'")
    op.drop_index(op.f("ix_saml_provider_organization_id_kind_id"), table_name="saml_provider")
    op.create_index(op.f("ix_saml_provider_organization_id_id"), "saml_provider", _BEFORE)
    with op.batch_alter_table("saml_provider") as batch:
        for name in ("client_secret", "client_id", "kind"):
            batch.drop_column(name)

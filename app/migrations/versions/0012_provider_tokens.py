"""Tokens and sessions know the identity provider that they were issued by, and end with it.

Those from before name none, so they could not be revoked with their provider; and providers could assert
people of domains that nobody had proven. They are revoked: whoever has one signs in again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns

revision = "0012"
down_revision = "0011"

_FK = "fk_token_sso_provider_id_saml_provider"
_INDEX = "ix_token_sso_provider_id"


def upgrade() -> None:
    op.execute("DELETE FROM token WHERE sso_organization_id IS NOT NULL")
    with op.batch_alter_table("token") as batch:
        batch.add_column(sa.Column("sso_provider_id", columns.Key, nullable=True))
        batch.create_foreign_key(op.f(_FK), "saml_provider", ["sso_provider_id"], ["id"], ondelete="CASCADE")
    op.create_index(op.f(_INDEX), "token", ["sso_provider_id"])


def downgrade() -> None:
    op.drop_index(op.f(_INDEX), table_name="token")
    with op.batch_alter_table("token") as batch:
        batch.drop_constraint(op.f(_FK), type_="foreignkey")
        batch.drop_column("sso_provider_id")

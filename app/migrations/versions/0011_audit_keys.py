"""The audit log is signed with a key that is not in the database.

The newest event of every log is sealed as it is found. Events from before keep their hashes, which were made
without a key; what is added from now on is signed, and so is the hash that it follows.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import context, op

from app.kit.database import columns

revision = "0011"
down_revision = "0010"

_ORGANIZATIONS = sa.table("organization", sa.column("id", columns.Key))
_FACTS = sa.table("fact", sa.column("name", columns.Key), sa.column("value", sa.String()))
_HEADS = sa.table(
    "audit_head",
    sa.column("organization_id", columns.Key),
    sa.column("number", sa.BigInteger()),
    sa.column("hash", sa.String()),
    sa.column("seal", sa.String()),
)


def upgrade() -> None:
    """Seal the head of every log, also of those that are empty yet, and note which key did."""
    op.add_column("audit_head", sa.Column("seal", sa.String(), nullable=False, server_default=""))
    keyring: Any = context.config.attributes["keyring"]()
    bind = op.get_bind()
    heads = {row.organization_id: row for row in bind.execute(sa.select(_HEADS)).all()}
    for (organization,) in bind.execute(sa.select(_ORGANIZATIONS.c.id)).all():
        held = heads.get(organization)
        number, hash_ = (held.number, held.hash) if held else (0, "")
        if held is None:
            op.bulk_insert(_HEADS, [{"organization_id": organization, "number": 0, "hash": "", "seal": ""}])
        seal = keyring.sign(f"head {organization} {number} {hash_}")
        bind.execute(sa.update(_HEADS).where(_HEADS.c.organization_id == organization).values(seal=seal))
    op.bulk_insert(_FACTS, [{"name": "audit_key", "value": keyring.current}])


def downgrade() -> None:
    """Forget the seals."""
    op.get_bind().execute(sa.delete(_FACTS).where(_FACTS.c.name == "audit_key"))
    op.drop_column("audit_head", "seal")

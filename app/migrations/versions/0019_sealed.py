"""Keys of sites and share links and answers to retried writes are stored encrypted, with a secret that is not
in the database any more.

A share link is found by a keyed hash of its key. Secrets of integrations were encrypted already; where the
secret in the database is not the one that is used from now on, they are encrypted anew.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import context, op

from app.kit.database import columns
from app.kit.installation_secret import mark
from app.kit.signing import Signer

revision = "0019"
down_revision = "0018"

_FACTS = sa.table("fact", sa.column("name", columns.Key), sa.column("value", sa.String()))
_SITES = sa.table("site", sa.column("id", columns.Key), sa.column("visitor_key", sa.String()))
_LINKS = sa.table(
    "site_share_link",
    sa.column("id", columns.Key),
    sa.column("key", sa.String()),
    sa.column("key_hash", columns.Key),
)
_REPLAYS = sa.table("replay", sa.column("key", columns.Key), sa.column("body", columns.Bytes))
_INTEGRATIONS = sa.table("integration", sa.column("id", columns.Key), sa.column("secrets", sa.String()))


def upgrade() -> None:
    """Encrypt what is there, and leave only the mark of the secret."""
    bind = op.get_bind()
    held = bind.execute(sa.select(_FACTS.c.value).where(_FACTS.c.name == "secret")).scalar()
    secret: str = context.config.attributes["secret"](held)
    signer, before = Signer(secret.encode()), Signer((held or secret).encode())
    op.add_column("site_share_link", sa.Column("key_hash", columns.Key, nullable=False, server_default=""))
    for row in bind.execute(sa.select(_LINKS.c.id, _LINKS.c.key)).all():
        sealed = signer.seal("share link key", row.key, row.id)
        values = {"key": sealed, "key_hash": signer.fingerprint("share link key", row.key)}
        bind.execute(sa.update(_LINKS).where(_LINKS.c.id == row.id).values(values))
    _encrypt(bind, _SITES, "visitor_key", lambda row: signer.seal("visitor key", row.visitor_key, row.id))
    _encrypt(bind, _REPLAYS, "body", lambda row: signer.seal_bytes("replay", bytes(row.body), row.key))

    def again(row: Any) -> str:
        opened = before.unseal("integration secrets", row.secrets)
        return row.secrets if opened is None else signer.seal("integration secrets", opened)

    if held not in (None, secret):
        _encrypt(bind, _INTEGRATIONS, "secrets", again)
    bind.execute(sa.delete(_FACTS).where(_FACTS.c.name == "secret"))
    op.bulk_insert(_FACTS, [{"name": "secret_mark", "value": mark(secret)}])


def _encrypt(bind: Any, table: Any, name: str, value: Any) -> None:
    key = next(iter(table.c))
    for (found,) in bind.execute(sa.select(key)).all():  # one at a time: answers may be large
        row = bind.execute(sa.select(table).where(key == found)).one()
        bind.execute(sa.update(table).where(key == found).values({name: value(row)}))


def downgrade() -> None:
    """Give the keys back as they were, and the secret to the database."""
    bind = op.get_bind()
    secret: str = context.config.attributes["secret"](None)
    signer = Signer(secret.encode())
    _encrypt(bind, _LINKS, "key", lambda row: signer.unseal("share link key", row.key, row.id))
    _encrypt(bind, _SITES, "visitor_key", lambda row: signer.unseal("visitor key", row.visitor_key, row.id))
    _encrypt(bind, _REPLAYS, "body", lambda row: signer.unseal_bytes("replay", bytes(row.body), row.key))
    op.drop_column("site_share_link", "key_hash")
    bind.execute(sa.delete(_FACTS).where(_FACTS.c.name == "secret_mark"))
    op.bulk_insert(_FACTS, [{"name": "secret", "value": secret}])

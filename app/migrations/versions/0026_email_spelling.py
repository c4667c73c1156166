"""E-mail addresses have one spelling: a domain in another script is kept as DNS has it.

What would become an address that somebody else has stays as it is.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns
from app.kit.http.urls import canonical_email

revision = "0026"
down_revision = "0025"

_USERS, _INVITES = (
    sa.table(name, sa.column("id", columns.Key), sa.column("email", columns.Key), *more)
    for name, more in (("user_account", []), ("invite", [sa.column("organization_id", columns.Key)]))
)


def upgrade() -> None:
    bind = op.get_bind()
    taken = {email for (email,) in bind.execute(sa.select(_USERS.c.email))}
    for row in bind.execute(sa.select(_USERS)).all():
        email = canonical_email(row.email)
        if email not in taken:
            bind.execute(sa.update(_USERS).where(_USERS.c.id == row.id).values(email=email))
            taken.add(email)
    of_invites = bind.execute(sa.select(_INVITES).where(_INVITES.c.email.is_not(None))).all()
    invited = {(row.organization_id, row.email) for row in of_invites}
    for row in of_invites:
        email = canonical_email(row.email)
        if (row.organization_id, email) not in invited:
            bind.execute(sa.update(_INVITES).where(_INVITES.c.id == row.id).values(email=email))
            invited.add((row.organization_id, email))


def downgrade() -> None:
    """The spelling from before cannot be told."""

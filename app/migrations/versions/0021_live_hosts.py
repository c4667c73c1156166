"""Hosts of sites are claims too: a site is at a host of its own once the host is proven.

Hosts that sites are published at go on working for 14 days, since whoever has the DNS of a host leads it here
and taking all of them off at once would be an outage; by then the record must be there. Hosts of sites that
are not published are pending. What can be nobody's host is taken away.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.kit.database import columns
from app.kit.http.urls import canonical_host as canonical
from app.kit.ids import new_id

revision = "0021"
down_revision = "0020"

GRACE, FIRST_CHECK = timedelta(days=14), timedelta(hours=1)
STATED = ("hostname", "proxy")
_SITES = sa.table(
    "site",
    *(sa.column(name, columns.Key) for name in ("id", "organization_id", *STATED)),
    *(sa.column(f"live_{name}", columns.Key) for name in STATED),
    sa.column("published", sa.Boolean()),
)
_CLAIMS = sa.table(
    "domain_claim",
    *(sa.column(name, columns.Key) for name in ("id", "organization_id", "kind", "name", "status", "token")),
    *(sa.column(name, columns.Instant()) for name in ("created_at", "verified_at", "ends_at")),
)
_JOBS = sa.table(
    "job",
    *(sa.column(name, columns.Key) for name in ("id", "kind", "subject", "organization_id", "state")),
    sa.column("payload", sa.JSON()),
    sa.column("due_at", columns.Instant()),
    sa.column("attempts", sa.Integer()),
    sa.column("created_at", columns.Instant()),
)


def upgrade() -> None:
    op.add_column("domain_claim", sa.Column("leads_here", sa.Boolean(), nullable=True))
    with op.batch_alter_table("site") as batch:
        for name in STATED:
            batch.drop_constraint(op.f(f"uq_site_{name}"), type_="unique")
            batch.add_column(sa.Column(f"live_{name}", columns.Key, nullable=True))
            batch.create_unique_constraint(op.f(f"uq_site_live_{name}"), [f"live_{name}"])
    op.create_index(op.f("ix_site_hostname"), "site", ["hostname"])
    _claim()


def downgrade() -> None:
    op.drop_index(op.f("ix_site_hostname"), table_name="site")
    with op.batch_alter_table("site") as batch:
        for name in STATED:
            batch.drop_constraint(op.f(f"uq_site_live_{name}"), type_="unique")
            batch.drop_column(f"live_{name}")
            batch.create_unique_constraint(op.f(f"uq_site_{name}"), [name])
    op.execute("DELETE FROM domain_claim WHERE kind = 'hostname'")
    op.drop_column("domain_claim", "leads_here")


def _claim() -> None:
    """Make a claim of each host, and let those count that sites are published at."""
    bind, now = op.get_bind(), datetime.now(UTC)
    claims: dict[tuple[str, str], dict[str, Any]] = {}
    holders: dict[str, str] = {}
    for site in bind.execute(sa.select(_SITES).order_by(_SITES.c.published.desc(), _SITES.c.id)).all():
        values: dict[str, str | None] = {}
        for name in STATED:
            address = getattr(site, name)
            host = _host(address)
            values[name] = address if host else None
            if host is None:
                continue
            claim = claims.setdefault((site.organization_id, host), _pending(site.organization_id, host, now))
            if site.published and holders.setdefault(host, site.organization_id) == site.organization_id:
                claim.update(status="verified", verified_at=now, ends_at=now + GRACE)
            values[f"live_{name}"] = address if claim["status"] == "verified" else None
        bind.execute(sa.update(_SITES).where(_SITES.c.id == site.id).values(**values))
    op.bulk_insert(_CLAIMS, list(claims.values()))
    op.bulk_insert(_JOBS, [_check(claim, now) for claim in claims.values()])


def _host(address: str | None) -> str | None:
    try:
        return canonical(address.partition("/")[0]) if address else None
    except ValueError:
        return None


def _pending(organization_id: str, host: str, now: datetime) -> dict[str, Any]:
    return {
        "id": new_id(),
        "organization_id": organization_id,
        "kind": "hostname",
        "name": host,
        "status": "pending",
        "token": secrets.token_urlsafe(24),
        "created_at": now,
        "verified_at": None,
        "ends_at": None,
    }


def _check(claim: dict[str, Any], now: datetime) -> dict[str, Any]:
    return {
        "id": new_id(),
        "kind": "check_domain",
        "subject": claim["id"],
        "organization_id": claim["organization_id"],
        "state": "scheduled",
        "payload": {},
        "due_at": now + FIRST_CHECK,
        "attempts": 0,
        "created_at": now,
    }

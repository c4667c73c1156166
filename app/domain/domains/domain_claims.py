"""Claims of organizations to domains of e-mail addresses and to hosts of sites.

Before a claim is verified it has no effect at all: it lets nobody in, shows nothing and keeps nobody else
from claiming the same. How it is proven is in `domain_checks`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, delete, literal_column, select

from app.access.context import Context
from app.domain.jobs import jobs
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, query, table
from app.kit.http.urls import domain_of
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.domain_claims import DomainClaim, DomainKind, DomainRecord

_d = table(DomainClaim)
CHECK = "check_domain"  # the job that looks up a claim's record
FIRST_CHECK = timedelta(minutes=10)
RECORD_LABEL = "_docyard"
RECORD_VALUE = "docyard-verification="
# Written out, since an index of the proven claims serves only who asks for them in so many words.
PROVEN = _d.c.status == literal_column("'verified'")
_here = _d.c.organization_id == given("organization")


_OF_KIND = query(DomainClaim, lambda: select(*_d.c).where(_here, _d.c.kind == given("kind")))
_FORGET = command(lambda: delete(_d).where(among(_d.c.id, "claims")))


def verified_domains(organization: ColumnElement[Any]) -> Any:
    """Return the e-mail domains that an organization has proven, as a nested column for `is_verified`."""
    proven = select(_d.c.name).where(_d.c.organization_id == organization, _d.c.kind == "email", PROVEN)
    return nested(proven.correlate(organization.table), "verified_domains")


def is_verified(found: Any, address: str) -> bool:
    """Tell whether an e-mail address is of a domain that the organization of a row has proven."""
    return any(row.name == domain_of(address) for row in found.verified_domains)


def record_of(claim: DomainClaim) -> DomainRecord:
    """Return the DNS record that proves a claim."""
    return DomainRecord(type="TXT", name=f"{RECORD_LABEL}.{claim.name}", value=f"{RECORD_VALUE}{claim.token}")


def sites_host(settings: Settings) -> str:
    """Return the host that hosts of sites lead to, by an alias or by its addresses."""
    return urlsplit(settings.sites_base).hostname or ""


async def claims_of(cx: Context, organization_id: str, kind: DomainKind) -> list[DomainClaim]:
    """Return the claims of an organization of one kind."""
    return await cx.db.all(_OF_KIND, organization=organization_id, kind=kind)


async def claim_only(cx: Context, organization_id: str, kind: DomainKind, names: Iterable[str]) -> None:
    """Make these names, in their one spelling, the organization's claims of a kind, and no others.

    A claim that there is already stays as it stands.
    """
    wanted, known = set(names), await claims_of(cx, organization_id, kind)
    await forget(cx, [claim for claim in known if claim.name not in wanted])
    new = wanted - {claim.name for claim in known}
    added = [_new(cx, organization_id, kind, name) for name in sorted(new)]
    await cx.tx.add_many(DomainClaim, added)
    for claim in added:
        await jobs.enqueue(cx, CHECK, claim["id"], organization_id, due_at=cx.now + FIRST_CHECK)


async def forget(cx: Context, claims: Iterable[DomainClaim]) -> None:
    """Delete claims, and with them what was proven."""
    if gone := [claim.id for claim in claims]:
        await cx.tx.run(_FORGET, claims=gone)
    for claim in gone:
        await jobs.cancel(cx, CHECK, claim)


def _new(cx: Context, organization_id: str, kind: DomainKind, name: str) -> dict[str, Any]:
    return {
        "id": new_id(),
        "organization_id": organization_id,
        "kind": kind,
        "name": name,
        "status": "pending",
        "token": secrets.token_urlsafe(24),
        "created_at": cx.now,
    }

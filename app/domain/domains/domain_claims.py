"""Claims of organizations to domains of e-mail addresses and to hosts of sites.

Before a claim is verified it has no effect at all: it lets nobody in, shows nothing and keeps nobody else
from claiming the same. How it is proven is in `domain_checks`.

Hosts and directories that sites state as their own, and those of them that count.

An address counts where the organization has proven its host. The others are shown to whoever administrates
the site, and have no effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, delete, literal_column, or_, select

from app.access.context import Context
from app.domain import jobs
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import SITES
from app.kit.database.sql import among, nested
from app.kit.database.statements import command, given, query, table
from app.kit.http.urls import domain_of
from app.kit.ids import new_id
from app.kit.settings import Settings
from app.models.domain_claims import DomainClaim, DomainKind, DomainRecord
from app.models.sites import Site

DOMAIN_CLAIMS = table(DomainClaim)
CHECK = "check_domain"  # the job that looks up a claim's record
FIRST_CHECK = timedelta(minutes=10)
RECORD_LABEL = "_docyard"
RECORD_VALUE = "docyard-verification="
# Written out, since an index of the proven claims serves only who asks for them in so many words.
PROVEN = DOMAIN_CLAIMS.c.status == literal_column("'verified'")
_here = DOMAIN_CLAIMS.c.organization_id == given("organization")


_OF_KIND = query(
    DomainClaim, lambda: select(*DOMAIN_CLAIMS.c).where(_here, DOMAIN_CLAIMS.c.kind == given("kind"))
)
_FORGET = command(lambda: delete(DOMAIN_CLAIMS).where(among(DOMAIN_CLAIMS.c.id, "claims")))


def verified_domains(organization: ColumnElement[Any]) -> Any:
    """Return the e-mail domains that an organization has proven, as a nested column for `is_verified`."""
    proven = select(DOMAIN_CLAIMS.c.name).where(
        DOMAIN_CLAIMS.c.organization_id == organization, DOMAIN_CLAIMS.c.kind == "email", PROVEN
    )
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


_STATED = query(
    Site,
    lambda: (
        select(*SITES.c)
        .where(
            SITES.c.organization_id == given("organization"),
            or_(SITES.c.hostname.is_not(None), SITES.c.proxy.is_not(None)),
        )
        .order_by(SITES.c.id)
    ),
)


def host_of(address: str | None) -> str | None:
    """Return the host of a hostname or of a directory of a domain."""
    return address.partition("/")[0] if address else None


async def restate(cx: Context, organization_id: str) -> None:
    """Claim the hosts that an organization's sites state now and no others, and let the proven ones count."""
    stated = await cx.db.all(_STATED, organization=organization_id)
    hosts = {host for site in stated for host in map(host_of, (site.hostname, site.proxy)) if host}
    await claim_only(cx, organization_id, "hostname", hosts)
    await show(cx, organization_id)


async def show(cx: Context, organization_id: str) -> None:
    """Let exactly those of an organization's stated addresses count whose host is proven."""
    claims = await claims_of(cx, organization_id, "hostname")
    proven = {claim.name for claim in claims if claim.status == "verified"}
    for site in await cx.db.all(_STATED, organization=organization_id):
        live = [address if host_of(address) in proven else None for address in (site.hostname, site.proxy)]
        if live != [site.live_hostname, site.live_proxy]:
            await cx.tx.put(Site, {"live_hostname": live[0], "live_proxy": live[1]}, id=site.id)
            await publication.refresh_site(cx, site.id)


async def give_up(cx: Context, organization_id: str, host: str) -> None:
    """Take a host from all sites of an organization that state it, or a directory of it."""
    for site in await cx.db.all(_STATED, organization=organization_id):
        stated = {"hostname": site.hostname, "proxy": site.proxy}
        given_up = [name for name, address in stated.items() if host_of(address) == host]
        if given_up:
            empty = {column: None for name in given_up for column in (name, f"live_{name}")}
            await cx.tx.put(Site, {**empty, "updated_at": cx.now}, id=site.id)
            await publication.refresh_site(cx, site.id)
    await restate(cx, organization_id)

"""Hosts of sites by their names: read with what DNS said, looked up again, taken from their sites.

Several organizations may state the same host; each sees its own claim. Who administrates the site may see and
change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select

from app.access.context import Context
from app.access.fetch import permit, seeing_inside, visible
from app.domain.domains import domain_checks, domain_claims
from app.domain.domains.domain_checks import DnsRecords
from app.domain.site_addresses.site_rows import SITES, whole_site
from app.kit.database.columns import Key
from app.kit.database.sql import nested
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import NotFound
from app.kit.http.urls import canonical_host
from app.models.domain_claims import DomainClaim
from app.models.sites import Site

DOMAIN_CLAIMS = table(DomainClaim)
MOST = 100  # sites that state one host, of those that one person sees


@dataclass(frozen=True, slots=True)
class CustomHostname:
    """A host, the site that states it, and the claim to it."""

    site: Any
    claim: Any


def _stating() -> Select[Any]:
    claim = select(*DOMAIN_CLAIMS.c).where(
        DOMAIN_CLAIMS.c.organization_id == SITES.c.organization_id,
        DOMAIN_CLAIMS.c.kind == "hostname",
        DOMAIN_CLAIMS.c.name == SITES.c.hostname,
    )
    return (
        whole_site(nested(claim.correlate(SITES), "claims"))
        .where(SITES.c.hostname == given("hostname", Key), visible(Site, inside=Site))
        .order_by(SITES.c.live_hostname.is_(None), SITES.c.id)
        .limit(MOST)
    )


_STATING = rows(_stating)
_CLAIM = query(DomainClaim, lambda: select(*DOMAIN_CLAIMS.c).where(DOMAIN_CLAIMS.c.id == given("id")))


async def get(cx: Context, hostname: str) -> CustomHostname:
    """Get a host of a site's own: whether it is proven, the records to publish, what DNS said of them."""
    return await _found(cx, hostname)


async def look_up(cx: Context, hostname: str) -> DnsRecords:
    """Ask DNS for the records of a host."""
    return await domain_checks.records_of(cx, (await _found(cx, hostname)).claim)


async def recheck(cx: Context, hostname: str, found: DnsRecords) -> None:
    """Look up the DNS records of a host again. The site is served as soon as they verify the host."""
    claim = await cx.tx.first(_CLAIM, id=(await _found(cx, hostname)).claim.id)
    if claim is None:
        raise NotFound("There is no such hostname.")
    await domain_checks.apply_records(cx, claim, found)


async def remove(cx: Context, hostname: str) -> None:
    """Remove a host from its site and from the sites in its directories. They are no longer served at it."""
    known = await _found(cx, hostname)
    await domain_claims.give_up(cx, known.site.organization_id, known.claim.name)


async def _found(cx: Context, hostname: str) -> CustomHostname:
    try:
        name = canonical_host(hostname)
    except ValueError:
        raise NotFound("There is no such hostname.") from None
    found = await cx.db.all(_STATING, hostname=name, **seeing_inside(cx))
    if not found:
        raise NotFound("There is no such hostname.")
    permit(cx, Site, found[0], can="admin")
    return CustomHostname(found[0], found[0].claims[0])

"""Hosts and directories that sites state as their own, and those of them that count.

An address counts where the organization has proven its host. The others are shown to whoever administrates
the site, and have no effect.
"""

from __future__ import annotations

from sqlalchemy import or_, select

from app.access.context import Context
from app.domain.domains import domain_claims
from app.domain.site_addresses import publication
from app.domain.site_addresses.site_rows import t_
from app.kit.database.statements import given, query
from app.models.sites import Site

_STATED = query(
    Site,
    lambda: (
        select(*t_.c)
        .where(
            t_.c.organization_id == given("organization"),
            or_(t_.c.hostname.is_not(None), t_.c.proxy.is_not(None)),
        )
        .order_by(t_.c.id)
    ),
)


def host_of(address: str | None) -> str | None:
    """Return the host of a hostname or of a directory of a domain."""
    return address.partition("/")[0] if address else None


async def restate(cx: Context, organization_id: str) -> None:
    """Claim the hosts that an organization's sites state now and no others, and let the proven ones count."""
    stated = await cx.db.all(_STATED, organization=organization_id)
    hosts = {host for site in stated for host in map(host_of, (site.hostname, site.proxy)) if host}
    await domain_claims.claim_only(cx, organization_id, "hostname", hosts)
    await show(cx, organization_id)


async def show(cx: Context, organization_id: str) -> None:
    """Let exactly those of an organization's stated addresses count whose host is proven."""
    claims = await domain_claims.claims_of(cx, organization_id, "hostname")
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

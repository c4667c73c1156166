"""The domains and hosts of an organization, as administrators list, verify and give them up."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, or_, select

from app.access.context import Context
from app.access.fetch import permit_in
from app.domain.domains import domain_checks, site_hosts
from app.domain.domains.domain_checks import DnsRecords
from app.domain.organizations import organizations
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.statements import given, query, table
from app.kit.errors import NotFound
from app.models.domain_claims import DomainClaim, DomainsQuery, DomainVerify

_d = table(DomainClaim)
_here = _d.c.organization_id == given("organization")


def _of_organization() -> Select[Any]:
    kind, status = given("kind", Key), given("status", Key)
    return select(*_d.c).where(
        _here, or_(kind == "", _d.c.kind == kind), or_(status == "", _d.c.status == status)
    )


_LIST = Listing("domains of an organization", DomainClaim, _of_organization, order=lambda: [_d.c.id])
_ONE = query(DomainClaim, lambda: select(*_d.c).where(_here, _d.c.id == given("id")))


async def list_in_organization(cx: Context, organization_id: str, query: DomainsQuery) -> Page[DomainClaim]:
    """List the e-mail domains and hosts that an organization claims, oldest first."""
    permit_in(cx, organization_id, can="admin")
    kind, status = query.kind or "", query.status or ""
    return await _LIST.page(
        cx.db, query.paging, cx.tokens, organization=organization_id, kind=kind, status=status
    )


async def get(cx: Context, organization_id: str, domain_id: str) -> DomainClaim:
    """Get a claim to a domain, with the record that proves it."""
    permit_in(cx, organization_id, can="admin")
    claim = await cx.db.first(_ONE, organization=organization_id, id=domain_id)
    if claim is None:
        raise NotFound("There is no such domain.")
    cx.note("domain", claim.id, organization_id, claim.name)
    return claim


async def look_up(cx: Context, organization_id: str, domain_id: str, how: DomainVerify) -> DnsRecords:
    """Ask DNS for the record of a claim, unless a token is to prove it."""
    claim = await get(cx, organization_id, domain_id)
    return DnsRecords(()) if how.token else await domain_checks.records_of(cx, claim)


async def verify(
    cx: Context, organization_id: str, domain_id: str, how: DomainVerify, found: DnsRecords
) -> DomainClaim:
    """Verify a domain now: by its DNS record, or with the token that was mailed to somebody there.

    The answer tells how the claim stands then; `problem` says what is missing. Raises Invalid for a token
    that does not count, and Conflict where another organization holds the domain.
    """
    claim = await get(cx, organization_id, domain_id)
    if how.token:
        return await domain_checks.prove_by_mail(cx, claim, how.token)
    return await domain_checks.apply_records(cx, claim, found)


async def remove(cx: Context, organization_id: str, domain_id: str) -> None:
    """Give a domain or host up; what it had an effect on ends at once. Sites state the host no more.

    Raises Conflict where nobody could administrate the organization any more.
    """
    claim = await get(cx, organization_id, domain_id)
    if claim.kind == "hostname":
        await site_hosts.give_up(cx, organization_id, claim.name)
    else:
        await organizations.give_up_domain(cx, claim)

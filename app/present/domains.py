"""Domains and hosts of an organization as its administrators see them."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.domains import domain_claims
from app.domain.sites.custom_hostnames import CustomHostname
from app.models.domain_claims import CustomHostnameOut, DomainClaim, DomainOut
from app.present import links
from app.present.shape import shows


@shows(DomainOut)
def domain(cx: Context, row: DomainClaim) -> dict[str, Any]:
    """A claim, with the record that proves it."""
    out: dict[str, Any] = {
        "object": "domain",
        "id": row.id,
        "organization": row.organization_id,
        "kind": row.kind,
        "name": row.name,
        "status": row.status,
        "record": record(row),
        "createdAt": row.created_at,
        "urls": links.domain(cx, row),
    }
    optional = {
        "method": row.method,
        "problem": row.problem,
        "checkedAt": row.checked_at,
        "verifiedAt": row.verified_at if row.status == "verified" else None,
        "endsAt": row.ends_at,
    }
    return out | {name: value for name, value in optional.items() if value is not None}


@shows(CustomHostnameOut)
def custom_hostname(cx: Context, found: CustomHostname) -> dict[str, Any]:
    """A host of a site's own, with the record that proves it and the one that leads it here."""
    claim, site = found.claim, found.site
    leading = {"type": "CNAME", "name": claim.name, "value": domain_claims.sites_host(cx.settings)}
    out: dict[str, Any] = {
        "object": "custom-hostname",
        "hostname": claim.name,
        "target": {"type": "site", "organization": site.organization_id, "site": site.id},
        "isActive": bool(site.live_hostname and site.published),
        "status": claim.status,
        "records": [record(claim), leading],
        "urls": links.custom_hostname(cx, claim.name),
    }
    optional = {
        "leadsHere": claim.leads_here,
        "problem": claim.problem,
        "checkedAt": claim.checked_at,
        "endsAt": claim.ends_at,
    }
    return out | {name: value for name, value in optional.items() if value is not None}


def record(row: DomainClaim) -> dict[str, Any]:
    """The record that proves a claim."""
    return domain_claims.record_of(row).model_dump()

"""Organizations as callers see them (specification, Organization), what they claim and what they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.access.context import Context
from app.access.fetch import permissions_of
from app.domain.domains import domain_claims
from app.domain.organizations import organization_deletion
from app.models.domain_claims import CustomHostnameOut, DomainClaim, DomainOut
from app.models.organizations import Organization, OrganizationOut, OrganizationsOut, SubdomainOut
from app.models.quotas import QuotasOut
from app.models.service import ServiceOut
from app.present import links
from app.present.shape import Presenter, presenter, shows

if TYPE_CHECKING:  # organizations are shown with much that knows none of these
    from app.domain.infrastructure.service import ServiceInformation
    from app.domain.organizations.quotas import Quota, Quotas
    from app.domain.sites.custom_hostnames import CustomHostname

organization: Presenter[Context, Organization] = presenter(
    OrganizationOut,
    urls=links.organization,
    trial=lambda _cx, _row: {"status": "notapplicable"},
    restorable_until=lambda cx, row: organization_deletion.restorable_until(cx.settings, row),
    permissions=permissions_of(Organization),
)


@shows(OrganizationsOut)
def organizations(cx: Context, rows: Sequence[Organization]) -> dict[str, Any]:
    """Return organizations that are not cut into pages."""
    return {"organizations": [organization(cx, row) for row in rows]}


@shows(SubdomainOut)
def subdomain(_cx: Context, row: Organization) -> dict[str, Any]:
    """Return the subdomain of an organization; one that is there is active."""
    return {
        "object": "subdomain",
        "subdomain": row.hostname,
        "target": {"type": "organization", "organization": row.id},
        "isActive": True,
    }


def _record(row: DomainClaim) -> dict[str, Any]:
    """Return the DNS record that proves a claim."""
    return domain_claims.record_of(row).model_dump()


domain: Presenter[Context, DomainClaim] = presenter(
    DomainOut,
    record=lambda _cx, row: _record(row),
    urls=links.domain,
    verified_at=lambda _cx, row: row.verified_at if row.status == "verified" else None,
)


def _target(_cx: Context, found: CustomHostname) -> dict[str, Any]:
    return {"type": "site", "organization": found.site.organization_id, "site": found.site.id}


def _records(cx: Context, found: CustomHostname) -> list[dict[str, Any]]:
    """Return the DNS record that proves a host, and the one that leads it here."""
    leading = {"type": "CNAME", "name": found.claim.name, "value": domain_claims.sites_host(cx.settings)}
    return [_record(found.claim), leading]


custom_hostname: Presenter[Context, CustomHostname] = presenter(
    CustomHostnameOut,
    of="claim",
    target=_target,
    is_active=lambda _cx, found: bool(found.site.live_hostname and found.site.published),
    records=_records,
    urls=lambda cx, found: links.custom_hostname(cx, found.claim.name),
)


@shows(QuotasOut)
def quotas(cx: Context, found: Quotas) -> dict[str, Any]:
    """Return all quotas of an organization."""
    return {
        "object": "quotas",
        "organization": found.organization_id,
        **{name: _quota(quota) for name, quota in found.by_name.items()},
        "urls": links.quotas(cx, found.organization_id),
    }


def _quota(quota: Quota) -> dict[str, Any]:
    optional = {"limit": quota.limit or None, "window": quota.window, "resetAt": quota.reset_at}
    return {"used": quota.used} | {name: value for name, value in optional.items() if value is not None}


service: Presenter[Context, ServiceInformation] = presenter(ServiceOut)

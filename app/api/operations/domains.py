"""Operations on domains and hosts that organizations claim."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, remove
from app.domain.organizations import domains
from app.models.domain_claims import DomainsQuery, DomainVerify
from app.present.organizations import domain

D = "/orgs/{organizationId}/domains"

OPERATIONS = family(
    "Domains and hostnames",
    listing(
        "listDomainsInOrganization",
        D,
        domains.list_in_organization,
        query=DomainsQuery,
        show=domain,
        field="Organization.domains",
        permission="organization:admin",
    ),
    get(
        "getDomainById",
        f"{D}/{{domainId}}",
        domains.get,
        show=domain,
        field="Organization.domain",
        permission="organization:admin",
    ),
    post(
        "verifyDomain",
        f"{D}/{{domainId}}/verify",
        domains.verify,
        body=DomainVerify,
        show=domain,
        prepare=domains.look_up,
        field="verifyDomain",
        permission="organization:admin",
    ),
    remove(
        "removeDomain",
        f"{D}/{{domainId}}",
        domains.remove,
        field="removeDomain",
        permission="organization:admin",
    ),
)

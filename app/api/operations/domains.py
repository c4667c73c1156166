"""REST rows of domains and hosts that organizations claim."""

from __future__ import annotations

from app.api.operation import family, get, listing, post, remove
from app.domain import domains
from app.models.domain_claims import DomainsQuery, DomainVerify
from app.present.domains import domain

D = "/orgs/{organizationId}/domains"

OPERATIONS = family(
    "Domains and hostnames",
    listing("listDomainsInOrganization", D, domains.list_in_organization, query=DomainsQuery, show=domain),
    get("getDomainById", f"{D}/{{domainId}}", domains.get, show=domain),
    post(
        "verifyDomain",
        f"{D}/{{domainId}}/verify",
        domains.verify,
        body=DomainVerify,
        show=domain,
        prepare=domains.look_up,
    ),
    remove("removeDomain", f"{D}/{{domainId}}", domains.remove),
)

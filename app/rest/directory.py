"""REST rows of finding organizations."""

from __future__ import annotations

from app.domain.people import directory
from app.present.organizations import organizations, subdomain
from app.rest.operation import family, get

OPERATIONS = family(
    "Organizations and invites",
    get(
        "getOrganizationsForEmailDomain",
        "/email-domains/{emailDomain}/orgs",
        directory.organizations_of_domain,
        show=organizations,
    ),
    get("getSubdomain", "/subdomains/{subdomain}", directory.subdomain, show=subdomain),
)

"""Operations on finding organizations."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.organizations.organizations import organizations_of_domain
from app.domain.organizations.organizations import subdomain as organization_of_subdomain
from app.present.organizations import organizations, subdomain

OPERATIONS = family(
    "Organizations and invites",
    get(
        "getOrganizationsForEmailDomain",
        "/email-domains/{emailDomain}/orgs",
        organizations_of_domain,
        show=organizations,
        field="organizationsForEmailDomain",
        permission="anybody",
    ),
    get(
        "getSubdomain",
        "/subdomains/{subdomain}",
        organization_of_subdomain,
        show=subdomain,
        field="subdomain",
        permission="anybody",
    ),
)

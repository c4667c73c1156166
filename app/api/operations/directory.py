"""Operations on finding organizations."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.organizations import directory
from app.present.organizations import organizations, subdomain

OPERATIONS = family(
    "Organizations and invites",
    get(
        "getOrganizationsForEmailDomain",
        "/email-domains/{emailDomain}/orgs",
        directory.organizations_of_domain,
        show=organizations,
        field="organizationsForEmailDomain",
        permission="anybody",
    ),
    get(
        "getSubdomain",
        "/subdomains/{subdomain}",
        directory.subdomain,
        show=subdomain,
        field="subdomain",
        permission="anybody",
    ),
)

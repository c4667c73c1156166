"""Operations on organizations."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post
from app.domain.organizations import organizations
from app.models.organizations import OrganizationCreate, OrganizationUpdate
from app.present.organizations import organization, subdomain
from app.present.organizations import organizations as show_organizations

OPERATIONS = family(
    "Organizations and invites",
    listing(
        "listOrganizationsForAuthenticatedUser",
        "/orgs",
        organizations.list_mine,
        show=organization,
        field="User.organizations",
        permission="anybody",
    ),
    post(
        "createOrganization",
        "/orgs",
        organizations.create,
        body=OrganizationCreate,
        show=organization,
        status=201,
        field="createOrganization",
        permission="anybody",
    ),
    get(
        "getOrganizationById",
        "/orgs/{organizationId}",
        organizations.get,
        show=organization,
        field="Query.organization",
        permission="organization:view",
        scope="always",
    ),
    patch(
        "updateOrganizationById",
        "/orgs/{organizationId}",
        organizations.update,
        body=OrganizationUpdate,
        show=organization,
        field="updateOrganization",
        permission="organization:admin",
    ),
    get(
        "getOrganizationsForEmailDomain",
        "/email-domains/{emailDomain}/orgs",
        organizations.organizations_of_domain,
        show=show_organizations,
        field="Query.organizationsForEmailDomain",
        permission="anybody",
    ),
    get(
        "getSubdomain",
        "/subdomains/{subdomain}",
        organizations.subdomain,
        show=subdomain,
        field="Query.subdomain",
        permission="anybody",
    ),
)

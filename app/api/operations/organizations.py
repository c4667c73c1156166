"""Operations on organizations."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post
from app.domain.organizations import organizations
from app.models.organizations import OrganizationCreate, OrganizationUpdate
from app.present.organizations import organization

OPERATIONS = family(
    "Organizations and invites",
    listing(
        "listOrganizationsForAuthenticatedUser",
        "/orgs",
        organizations.list_mine,
        show=organization,
        field="organizations",
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
        field="organization",
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
)

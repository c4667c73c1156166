"""Operations on change requests."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post
from app.domain.change_requests import change_requests
from app.models.change_requests import (
    ChangeRequestCreate,
    ChangeRequestQuery,
    ChangeRequestUpdate,
    OrganizationChangeRequestQuery,
)
from app.present.change_requests import change_request

R = "/spaces/{spaceId}/change-requests"

OPERATIONS = family(
    "Change requests",
    listing(
        "listChangeRequestsForSpace",
        R,
        change_requests.list_in_space,
        query=ChangeRequestQuery,
        show=change_request,
        field="Space.changeRequests",
        permission="space:view",
        scope="space:content:read",
    ),
    post(
        "createChangeRequest",
        R,
        change_requests.create,
        body=ChangeRequestCreate,
        show=change_request,
        status=201,
        field="createChangeRequest",
        permission="space:edit",
        scope="space:content:write",
    ),
    get(
        "getChangeRequestById",
        f"{R}/{{changeRequestId}}",
        change_requests.get,
        show=change_request,
        field="Space.changeRequest",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    patch(
        "updateChangeRequestById",
        f"{R}/{{changeRequestId}}",
        change_requests.update,
        body=ChangeRequestUpdate,
        show=change_request,
        field="updateChangeRequest",
        permission="space:review",
        scope="space:content:write",
        where=True,
    ),
    listing(
        "listChangeRequestsForOrganization",
        "/orgs/{organizationId}/change-requests",
        change_requests.list_in_organization,
        query=OrganizationChangeRequestQuery,
        show=change_request,
        field="Organization.changeRequests",
        permission="organization:view",
    ),
)

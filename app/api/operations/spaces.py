"""Operations on spaces."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.spaces import spaces
from app.models.collections import Move, SpaceTransfer
from app.models.queries import ShareKeyQuery
from app.models.spaces import SpaceCreate, SpaceUpdate
from app.present.spaces import space

OPERATIONS = family(
    "Spaces",
    get(
        "getSpaceById",
        "/spaces/{spaceId}",
        spaces.get,
        query=ShareKeyQuery,
        show=space,
        field="Query.space",
        permission="space:view",
        scope="space:metadata:read",
    ),
    remove(
        "deleteSpaceById",
        "/spaces/{spaceId}",
        spaces.delete,
        field="deleteSpace",
        permission="space:delete",
    ),
    patch(
        "updateSpaceById",
        "/spaces/{spaceId}",
        spaces.update,
        body=SpaceUpdate,
        show=space,
        field="updateSpace",
        permission="space:admin",
        scope="space:metadata:write",
    ),
    post(
        "duplicateSpace",
        "/spaces/{spaceId}/duplicate",
        spaces.duplicate,
        show=space,
        status=201,
        field="duplicateSpace",
        permission="space:access+organization:createContent",
    ),
    post(
        "restoreSpace",
        "/spaces/{spaceId}/restore",
        spaces.restore,
        show=space,
        field="restoreSpace",
        permission="space:restore",
    ),
    post(
        "moveSpace",
        "/spaces/{spaceId}/move",
        spaces.move,
        body=Move,
        show=space,
        field="moveSpace",
        permission="space:access+organization:createContent+named collection:create",
    ),
    post(
        "transferSpace",
        "/spaces/{spaceId}/transfer",
        spaces.transfer,
        body=SpaceTransfer,
        show=space,
        field="transferSpace",
        permission="space:admin",
    ),
    listing(
        "listSpacesInOrganizationById",
        "/orgs/{organizationId}/spaces",
        spaces.list_in_organization,
        show=space,
        field="Organization.spaces",
        permission="organization:view",
        scope="space:metadata:read",
    ),
    post(
        "createSpace",
        "/orgs/{organizationId}/spaces",
        spaces.create,
        body=SpaceCreate,
        show=space,
        status=201,
        field="createSpace",
        permission="organization:createContent",
    ),
)

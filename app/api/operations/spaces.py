"""REST rows of spaces."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.spaces import spaces
from app.models.positions import Move, SpaceTransfer
from app.models.queries import ShareKeyQuery
from app.models.spaces import SpaceCreate, SpaceUpdate
from app.present.spaces import space

OPERATIONS = family(
    "Spaces",
    get("getSpaceById", "/spaces/{spaceId}", spaces.get, query=ShareKeyQuery, show=space),
    remove("deleteSpaceById", "/spaces/{spaceId}", spaces.delete),
    patch("updateSpaceById", "/spaces/{spaceId}", spaces.update, body=SpaceUpdate, show=space),
    post("duplicateSpace", "/spaces/{spaceId}/duplicate", spaces.duplicate, show=space, status=201),
    post("restoreSpace", "/spaces/{spaceId}/restore", spaces.restore, show=space),
    post("moveSpace", "/spaces/{spaceId}/move", spaces.move, body=Move, show=space),
    post("transferSpace", "/spaces/{spaceId}/transfer", spaces.transfer, body=SpaceTransfer, show=space),
    listing(
        "listSpacesInOrganizationById",
        "/orgs/{organizationId}/spaces",
        spaces.list_in_organization,
        show=space,
    ),
    post(
        "createSpace",
        "/orgs/{organizationId}/spaces",
        spaces.create,
        body=SpaceCreate,
        show=space,
        status=201,
    ),
)

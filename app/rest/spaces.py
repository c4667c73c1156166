"""REST rows of spaces."""

from __future__ import annotations

from app.domain import spaces
from app.models.queries import ShareKeyQuery
from app.models.spaces import SpaceCreate, SpaceUpdate
from app.present.spaces import space
from app.rest.operation import get, patch, post

OPERATIONS = [
    get("getSpaceById", "/spaces/{spaceId}", spaces.get, query=ShareKeyQuery, show=space),
    patch("updateSpaceById", "/spaces/{spaceId}", spaces.update, body=SpaceUpdate, show=space),
    post(
        "createSpace",
        "/orgs/{organizationId}/spaces",
        spaces.create,
        body=SpaceCreate,
        show=space,
        status=201,
    ),
]

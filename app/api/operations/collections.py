"""REST rows of collections."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.spaces import children, collections, spaces
from app.models.collections import CollectionCreate, CollectionsQuery, CollectionUpdate
from app.models.positions import Move, Transfer
from app.present.collections import child, collection
from app.present.spaces import space

OPERATIONS = family(
    "Collections",
    get("getCollectionById", "/collections/{collectionId}", collections.get, show=collection),
    remove("deleteCollectionById", "/collections/{collectionId}", collections.delete),
    patch(
        "updateCollectionById",
        "/collections/{collectionId}",
        collections.update,
        body=CollectionUpdate,
        show=collection,
    ),
    listing(
        "listSpacesInCollectionById",
        "/collections/{collectionId}/spaces",
        spaces.list_in_collection,
        show=space,
    ),
    listing(
        "listChildrenInCollectionById",
        "/collections/{collectionId}/children",
        children.list_in_collection,
        show=child,
    ),
    listing(
        "listChildrenInOrganizationById",
        "/orgs/{organizationId}/children",
        children.list_in_organization,
        show=child,
    ),
    post(
        "moveCollection",
        "/collections/{collectionId}/move",
        collections.move,
        body=Move,
        show=collection,
    ),
    post(
        "transferCollection",
        "/collections/{collectionId}/transfer",
        collections.transfer,
        body=Transfer,
        show=collection,
    ),
    listing(
        "listCollectionsInOrganizationById",
        "/orgs/{organizationId}/collections",
        collections.list_in_organization,
        query=CollectionsQuery,
        show=collection,
    ),
    post(
        "createCollection",
        "/orgs/{organizationId}/collections",
        collections.create,
        body=CollectionCreate,
        show=collection,
        status=201,
    ),
)

"""Operations on collections."""

from __future__ import annotations

from app.api.operation import family, get, listing, patch, post, remove
from app.domain.spaces import children, collections, spaces
from app.models.collections import CollectionCreate, CollectionsQuery, CollectionUpdate, Move, Transfer
from app.present.spaces import child, collection, space

OPERATIONS = family(
    "Collections",
    get(
        "getCollectionById",
        "/collections/{collectionId}",
        collections.get,
        show=collection,
        field="Query.collection",
        permission="collection:view",
    ),
    remove(
        "deleteCollectionById",
        "/collections/{collectionId}",
        collections.delete,
        field="deleteCollection",
        permission="collection:delete",
    ),
    patch(
        "updateCollectionById",
        "/collections/{collectionId}",
        collections.update,
        body=CollectionUpdate,
        show=collection,
        field="updateCollection",
        permission="collection:admin",
    ),
    listing(
        "listSpacesInCollectionById",
        "/collections/{collectionId}/spaces",
        spaces.list_in_collection,
        show=space,
        field="Collection.spaces",
        permission="collection:view",
    ),
    listing(
        "listChildrenInCollectionById",
        "/collections/{collectionId}/children",
        children.list_in_collection,
        show=child,
        field="Collection.children",
        permission="collection:view",
    ),
    listing(
        "listChildrenInOrganizationById",
        "/orgs/{organizationId}/children",
        children.list_in_organization,
        show=child,
        field="Organization.children",
        permission="organization:view",
    ),
    post(
        "moveCollection",
        "/collections/{collectionId}/move",
        collections.move,
        body=Move,
        show=collection,
        field="moveCollection",
        permission="collection:view+organization:createContent",
    ),
    post(
        "transferCollection",
        "/collections/{collectionId}/transfer",
        collections.transfer,
        body=Transfer,
        show=collection,
        field="transferCollection",
        permission="collection:admin",
    ),
    listing(
        "listCollectionsInOrganizationById",
        "/orgs/{organizationId}/collections",
        collections.list_in_organization,
        query=CollectionsQuery,
        show=collection,
        field="Organization.collections",
        permission="organization:view",
    ),
    post(
        "createCollection",
        "/orgs/{organizationId}/collections",
        collections.create,
        body=CollectionCreate,
        show=collection,
        status=201,
        field="createCollection",
        permission="named collection:create",
    ),
)

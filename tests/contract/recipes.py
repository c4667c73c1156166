"""For every operation, a call that its administrator may make: what must exist is made, then the input.

A recipe is asked for its input anew for every write, so that each call finds an untouched object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.domain.organizations import organizations
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_accounts import ACCOUNTS
from tests.contract.recipes_audit import AUDIT
from tests.contract.recipes_comments import COMMENTS
from tests.contract.recipes_content import CONTENT, filled_space, space
from tests.contract.recipes_domains import DOMAINS
from tests.contract.recipes_git import GIT
from tests.contract.recipes_imports import IMPORTS
from tests.contract.recipes_integrations import INTEGRATIONS
from tests.contract.recipes_jobs import JOBS
from tests.contract.recipes_merges import MERGES
from tests.contract.recipes_oauth import OAUTH
from tests.contract.recipes_openapi import OPENAPI
from tests.contract.recipes_people import PEOPLE
from tests.contract.recipes_publishing import PUBLISHING
from tests.contract.recipes_sites import SITES
from tests.contract.recipes_sso import SSO
from tests.contract.recipes_teams import TEAMS

Recipe = Callable[[Cast], Call]


def collection(cast: Cast, **fields: Any) -> str:
    """A collection."""
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {"title": "Library", **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _nothing(cast: Cast) -> Call:
    return Call()


def _in_organization(cast: Cast) -> Call:
    return Call({"organizationId": cast.organization})


def _create_organization(cast: Cast) -> Call:
    return Call(body={"title": "Difference Engines", "emailDomains": ["example.org"]})


def _update_organization(cast: Cast) -> Call:
    change = {"title": "Engines Ltd", "emailDomains": ["example.org"], "defaultRole": "comment", "logo": None}
    return Call({"organizationId": cast.organization}, body=change)


def _search_organization(cast: Cast) -> Call:
    filled_space(cast)
    return Call({"organizationId": cast.organization}, {"query": "install"})


def _collection(cast: Cast) -> Call:
    return Call({"collectionId": collection(cast)})


def _update_collection(cast: Cast) -> Call:
    body = {"title": "Archive", "description": "What was", "defaultLevel": None}
    return Call({"collectionId": collection(cast)}, body=body)


def _spaces_in_collection(cast: Cast) -> Call:
    shelf = collection(cast)
    for title in ("One", "Two"):
        space(cast, parent=shelf, title=title)
    return Call({"collectionId": shelf})


def _children_of_collection(cast: Cast) -> Call:
    call = _spaces_in_collection(cast)
    collection(cast, parent=call.path["collectionId"])
    return call


def _children_of_organization(cast: Cast) -> Call:
    space(cast)
    collection(cast)
    return _in_organization(cast)


def _move_collection(cast: Cast) -> Call:
    shelf, neighbour_ = collection(cast), collection(cast)
    body = {"parent": None, "position": {"after": {"type": "collection", "collection": neighbour_}}}
    return Call({"collectionId": shelf}, body=body)


def _transfer_collection(cast: Cast) -> Call:
    belong_elsewhere(cast)
    return Call({"collectionId": collection(cast)}, body={"organization": cast.elsewhere})


def _list_collections(cast: Cast) -> Call:
    collection(cast, parent=collection(cast))
    return Call({"organizationId": cast.organization}, {"nested": True})


def _create_collection(cast: Cast) -> Call:
    body = {"title": "Shelf", "parent": collection(cast)}
    return Call({"organizationId": cast.organization}, body=body)


def _get_space(cast: Cast) -> Call:
    return Call({"spaceId": filled_space(cast)}, {"shareKey": "a-key"})


def _space(cast: Cast) -> Call:
    return Call({"spaceId": space(cast)})


def _update_space(cast: Cast) -> Call:
    body = {"title": "Guide", "emoji": None, "editMode": "locked", "defaultLevel": "comment"}
    return Call({"spaceId": space(cast)}, body=body)


def _duplicate_space(cast: Cast) -> Call:
    return Call({"spaceId": filled_space(cast)})


def _restore_space(cast: Cast) -> Call:
    deleted = space(cast)
    assert cast.ada.delete(f"/v1/spaces/{deleted}").status_code == 205
    return Call({"spaceId": deleted})


def _move_space(cast: Cast) -> Call:
    shelf = collection(cast)
    first = space(cast, parent=shelf)
    body = {"parent": shelf, "position": {"before": {"type": "space", "space": first}}}
    return Call({"spaceId": space(cast)}, body=body)


def _transfer_space(cast: Cast) -> Call:
    belong_elsewhere(cast)
    return Call({"spaceId": space(cast)}, body={"organization": cast.elsewhere})


def _list_spaces(cast: Cast) -> Call:
    for title in ("One", "Two"):
        space(cast, title=title)
    return Call({"organizationId": cast.organization})


def _delete_organization(cast: Cast) -> Call:
    organization = cast.ada.get(f"/v1/orgs/{cast.organization}").json()
    CLOSED.add(cast.organization)
    return Call({"organizationId": cast.organization}, body={"title": organization["title"]})


def _restore_organization(cast: Cast) -> Call:
    call = _delete_organization(cast)
    deleted = cast.ada.post(f"/v1/orgs/{cast.organization}/delete", call.body)
    assert deleted.status_code == 200, deleted.text
    return Call(call.path)


CLOSED: set[str] = set()
"""Organizations that are deleted, or will be by the call that was made last."""


def in_an_open_organization(recipe: Recipe) -> Recipe:
    """Return a recipe that first restores the organization where another recipe, or its call, deleted it."""

    def made(cast: Cast) -> Call:
        if cast.organization in CLOSED:
            CLOSED.discard(cast.organization)
            restored = cast.ada.post(f"/v1/orgs/{cast.organization}/restore")
            assert restored.status_code in (200, 409), restored.text
        return recipe(cast)

    return made


def _create_space(cast: Cast) -> Call:
    body = {"title": "Guide", "emoji": "1f4d6", "language": "pt-br", "editMode": "live"}
    return Call({"organizationId": cast.organization}, body=body)


def belong_elsewhere(cast: Cast) -> None:
    """Let Ada administrate the other organization too, if she does not yet."""
    if cast.ada.get(f"/v1/orgs/{cast.elsewhere}").status_code == 404:
        ada = cast.ada.id
        cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, ada, "admin"))


_RECIPES: dict[str, Recipe] = {
    "getServiceInformation": _nothing,
    "getAuthenticatedUser": _nothing,
    "listOrganizationsForAuthenticatedUser": _nothing,
    "createOrganization": _create_organization,
    "getOrganizationById": _in_organization,
    "updateOrganizationById": _update_organization,
    "deleteOrganizationById": _delete_organization,
    "restoreOrganization": _restore_organization,
    "searchOrganizationContent": _search_organization,
    "getCollectionById": _collection,
    "deleteCollectionById": _collection,
    "updateCollectionById": _update_collection,
    "listSpacesInCollectionById": _spaces_in_collection,
    "listChildrenInCollectionById": _children_of_collection,
    "listChildrenInOrganizationById": _children_of_organization,
    "moveCollection": _move_collection,
    "transferCollection": _transfer_collection,
    "listCollectionsInOrganizationById": _list_collections,
    "createCollection": _create_collection,
    "getSpaceById": _get_space,
    "deleteSpaceById": _space,
    "updateSpaceById": _update_space,
    "duplicateSpace": _duplicate_space,
    "restoreSpace": _restore_space,
    "moveSpace": _move_space,
    "transferSpace": _transfer_space,
    "listSpacesInOrganizationById": _list_spaces,
    "createSpace": _create_space,
    **MERGES,
    **CONTENT,
    **COMMENTS,
    **GIT,
    **SITES,
    **PUBLISHING,
    **IMPORTS,
    **INTEGRATIONS,
    **AUDIT,
    **ACCOUNTS,
    **PEOPLE,
    **TEAMS,
    **SSO,
    **DOMAINS,
    **JOBS,
    **OAUTH,
    **OPENAPI,
}
RECIPES = {name: in_an_open_organization(recipe) for name, recipe in _RECIPES.items()}

"""Spaces through GraphQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests import filled, make, places
from tests.cast import Cast, Person
from tests.places import collection, spaces_in

QUERY = """query ($id: ID!) { space(id: $id) {
    object id title emoji visibility createdAt updatedAt deletedAt editMode organization parent
    language revision defaultLevel comments changeRequests changeRequestsOpen changeRequestsDraft
    urls { location app icon }
    permissions { view access admin viewInviteLinks edit triggerGitSync comment merge review
        delete restore installIntegration } } }"""
CREATE = """mutation ($in: ID!, $new: SpaceCreateInput!) { createSpace(organization: $in, new: $new) {
    id title emoji parent editMode language defaultLevel } }"""
UPDATE = """mutation ($id: ID!, $change: SpaceUpdateInput!) { updateSpace(id: $id, change: $change) {
    title emoji editMode defaultLevel urls { icon } } }"""
MOVE = "mutation ($id: ID!, $to: MoveInput!) { moveSpace(id: $id, to: $to) { parent } }"
TRANSFER = (
    "mutation ($id: ID!, $to: SpaceTransferInput!) { transferSpace(id: $id, to: $to) { organization } }"
)
DELETE = "mutation ($id: ID!) { deleteSpace(id: $id) }"
RESTORE = "mutation ($id: ID!) { restoreSpace(id: $id) { id deletedAt } }"
DUPLICATE = "mutation ($id: ID!) { duplicateSpace(id: $id) { id title } }"


def code(person: Person, query: str, **variables: Any) -> str:
    """The code of the only error; nothing was answered beside it."""
    answer = person.gql(query, **variables)
    assert set(answer["data"].values()) == {None}
    found: str = answer["errors"][0]["extensions"]["code"]
    return found


def test_a_space_reads_as_it_does_over_rest(cast: Cast) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    made = make.space(cast.ada, cast.organization, parent=folder, emoji="1f4d6", language="pt-br")
    shown = cast.ria.ask(QUERY, id=made["id"])["space"]
    rest = cast.ria.get(f"/v1/spaces/{made['id']}").json()
    enums = {
        "visibility": "IN_COLLECTION",
        "editMode": "LIVE",
        "defaultLevel": "INHERIT",
        "language": "PT_BR",
    }
    assert shown == {**rest, **enums, "deletedAt": None, "urls": {**rest["urls"], "icon": None}}
    assert code(cast.sol, QUERY, id=made["id"]) == "NOT_FOUND"


def test_a_space_is_created_with_its_defaults(cast: Cast) -> None:
    made = cast.cleo.ask(CREATE, **{"in": cast.organization}, new={})["createSpace"]
    made.pop("id")
    assert made == {
        "title": "Untitled space",
        "emoji": None,
        "parent": None,
        "editMode": "LIVE",
        "language": None,
        "defaultLevel": "INHERIT",
    }
    assert code(cast.ria, CREATE, **{"in": cast.organization}, new={}) == "FORBIDDEN"
    assert code(cast.ada, CREATE, **{"in": cast.organization}, new={"title": "x" * 51}) == "BAD_REQUEST"


def test_absent_and_null_differ_in_a_change(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")["id"]
    renamed = cast.ed.ask(UPDATE, id=space, change={"title": "Guide"})["updateSpace"]
    assert (renamed["title"], renamed["emoji"]) == ("Guide", "1f4d6")
    assert cast.ed.ask(UPDATE, id=space, change={"emoji": None})["updateSpace"]["emoji"] is None
    closed = cast.ada.ask(UPDATE, id=space, change={"editMode": "LOCKED", "defaultLevel": None})[
        "updateSpace"
    ]
    assert (closed["editMode"], closed["defaultLevel"]) == ("LOCKED", None)
    assert code(cast.ed, UPDATE, id=space, change={"title": "Mine"}) == "NOT_FOUND"
    assert code(cast.ada, UPDATE, id=space, change={"title": None}) == "BAD_REQUEST"


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_space_moves_beside_a_sibling(cast: Cast, side: str) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    ids = [make.space(cast.ada, cast.organization, title=t, parent=folder)["id"] for t in "AB"]
    loose = make.space(cast.ada, cast.organization, title="X")["id"]
    beside = {side: {"type": "SPACE", "space": ids[0]}}
    assert code(cast.ada, MOVE, id=loose, to={"position": beside}) == "CONFLICT"
    assert code(cast.ria, MOVE, id=loose, to={"parent": folder}) == "FORBIDDEN"
    moved = cast.cleo.ask(MOVE, id=loose, to={"parent": folder, "position": beside})["moveSpace"]
    assert moved == {"parent": folder}
    assert spaces_in(cast.ria, folder) == list("XAB" if side == "before" else "AXB")


def test_a_space_is_handed_over(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    assert code(cast.ada, TRANSFER, id=space, to={"organization": cast.elsewhere}) == "BAD_REQUEST"
    places.joins(cast, cast.ada, cast.elsewhere, "admin")
    handed_over = cast.ada.ask(TRANSFER, id=space, to={"organization": cast.elsewhere})["transferSpace"]
    assert handed_over == {"organization": cast.elsewhere}
    assert code(cast.ada, TRANSFER, id=space, to={"organization": cast.elsewhere}) == "CONFLICT"


def test_a_space_is_deleted_and_restored(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    assert code(cast.cleo, DELETE, id=space) == "FORBIDDEN"
    assert cast.ada.ask(DELETE, id=space) == {"deleteSpace": True}
    assert cast.ada.ask(QUERY, id=space)["space"]["deletedAt"]
    assert code(cast.ada, DUPLICATE, id=space) == "CONFLICT"
    assert cast.ada.ask(RESTORE, id=space)["restoreSpace"] == {"id": space, "deletedAt": None}
    assert code(cast.ada, RESTORE, id=space) == "CONFLICT"


def test_a_space_is_duplicated_with_its_content(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    filled.fill(cast.house, space, space)
    copy = cast.cleo.ask(DUPLICATE, id=space)["duplicateSpace"]
    assert copy["title"] == "Handbook (copy)"
    assert filled.held(cast.house, copy["id"]) == filled.held(cast.house, space)
    assert code(cast.ria, DUPLICATE, id=space) == "FORBIDDEN"


def test_each_mutation_of_a_document_is_its_own_transaction(cast: Cast) -> None:
    both = """mutation ($id: ID!) {
        deleteSpace(id: $id) again: deleteSpace(id: $id) restoreSpace(id: $id) { id } }"""
    space = make.space(cast.ada, cast.organization)["id"]
    answer = cast.ada.gql(both, id=space)
    assert answer["data"] == {"deleteSpace": True, "again": None, "restoreSpace": {"id": space}}
    assert [error["path"] for error in answer["errors"]] == [["again"]]

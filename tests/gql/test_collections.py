"""Collections through GraphQL."""

from __future__ import annotations

from typing import Any

from tests import make, places
from tests.cast import Cast, Person
from tests.places import collection, spaces_in

QUERY = """query ($id: ID!, $first: Int! = 50, $after: String) { collection(id: $id) {
    object id title description organization parent defaultLevel urls { location app }
    permissions { view create edit delete admin viewInviteLinks }
    spaces(first: $first, after: $after) { totalCount nodes { title } pageInfo { endCursor } } } }"""
CREATE = """mutation ($in: ID!, $new: CollectionCreateInput!) {
    createCollection(organization: $in, new: $new) { id title parent defaultLevel } }"""
UPDATE = """mutation ($id: ID!, $change: CollectionUpdateInput!) {
    updateCollection(id: $id, change: $change) { title description defaultLevel } }"""
MOVE = "mutation ($id: ID!, $to: MoveInput!) { moveCollection(id: $id, to: $to) { parent } }"
TRANSFER = """mutation ($id: ID!, $to: TransferInput!) {
    transferCollection(id: $id, to: $to) { organization parent } }"""
DELETE = "mutation ($id: ID!) { deleteCollection(id: $id) }"


def code(person: Person, query: str, **variables: Any) -> str:
    """The code of the only error; nothing was answered beside it."""
    answer = person.gql(query, **variables)
    assert set(answer["data"].values()) == {None}
    found: str = answer["errors"][0]["extensions"]["code"]
    return found


def test_a_collection_reads_as_it_does_over_rest(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization, title="Guides")
    shown = cast.ria.ask(QUERY, id=made["id"])["collection"]
    shown.pop("spaces")
    rest = cast.ria.get(f"/v1/collections/{made['id']}").json()
    assert shown == {**rest, "description": None, "parent": None, "defaultLevel": "INHERIT"}
    assert code(cast.sol, QUERY, id=made["id"]) == "NOT_FOUND"


def test_the_spaces_of_a_collection_come_in_pages(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    for title in "BAC":
        make.space(cast.ada, cast.organization, title=title, parent=made)
    first = cast.ria.ask(QUERY, id=made, first=2)["collection"]["spaces"]
    assert (first["totalCount"], first["nodes"]) == (3, [{"title": "B"}, {"title": "A"}])
    after = first["pageInfo"]["endCursor"]
    assert cast.ria.ask(QUERY, id=made, after=after)["collection"]["spaces"]["nodes"] == [{"title": "C"}]


def test_a_collection_is_created_and_changed(cast: Cast) -> None:
    outer = cast.cleo.ask(CREATE, **{"in": cast.organization}, new={"title": "Outer"})["createCollection"]
    assert (outer["title"], outer["parent"], outer["defaultLevel"]) == ("Outer", None, "INHERIT")
    inner = cast.cleo.ask(CREATE, **{"in": cast.organization}, new={"parent": outer["id"]})
    assert inner["createCollection"]["parent"] == outer["id"]
    change = {"description": "How to", "defaultLevel": None}
    changed = cast.ada.ask(UPDATE, id=outer["id"], change=change)["updateCollection"]
    assert changed == {"title": "Outer", "description": "How to", "defaultLevel": None}
    changed = cast.ada.ask(UPDATE, id=outer["id"], change={"description": None, "defaultLevel": "EDIT"})
    assert changed["updateCollection"] == {"title": "Outer", "description": None, "defaultLevel": "EDIT"}
    assert code(cast.ria, CREATE, **{"in": cast.organization}, new={}) == "FORBIDDEN"
    assert code(cast.cleo, UPDATE, id=outer["id"], change={"title": "x"}) == "FORBIDDEN"
    assert code(cast.ada, UPDATE, id=outer["id"], change={"title": "x" * 51}) == "BAD_REQUEST"


def test_a_collection_moves_beside_a_sibling(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=outer)["id"]
    beside = {"before": {"type": "SPACE", "space": space}}
    moved = cast.cleo.ask(MOVE, id=inner, to={"parent": outer, "position": beside})["moveCollection"]
    assert moved == {"parent": outer}
    assert cast.cleo.ask(MOVE, id=inner, to={"parent": None})["moveCollection"] == {"parent": None}
    assert code(cast.ada, MOVE, id=outer, to={"parent": outer}) == "CONFLICT"
    assert code(cast.ada, MOVE, id=inner, to={"position": beside}) == "CONFLICT"
    assert code(cast.ada, MOVE, id=inner, to={"position": {}}) == "BAD_REQUEST"
    assert code(cast.ada, MOVE, id=inner, to={"parent": "nowhere"}) == "BAD_REQUEST"
    assert code(cast.ria, MOVE, id=inner, to={"parent": outer}) == "FORBIDDEN"


def test_a_collection_is_handed_over(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    to = {"organization": cast.elsewhere}
    assert code(cast.ada, TRANSFER, id=made, to=to) == "BAD_REQUEST"
    places.joins(cast, cast.ada, cast.elsewhere, "read")
    assert code(cast.ada, TRANSFER, id=made, to=to) == "FORBIDDEN"
    places.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    assert code(cast.ada, TRANSFER, id=made, to=to) == "PRECONDITION_FAILED"
    places.joins(cast, cast.sol, cast.organization, "admin")
    target = collection(cast.sol, cast.elsewhere)["id"]
    handed_over = cast.sol.ask(TRANSFER, id=made, to={**to, "collection": target})["transferCollection"]
    assert handed_over == {"organization": cast.elsewhere, "parent": target}


def test_a_deleted_collection_leaves_what_it_held(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization, parent=outer)["id"]
    make.space(cast.ada, cast.organization, parent=inner)
    assert code(cast.cleo, DELETE, id=inner) == "FORBIDDEN"
    assert cast.ada.ask(DELETE, id=inner) == {"deleteCollection": True}
    assert code(cast.ada, DELETE, id=inner) == "NOT_FOUND"
    assert spaces_in(cast.ria, outer) == ["Handbook"]

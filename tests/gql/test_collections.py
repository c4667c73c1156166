"""Collections through GraphQL."""

from __future__ import annotations

from tests import make
from tests.cast import Cast
from tests.factories import collections
from tests.factories.collections import collection, spaces_in

QUERY = """query ($id: ID!, $first: Int! = 50, $after: String) { collection(id: $id) {
    __typename restId title description organizationId parentId defaultLevel urls { location app }
    permissions { view create edit delete admin viewInviteLinks }
    spaces(first: $first, after: $after) { totalCount nodes { title } pageInfo { endCursor } } } }"""
WHOLE = "collection { restId title description defaultLevel parentId organizationId }"


def test_a_collection_reads_as_it_does_over_rest(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization, title="Guides")
    shown = cast.ria.ask(QUERY, id=made["id"])["collection"]
    shown.pop("spaces")
    rest = cast.ria.get(f"/v1/collections/{made['id']}").json()
    assert (shown.pop("__typename"), rest.pop("object")) == ("Collection", "collection")
    assert (shown.pop("restId"), shown.pop("organizationId")) == (rest.pop("id"), rest.pop("organization"))
    assert shown == {**rest, "description": None, "parentId": None, "defaultLevel": "INHERIT"}
    hidden = cast.sol.gql(QUERY, id=made["id"])
    assert hidden["data"] == {"collection": None}
    assert hidden["errors"][0]["extensions"]["code"] == "NOT_FOUND"


def test_the_spaces_of_a_collection_come_in_pages(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    for title in "BAC":
        make.space(cast.ada, cast.organization, title=title, parent=made)
    first = cast.ria.ask(QUERY, id=made, first=2)["collection"]["spaces"]
    assert (first["totalCount"], first["nodes"]) == (3, [{"title": "B"}, {"title": "A"}])
    after = first["pageInfo"]["endCursor"]
    assert cast.ria.ask(QUERY, id=made, after=after)["collection"]["spaces"]["nodes"] == [{"title": "C"}]


def test_a_collection_is_created_and_changed(cast: Cast) -> None:
    new = {"organization": cast.organization}
    outer = cast.cleo.mutate("createCollection", WHOLE, **new, title="Outer")["collection"]
    assert (outer["title"], outer["parentId"], outer["defaultLevel"]) == ("Outer", None, "INHERIT")
    given = {"collection": outer["restId"]}
    inner = cast.cleo.mutate("createCollection", WHOLE, **new, parent=outer["restId"])
    assert inner["collection"]["parentId"] == outer["restId"]
    change = {"description": "How to", "defaultLevel": None}
    changed = cast.ada.mutate("updateCollection", WHOLE, **given, **change)["collection"]
    assert changed == {**outer, "description": "How to", "defaultLevel": None}
    change = {"description": None, "defaultLevel": "EDIT"}
    changed = cast.ada.mutate("updateCollection", WHOLE, **given, **change)["collection"]
    assert changed == {**outer, "description": None, "defaultLevel": "EDIT"}
    assert cast.ria.refused("createCollection", **new) == "FORBIDDEN"
    assert cast.cleo.refused("updateCollection", **given, title="x") == "FORBIDDEN"
    assert cast.ada.refused("updateCollection", **given, title="x" * 51) == "BAD_REQUEST"


def test_a_collection_moves_beside_a_sibling(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=outer)["id"]
    beside = {"before": {"space": space}}
    shown = "collection { parentId }"
    moved = cast.cleo.mutate("moveCollection", shown, collection=inner, parent=outer, position=beside)
    assert moved == {"collection": {"parentId": outer}}
    moved = cast.cleo.mutate("moveCollection", shown, collection=inner, parent=None)
    assert moved == {"collection": {"parentId": None}}
    for person, moving, to, code in (
        (cast.ada, outer, {"parent": outer}, "CONFLICT"),
        (cast.ada, inner, {"position": beside}, "CONFLICT"),
        (cast.ada, inner, {"parent": "nowhere"}, "BAD_REQUEST"),
        (cast.ria, inner, {"parent": outer}, "FORBIDDEN"),
    ):
        assert person.refused("moveCollection", collection=moving, **to) == code, to
    asked = (
        "mutation ($input: MoveCollectionInput!) { moveCollection(input: $input) { userErrors { code } } }"
    )
    nowhere = cast.ada.gql(asked, input={"collection": inner, "position": {}})
    assert "PositionInput" in nowhere["errors"][0]["message"]


def test_a_collection_is_handed_over(cast: Cast) -> None:
    to = {
        "collectionId": collection(cast.ada, cast.organization)["id"],
        "organization": cast.elsewhere,
    }
    assert cast.ada.refused("transferCollection", **to) == "BAD_REQUEST"
    collections.joins(cast, cast.ada, cast.elsewhere, "read")
    assert cast.ada.refused("transferCollection", **to) == "FORBIDDEN"
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    assert cast.ada.refused("transferCollection", **to) == "PRECONDITION_FAILED"
    collections.joins(cast, cast.sol, cast.organization, "admin")
    target = collection(cast.sol, cast.elsewhere)["id"]
    shown = "collection { organization { restId } parent { restId } }"
    handed_over = cast.sol.mutate("transferCollection", shown, **to, collection=target)["collection"]
    assert handed_over == {"organization": {"restId": cast.elsewhere}, "parent": {"restId": target}}


def test_a_deleted_collection_leaves_what_it_held(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization, parent=outer)["id"]
    make.space(cast.ada, cast.organization, parent=inner)
    global_id = cast.ada.ask("query ($id: ID!) { collection(id: $id) { id } }", id=inner)["collection"]["id"]
    assert cast.cleo.refused("deleteCollection", collection=inner) == "FORBIDDEN"
    assert cast.ada.mutate("deleteCollection", "deletedId", collection=inner) == {"deletedId": global_id}
    assert cast.ada.refused("deleteCollection", collection=inner) == "NOT_FOUND"
    assert spaces_in(cast.ria, outer) == ["Handbook"]

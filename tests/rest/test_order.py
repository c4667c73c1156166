"""The order of spaces and collections: what moves set is what every list shows, on both faces."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.collections import after, before, titles

CHILDREN = """query($id: ID!, $after: String, $first: Int!) {
%s(id: $id) { children(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { __typename ... on Space { restId title } ... on Collection { restId title } } } } }"""


def place_of(cast: Cast, parent: str | None) -> str:
    """The path of a collection, or of the organization for its root."""
    return f"/v1/collections/{parent}" if parent else f"/v1/orgs/{cast.organization}"


def children(person: Person, place: str, **params: Any) -> list[str]:
    """The titles of the children of a place, by REST."""
    return titles(person, f"{place}/children", **params)


def made(cast: Cast, parent: str | None, names: str) -> dict[str, tuple[str, str]]:
    """A space for each capital and a collection for each small letter, in this order: their kinds and ids."""
    found = {}
    for name in names:
        kind = "space" if name.isupper() else "collection"
        body = {"title": name, **({"parent": parent} if parent else {})}
        answer = cast.ada.post(f"/v1/orgs/{cast.organization}/{kind}s", body)
        assert answer.status_code == 201, answer.text
        found[name] = (kind, answer.json()["id"])
    return found


def move(person: Person, moved: tuple[str, str], body: dict[str, Any]) -> None:
    kind, key = moved
    answer = person.post(f"/v1/{kind}s/{key}/move", body)
    assert answer.status_code == 200, answer.text


@pytest.fixture(params=["root", "collection"])
def parent(request: pytest.FixtureRequest, cast: Cast) -> str | None:
    """A place with nothing in it."""
    if request.param == "root":
        return None
    return str(collections.collection(cast.ada, cast.organization)["id"])


def test_spaces_and_collections_of_a_place_are_listed_together(cast: Cast, parent: str | None) -> None:
    found, place = made(cast, parent, "AbCd"), place_of(cast, parent)
    assert children(cast.ria, place) == list("AbCd")
    move(cast.cleo, found["d"], before(*found["A"]))
    move(cast.cleo, found["A"], after(*found["b"]))
    assert children(cast.ria, place) == list("dbAC")
    move(cast.cleo, found["b"], {})
    assert children(cast.ria, place) == list("dACb")
    items = grants.items(cast.ria, f"{place}/children")
    assert [item["object"] for item in items] == ["collection", "space", "space", "collection"]
    for item in items:
        assert item == cast.ria.get(f"/v1/{item['object']}s/{item['id']}").json()


def test_both_faces_list_children_alike_page_by_page(cast: Cast, parent: str | None) -> None:
    found, place = made(cast, parent, "AbCdE"), place_of(cast, parent)
    move(cast.cleo, found["E"], before(*found["b"]))
    query = CHILDREN % ("collection" if parent else "organization")
    shown: list[str] = []
    page: str | None = None
    while True:
        rest = cast.ria.get(
            f"{place}/children", params={"limit": 2, **({"page": page} if page else {})}
        ).json()
        variables = {"id": parent or cast.organization, "first": 2, "after": page}
        ((gql,),) = (node.values() for node in cast.ria.ask(query, **variables).values())
        assert gql["totalCount"] == rest["count"] == 5
        assert [node["restId"] for node in gql["nodes"]] == [item["id"] for item in rest["items"]]
        assert [node["__typename"].lower() for node in gql["nodes"]] == [i["object"] for i in rest["items"]]
        shown += [item["title"] for item in rest["items"]]
        if "next" not in rest:
            assert not gql["pageInfo"]["hasNextPage"]
            break
        page = gql["pageInfo"]["endCursor"]
    assert shown == list("AEbCd")


def test_the_lists_of_an_organization_follow_the_order(cast: Cast) -> None:
    found, base = made(cast, None, "AbCd"), f"/v1/orgs/{cast.organization}"
    made(cast, found["d"][1], "E")
    move(cast.cleo, found["C"], before(*found["A"]))
    move(cast.cleo, found["d"], before(*found["b"]))
    assert titles(cast.ria, f"{base}/collections") == ["d", "b"]
    assert titles(cast.ria, f"{base}/collections", nested="false") == ["d", "b"]
    spaces = titles(cast.ria, f"{base}/spaces")
    assert sorted(spaces) == list("ACE")
    assert [title for title in spaces if title != "E"] == ["C", "A"]
    first = cast.ria.get(f"{base}/spaces", params={"limit": 1}).json()
    assert titles(cast.ria, f"{base}/spaces", page=first["next"]["page"]) == spaces[1:]


def test_children_are_those_that_the_reader_sees(cast: Cast) -> None:
    outer = made(cast, None, "o")["o"][1]
    found, path = made(cast, outer, "AbC"), f"/v1/collections/{outer}"
    for name in "Ab":
        kind, key = found[name]
        collections.patched(cast.ada, f"/v1/{kind}s/{key}", {"defaultLevel": None})
    assert children(cast.ada, path) == list("AbC")
    assert children(cast.ria, path) == ["C"]
    grants.grant(cast.ada, f"/v1/collections/{found['b'][1]}", "read", users=[cast.ria])
    assert children(cast.ria, path) == ["b", "C"]
    assert cast.gus.get(f"{path}/children").status_code == 404
    assert children(cast.gus, f"/v1/orgs/{cast.organization}") == []
    assert cast.sol.get(f"/v1/orgs/{cast.organization}/children").status_code == 404
    assert cast.ada.delete(f"/v1/spaces/{found['C'][1]}").status_code == 205
    assert children(cast.ada, path) == list("Ab")


def test_order_holds_where_many_move_and_create_at_once(cast: Cast, parent: str | None) -> None:
    found, place = made(cast, parent, "ABcdEF"), place_of(cast, parent)
    moves = [("A", "F"), ("c", "E"), ("F", "B"), ("d", "A"), ("E", "c"), ("B", "d")] * 3

    def moved(pair: tuple[str, str]) -> int:
        kind, key = found[pair[0]]
        return cast.cleo.post(f"/v1/{kind}s/{key}/move", after(*found[pair[1]])).status_code

    def created(number: int) -> int:
        body = {"title": f"{number}", **({"parent": parent} if parent else {})}
        return cast.cleo.post(f"/v1/orgs/{cast.organization}/spaces", body).status_code

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(moved, pair) for pair in moves]
        running += [pool.submit(created, number) for number in range(6)]
        assert {each.result() for each in running} == {200, 201}
    whole = children(cast.ria, place)
    assert sorted(whole) == sorted([*"ABcdEF", *"012345"])
    pages: list[str] = []
    query: dict[str, Any] = {"limit": 5}
    while True:
        page = cast.ria.get(f"{place}/children", params=query).json()
        pages += [item["title"] for item in page["items"]]
        if "next" not in page:
            break
        query["page"] = page["next"]["page"]
    assert pages == whole
    move(cast.cleo, found["A"], before(*found["E"]))
    assert children(cast.ria, place).index("A") == children(cast.ria, place).index("E") - 1


def test_a_copy_and_what_is_new_come_last(cast: Cast, parent: str | None) -> None:
    found, place = made(cast, parent, "Ab"), place_of(cast, parent)
    assert cast.cleo.post(f"/v1/spaces/{found['A'][1]}/duplicate").status_code == 201
    make.space(cast.cleo, cast.organization, title="New", **({"parent": parent} if parent else {}))
    assert children(cast.ria, place) == ["A", "b", "A (copy)", "New"]

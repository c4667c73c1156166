"""Collections through REST."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.domain.spaces.collections import MOST_NESTED
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections
from tests.factories.collections import after, before, collection, spaces_in


def get(person: Person, id: str) -> dict[str, Any]:
    found: dict[str, Any] = person.get(f"/v1/collections/{id}").json()
    return found


def move(person: Person, id: str, body: dict[str, Any]) -> int:
    return person.post(f"/v1/collections/{id}/move", body).status_code


def transfer(person: Person, id: str, **body: Any) -> int:
    return person.post(f"/v1/collections/{id}/transfer", body).status_code


def test_a_new_collection_is_what_its_maker_said(cast: Cast) -> None:
    made = collection(cast.cleo, cast.organization, title="Guides")
    assert made["object"] == "collection"
    assert (made["title"], made["organization"]) == ("Guides", cast.organization)
    assert made["defaultLevel"] == "inherit"
    assert made["urls"]["location"].endswith(f"/v1/collections/{made['id']}")
    assert made["permissions"] == {
        "view": True,
        "create": True,
        "edit": True,
        "delete": True,
        "admin": False,
        "viewInviteLinks": False,
    }
    assert not {"parent", "description"} & made.keys()
    inner = collection(cast.cleo, cast.organization, parent=made["id"])
    assert get(cast.ria, inner["id"])["parent"] == made["id"]


def test_a_collection_needs_no_body_at_all(cast: Cast) -> None:
    answer = cast.cleo.call("POST", f"/v1/orgs/{cast.organization}/collections")
    assert answer.status_code == 201
    assert answer.json()["title"] == "Untitled collection"


@pytest.mark.parametrize("role", ["rhea", "ed", "tom", "ria", "gus"])
def test_only_creators_create_collections(cast: Cast, role: str) -> None:
    path = f"/v1/orgs/{cast.organization}/collections"
    assert getattr(cast, role).post(path, {"title": "Mine"}).status_code == 403
    assert collections.titles(cast.ada, path) == []


def test_a_stranger_and_a_guest_cannot_know_of_a_collection(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    for person in (cast.sol, cast.gus):
        assert person.get(f"/v1/collections/{made}").status_code == 404
        assert person.get(f"/v1/collections/{made}/spaces").status_code == 404
        assert person.patch(f"/v1/collections/{made}", {"title": "Mine"}).status_code == 404
        assert person.delete(f"/v1/collections/{made}").status_code == 404


def test_only_an_administrator_changes_somebody_elses_collection(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    path = f"/v1/collections/{made}"
    assert cast.cleo.patch(path, {"title": "Guides"}).status_code == 403
    changed = collections.patched(cast.ada, path, {"title": "Guides", "description": "How to"})
    assert (changed["title"], changed["description"]) == ("Guides", "How to")
    assert "description" not in collections.patched(cast.ada, path, {"description": None})
    assert get(cast.ria, made)["title"] == "Guides"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"title": "x" * 51}, "title"),
        ({"title": None}, "title"),
        ({"description": "x" * 101}, "description"),
        ({"defaultLevel": "owner"}, "defaultLevel"),
        ({"title": 7}, "title"),
    ],
)
def test_a_bad_change_names_its_field(cast: Cast, change: dict[str, Any], path: str) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    answer = cast.ada.patch(f"/v1/collections/{made}", change)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path


def test_the_collections_of_an_organization(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/collections"
    outer = collection(cast.ada, cast.organization, title="Outer")
    collection(cast.ada, cast.organization, title="Inner", parent=outer["id"])
    collection(cast.ada, cast.organization, title="Hidden", defaultLevel=None)
    assert collections.titles(cast.ada, path) == ["Outer", "Inner", "Hidden"]
    assert collections.titles(cast.ria, path) == ["Outer", "Inner"]
    assert collections.titles(cast.ria, path, nested="false") == ["Outer"]
    assert collections.titles(cast.gus, path) == []
    assert cast.sol.get(path).status_code == 404
    assert cast.ria.get(path, params={"nested": "maybe"}).status_code == 400
    first = cast.ada.get(path, params={"limit": 1, "nested": "false"}).json()
    assert first["count"] == 2
    assert collections.titles(cast.ada, path, nested="0", page=first["next"]["page"]) == ["Hidden"]
    assert cast.ada.get(path, params={"page": first["next"]["page"]}).status_code == 400


def test_the_spaces_of_a_collection_are_its_own_in_order(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization, parent=outer)["id"]
    for title in "BAC":
        make.space(cast.ada, cast.organization, title=title, parent=outer)
    make.space(cast.ada, cast.organization, title="Deep", parent=inner)
    assert spaces_in(cast.ria, outer) == ["B", "A", "C"]
    assert spaces_in(cast.ria, inner) == ["Deep"]
    path = f"/v1/collections/{outer}/spaces"
    first = cast.ria.get(path, params={"limit": 2}).json()
    assert first["count"] == 3
    assert collections.titles(cast.ria, path, limit=2, page=first["next"]["page"]) == ["C"]
    empty = collection(cast.ada, cast.organization)["id"]
    assert cast.ria.get(f"/v1/collections/{empty}/spaces").json() == {"count": 0, "items": []}


def test_a_list_leaves_out_the_spaces_that_a_member_may_not_see(cast: Cast) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    make.space(cast.ada, cast.organization, title="Open", parent=folder)
    hidden = make.space(cast.ada, cast.organization, title="Hidden", parent=folder)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{hidden}", {"defaultLevel": None})
    assert spaces_in(cast.ada, folder) == ["Open", "Hidden"]
    assert spaces_in(cast.cleo, folder) == ["Open"]
    collections.joins(cast, cast.cleo, cast.elsewhere, "admin")
    assert spaces_in(cast.cleo, folder) == ["Open"]
    theirs = collection(cast.cleo, cast.elsewhere, defaultLevel=None)["id"]
    make.space(cast.cleo, cast.elsewhere, title="Theirs", parent=theirs)
    assert spaces_in(cast.cleo, theirs) == ["Theirs"]


def test_a_collection_moves_with_all_it_holds(cast: Cast) -> None:
    left, right = (collection(cast.ada, cast.organization)["id"] for _ in range(2))
    inner = collection(cast.ada, cast.organization, parent=left)["id"]
    make.space(cast.ada, cast.organization, title="Held", parent=inner)
    moved = cast.cleo.post(f"/v1/collections/{inner}/move", {"parent": right})
    assert (moved.status_code, moved.json()["parent"]) == (200, right)
    assert spaces_in(cast.ria, inner) == ["Held"]
    assert "parent" not in cast.cleo.post(f"/v1/collections/{inner}/move", {"parent": None}).json()


def test_a_collection_cannot_move_into_itself(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    middle = collection(cast.ada, cast.organization, parent=outer)["id"]
    inner = collection(cast.ada, cast.organization, parent=middle)["id"]
    for target in (outer, middle, inner):
        assert move(cast.ada, outer, {"parent": target}) == 409
    assert "parent" not in get(cast.ada, outer)
    assert move(cast.ada, inner, {"parent": outer}) == 200
    assert move(cast.ada, middle, {"parent": inner}) == 200


def test_moving_a_collection_needs_the_right_to_create_at_both_ends(cast: Cast) -> None:
    open_ = collection(cast.ada, cast.organization, defaultLevel="create")["id"]
    closed = collection(cast.ada, cast.organization, defaultLevel="edit")["id"]
    inner = collection(cast.ada, cast.organization, parent=open_)["id"]
    assert move(cast.ria, inner, {"parent": closed}) == 403
    assert move(cast.ria, inner, {"parent": None}) == 403
    assert move(cast.ria, inner, {"parent": "nowhere"}) == 400
    assert move(cast.ria, inner, {}) == 200
    assert move(cast.gus, inner, {}) == 404


def test_a_collection_stands_beside_its_siblings_only(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization, parent=outer)["id"]
    other = collection(cast.ada, cast.organization)["id"]
    assert move(cast.ada, other, before("collection", inner)) == 409
    assert move(cast.ada, other, before("collection", other)) == 409
    assert move(cast.ada, other, {"position": {}}) == 400
    assert move(cast.ada, other, before("collection", outer)) == 200


def test_deleting_a_collection_leaves_what_it_held_in_its_place(cast: Cast) -> None:
    outer = collection(cast.ada, cast.organization)["id"]
    make.space(cast.ada, cast.organization, title="First", parent=outer)
    doomed = collection(cast.ada, cast.organization, parent=outer)["id"]
    held = [make.space(cast.ada, cast.organization, title=t, parent=doomed)["id"] for t in "AB"]
    inner = collection(cast.ada, cast.organization, parent=doomed)["id"]
    make.space(cast.ada, cast.organization, title="C", parent=doomed)
    make.space(cast.ada, cast.organization, title="Last", parent=outer)
    assert cast.cleo.delete(f"/v1/collections/{doomed}").status_code == 403
    deleted = cast.ada.delete(f"/v1/collections/{doomed}")
    assert (deleted.status_code, deleted.content) == (205, b"")
    assert cast.ada.get(f"/v1/collections/{doomed}").status_code == 404
    assert spaces_in(cast.ria, outer) == ["First", "A", "B", "C", "Last"]
    assert get(cast.ria, inner)["parent"] == outer
    move_in = cast.ada.post(f"/v1/spaces/{held[0]}/move", after("collection", inner))
    assert move_in.status_code == 200
    assert spaces_in(cast.ria, outer) == ["First", "B", "A", "C", "Last"]


def test_deleting_a_collection_at_the_root_frees_what_it_held(cast: Cast) -> None:
    doomed = collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=doomed)["id"]
    cast.ada.delete(f"/v1/collections/{doomed}")
    assert "parent" not in cast.ria.get(f"/v1/spaces/{space}").json()
    assert collections.titles(cast.ria, f"/v1/orgs/{cast.organization}/collections") == []


def test_a_collection_is_handed_over_with_all_it_holds(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    target = collection(cast.sol, cast.elsewhere)["id"]
    outer = collection(cast.ada, cast.organization)["id"]
    inner = collection(cast.ada, cast.organization, title="Inner", parent=outer)["id"]
    space = make.space(cast.ada, cast.organization, title="Deep", parent=inner)["id"]
    moved = cast.ada.post(
        f"/v1/collections/{outer}/transfer", {"organization": cast.elsewhere, "collection": target}
    )
    assert moved.status_code == 200
    assert (moved.json()["organization"], moved.json()["parent"]) == (cast.elsewhere, target)
    assert get(cast.sol, inner)["organization"] == cast.elsewhere
    assert cast.sol.get(f"/v1/spaces/{space}").json()["organization"] == cast.elsewhere
    assert collections.titles(cast.sol, f"/v1/orgs/{cast.elsewhere}/spaces") == ["Deep"]
    for path in (f"/v1/collections/{outer}", f"/v1/collections/{inner}", f"/v1/spaces/{space}"):
        assert cast.cleo.get(path).status_code == 404


def test_the_transfer_of_a_collection_is_refused_with_its_reason(cast: Cast) -> None:
    made = collection(cast.ada, cast.organization)["id"]
    assert transfer(cast.cleo, made, organization=cast.elsewhere) == 403
    assert transfer(cast.ada, made, organization=cast.elsewhere) == 400
    assert transfer(cast.ada, made, organization=cast.organization) == 409
    assert transfer(cast.ada, made, organization=None) == 400
    assert transfer(cast.ada, made, collection=made) == 400
    collections.joins(cast, cast.ada, cast.elsewhere, None)
    assert transfer(cast.ada, made, organization=cast.elsewhere) == 403
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    assert transfer(cast.ada, made, organization=cast.elsewhere) == 412
    assert get(cast.ada, made)["organization"] == cast.organization


def test_nobody_takes_along_what_was_kept_from_them(cast: Cast) -> None:
    collections.joins(cast, cast.ed, cast.elsewhere, "admin")
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    made = collection(cast.ada, cast.organization, defaultLevel="admin")["id"]
    secret = make.space(cast.ada, cast.organization, title="Secret", parent=made)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{secret}", {"defaultLevel": None})
    assert transfer(cast.ed, made, organization=cast.elsewhere) == 403
    assert cast.ed.get(f"/v1/spaces/{secret}").status_code == 404
    assert cast.ada.get(f"/v1/spaces/{secret}").json()["organization"] == cast.organization
    collections.patched(cast.ada, f"/v1/spaces/{secret}", {"defaultLevel": "inherit"})
    assert transfer(cast.ed, made, organization=cast.elsewhere) == 200
    assert cast.ed.get(f"/v1/spaces/{secret}").status_code == 200


def test_collections_are_nested_at_most_thirty_deep(cast: Cast) -> None:
    def nested(levels: int) -> list[str]:
        made: list[str] = []
        for _ in range(levels):
            above = {"parent": made[-1]} if made else {}
            made.append(collection(cast.ada, cast.organization, **above)["id"])
        return made

    def refused(answer: httpx.Response) -> bool:
        error = answer.json()["error"]
        return (answer.status_code, error["details"][0]["path"]) == (400, "parent")

    deep = nested(MOST_NESTED)
    assert refused(cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {"parent": deep[-1]}))
    (told,) = cast.ada.tried("createCollection", organization=cast.organization, parent=deep[-1])[
        "userErrors"
    ]
    assert "nested at most 30" in told["message"]
    space = make.space(cast.ada, cast.organization, parent=deep[-1])["id"]
    pair = nested(2)
    assert refused(cast.ada.post(f"/v1/collections/{pair[0]}/move", {"parent": deep[-2]}))
    assert cast.ada.post(f"/v1/collections/{pair[0]}/move", {"parent": deep[-3]}).status_code == 200
    assert refused(cast.ada.post(f"/v1/collections/{deep[1]}/move", {"parent": nested(2)[-1]}))
    assert cast.ada.post(f"/v1/collections/{deep[1]}/move", {"parent": None}).status_code == 200
    assert cast.ada.get(f"/v1/spaces/{space}").json()["parent"] == deep[-1]

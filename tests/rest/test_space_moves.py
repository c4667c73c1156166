"""Moving spaces inside an organization and handing them to another one, through REST."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from app.access.context import Context
from app.domain.spaces import sibling_order
from app.kit.database.statements import given, rows, table
from app.models.spaces import Space
from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, grants
from tests.factories.collections import after, before, spaces_in

SPACES = table(Space)
SYNC: dict[str, object] = {
    "url": "https://git.example.org/docs",
    "name": "docs",
    "provider": None,
    "updated_at": "2026-11-21T12:00:00+00:00",
    "synced": {},
}
RANKS = rows(lambda: select(SPACES.c.rank).where(SPACES.c.parent_id == given("parent")))


def row_of_spaces(cast: Cast, parent: str, names: str) -> dict[str, str]:
    """Spaces in a collection, one for each letter; their ids by title."""
    return {name: make.space(cast.ada, cast.organization, title=name, parent=parent)["id"] for name in names}


def move(person: Person, space: str, body: dict[str, Any]) -> int:
    return person.post(f"/v1/spaces/{space}/move", body).status_code


def test_a_space_moves_beside_its_siblings(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    ids = row_of_spaces(cast, folder, "ABCD")
    assert spaces_in(cast.ria, folder) == list("ABCD")
    assert move(cast.cleo, ids["D"], before("space", ids["A"])) == 200
    assert spaces_in(cast.ria, folder) == list("DABC")
    assert move(cast.cleo, ids["D"], after("space", ids["B"])) == 200
    assert spaces_in(cast.ria, folder) == list("ABDC")
    assert move(cast.cleo, ids["A"], before("space", ids["C"])) == 200
    assert spaces_in(cast.ria, folder) == list("BDAC")
    assert move(cast.cleo, ids["B"], {}) == 200
    assert spaces_in(cast.ria, folder) == list("DACB")


def test_collections_and_spaces_share_one_order(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    first = row_of_spaces(cast, folder, "A")
    inner = collections.collection(cast.ada, cast.organization, parent=folder)["id"]
    ids = first | row_of_spaces(cast, folder, "BC")
    assert move(cast.cleo, ids["C"], after("collection", inner)) == 200
    assert spaces_in(cast.ria, folder) == list("ACB")
    moved = cast.cleo.post(f"/v1/collections/{inner}/move", after("space", ids["C"]))
    assert moved.status_code == 200
    assert move(cast.cleo, ids["A"], before("collection", inner)) == 200
    assert spaces_in(cast.ria, folder) == list("CAB")


def test_a_space_moves_into_a_collection_and_back_to_the_root(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    ids = row_of_spaces(cast, folder, "AB")
    loose = make.space(cast.ada, cast.organization, title="X")["id"]
    moved = cast.cleo.post(f"/v1/spaces/{loose}/move", {"parent": folder, **before("space", ids["B"])}).json()
    assert (moved["parent"], moved["visibility"]) == (folder, "in-collection")
    assert spaces_in(cast.ria, folder) == list("AXB")
    assert "parent" not in cast.cleo.post(f"/v1/spaces/{loose}/move", {"parent": None}).json()
    assert spaces_in(cast.ria, folder) == list("AB")


def test_many_moves_to_one_spot_keep_their_order(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    ids = row_of_spaces(cast, folder, "ABCD")
    names = list("ABCD")
    for turn in range(60):
        name = "CD"[turn % 2]
        assert move(cast.cleo, ids[name], after("space", ids["A"])) == 200
        names.remove(name)
        names.insert(1, name)
    assert spaces_in(cast.ria, folder) == names


def test_equal_and_long_ranks_are_spread_anew(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    ids = row_of_spaces(cast, folder, "ABCD")
    long = "V" + "0" * sibling_order.LONGEST + "V"

    async def crowd(cx: Context) -> None:
        for name, rank in {"A": "V", "B": "V", "C": long}.items():
            await cx.tx.change(Space, {"rank": rank}, id=ids[name])

    cast.instance.inside(crowd)
    assert move(cast.cleo, ids["D"], after("space", ids["A"])) == 200
    assert spaces_in(cast.ria, folder) == list("ADBC")


def test_appending_after_a_very_long_rank_is_spread_anew(cast: Cast) -> None:
    folder = collections.collection(cast.ada, cast.organization)["id"]
    ids = row_of_spaces(cast, folder, "AB")
    long = "z" * sibling_order.LONGEST
    cast.instance.inside(lambda cx: cx.tx.change(Space, {"rank": long}, id=ids["B"]))
    row_of_spaces(cast, folder, "C")
    assert spaces_in(cast.ria, folder) == list("ABC")
    ranks = cast.instance.inside(lambda cx: cx.db.all(RANKS, parent=folder))
    assert max(len(row.rank) for row in ranks) < 5


def test_a_move_needs_the_right_to_create_at_both_ends(cast: Cast) -> None:
    open_ = collections.collection(cast.ada, cast.organization, defaultLevel="create")["id"]
    closed = collections.collection(cast.ada, cast.organization, defaultLevel="read")["id"]
    hidden = collections.collection(cast.ada, cast.organization, defaultLevel=None)["id"]
    space = make.space(cast.ada, cast.organization, parent=open_)["id"]
    assert move(cast.ria, space, {"parent": closed}) == 403
    assert move(cast.ria, space, {"parent": hidden}) == 400
    assert move(cast.ria, space, {"parent": None}) == 403
    assert move(cast.cleo, space, {"parent": None}) == 200
    assert move(cast.ria, space, {"parent": open_}) == 403
    held = make.space(cast.ada, cast.organization, parent=hidden)["id"]
    collections.patched(cast.ada, f"/v1/spaces/{held}", {"defaultLevel": "edit"})
    assert move(cast.cleo, held, {"parent": open_}) == 403
    assert cast.ada.get(f"/v1/spaces/{held}").json()["parent"] == hidden


def test_a_move_to_nowhere_is_refused(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    foreign = collections.collection(cast.ada, cast.elsewhere)["id"]
    folder = collections.collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization)["id"]
    inside = row_of_spaces(cast, folder, "A")["A"]
    assert move(cast.ada, space, {"parent": foreign}) == 400
    assert move(cast.ada, space, {"parent": "nowhere"}) == 400
    assert move(cast.ada, "nowhere", {"parent": folder}) == 404
    assert move(cast.ada, space, before("space", inside)) == 409
    assert move(cast.ada, space, {"parent": folder, **before("collection", inside)}) == 409
    assert move(cast.ada, space, {"parent": folder, **before("space", "nowhere")}) == 409
    assert move(cast.ada, space, before("space", space)) == 409
    cast.ada.delete(f"/v1/spaces/{inside}")
    assert move(cast.ada, space, {"parent": folder, **before("space", inside)}) == 409
    assert "parent" not in cast.ada.get(f"/v1/spaces/{space}").json()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"position": {}}, "position"),
        ({"position": None}, "position"),
        ({"position": {"before": None, "after": None}}, "position.before"),
        ({"position": {**before("space", "x")["position"], **after("space", "x")["position"]}}, "position"),
        ({"position": {"before": {"type": "space"}}}, "position.before"),
        ({"position": {"before": {"type": "space", "collection": "x"}}}, "position.before"),
        ({"position": {"after": {"type": "page", "page": "x"}}}, "position.after.type"),
        ({"parent": 7}, "parent"),
    ],
)
def test_a_malformed_move_names_what_is_wrong(cast: Cast, body: dict[str, Any], path: str) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    answer = cast.ada.post(f"/v1/spaces/{space}/move", body)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == path


def transfer(person: Person, space: str, **body: Any) -> int:
    return person.post(f"/v1/spaces/{space}/transfer", body).status_code


def test_a_space_is_handed_to_the_root_of_another_organization(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    folder = collections.collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=folder)["id"]
    answer = cast.ada.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere})
    assert answer.status_code == 200
    assert answer.json()["organization"] == cast.elsewhere
    assert "parent" not in answer.json()
    assert cast.sol.get(f"/v1/spaces/{space}").status_code == 200
    assert cast.cleo.get(f"/v1/spaces/{space}").status_code == 404
    assert spaces_in(cast.ada, folder) == []
    assert collections.titles(cast.sol, f"/v1/orgs/{cast.elsewhere}/spaces") == ["Handbook"]


def test_a_space_is_handed_to_a_collection_and_inherits_there(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    collections.joins(cast, cast.ria, cast.elsewhere, "read")
    target = collections.collection(cast.sol, cast.elsewhere, defaultLevel=None)["id"]
    space = make.space(cast.ada, cast.organization)["id"]
    assert transfer(cast.ada, space, organization=cast.elsewhere, collection=target) == 200
    assert spaces_in(cast.sol, target) == ["Handbook"]
    assert cast.ria.get(f"/v1/spaces/{space}").status_code == 404


def test_a_transfer_is_refused_with_its_reason(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    own = collections.collection(cast.ada, cast.organization)["id"]
    hidden = collections.collection(cast.sol, cast.elsewhere, defaultLevel=None)["id"]
    assert transfer(cast.cleo, space, organization=cast.elsewhere) == 403
    assert transfer(cast.ada, space, organization=cast.elsewhere) == 400
    assert transfer(cast.ada, space, organization="nowhere") == 400
    assert transfer(cast.ada, space, collection=hidden) == 400
    assert transfer(cast.ada, space, organization=cast.organization) == 409
    assert transfer(cast.ada, space) == 400
    assert transfer(cast.ada, space, organization=None, collection=own) == 400
    collections.joins(cast, cast.ada, cast.elsewhere, "review")
    assert transfer(cast.ada, space, organization=cast.elsewhere) == 403
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    assert transfer(cast.ada, space, organization=cast.elsewhere) == 412
    assert transfer(cast.ada, space, organization=cast.elsewhere, collection=hidden) == 400
    assert transfer(cast.ada, space, organization=cast.elsewhere, collection=own) == 400
    narrow = make.token(cast.ada, organization_id=cast.organization)
    assert transfer(narrow, space, organization=cast.elsewhere) == 403
    assert cast.ada.get(f"/v1/spaces/{space}").json()["organization"] == cast.organization


def test_content_goes_to_others_by_administrators_of_both(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    grants.grant(cast.ada, f"/v1/spaces/{space}", "admin", users=[cast.cleo])
    collections.joins(cast, cast.cleo, cast.elsewhere, "admin")
    collections.joins(cast, cast.ada, cast.elsewhere, "create")
    for person in (cast.cleo, cast.ada):
        refused = person.post(f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere})
        assert refused.status_code == 403
        assert "contentTransfers" in refused.json()["error"]["message"]
    assert not cast.ada.get(f"/v1/orgs/{cast.organization}").json()["contentTransfers"]
    collections.patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"contentTransfers": True})
    assert transfer(cast.cleo, space, organization=cast.elsewhere) == 403
    collections.patched(cast.ada, f"/v1/orgs/{cast.organization}", {"contentTransfers": True})
    assert transfer(cast.cleo, space, organization=cast.elsewhere) == 200
    collections.patched(cast.sol, f"/v1/orgs/{cast.elsewhere}", {"contentTransfers": False})
    assert transfer(cast.cleo, space, organization=cast.organization) == 403


def test_a_collection_alone_says_where_a_space_goes(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    target = collections.collection(cast.sol, cast.elsewhere)["id"]
    space = make.space(cast.ada, cast.organization)["id"]
    moved = cast.ada.mutate("transferSpace", "space { parent { restId } }", space=space, collection=target)
    assert moved == {"space": {"parent": {"restId": target}}}
    assert cast.ada.get(f"/v1/spaces/{space}").json()["organization"] == cast.elsewhere
    assert transfer(cast.ada, space, collection=target) == 409


def test_a_synchronised_space_is_not_handed_over(cast: Cast) -> None:
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    folder = collections.collection(cast.ada, cast.organization)["id"]
    space = make.space(cast.ada, cast.organization, parent=folder)["id"]
    cast.instance.inside(lambda cx: cx.tx.change(Space, {"git_sync": SYNC}, id=space))
    assert transfer(cast.ada, space, organization=cast.elsewhere) == 412
    answer = cast.ada.post(f"/v1/collections/{folder}/transfer", {"organization": cast.elsewhere})
    assert answer.status_code == 412
    assert cast.ada.get(f"/v1/spaces/{space}").json()["organization"] == cast.organization

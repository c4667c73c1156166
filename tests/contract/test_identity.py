"""Ids: unique over types and places, understood wherever an object is named, and no way around rights."""

from __future__ import annotations

import pytest

from tests import make
from tests.cast import Cast
from tests.contract.objects import Kind, by_id, kinds
from tests.factories.changes import insert, update

KINDS = list(kinds())
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.node.type}-{kind.row.id}")


@every_kind
def test_an_id_leads_to_the_object_and_to_no_more_than_its_field_does(cast: Cast, kind: Kind) -> None:
    path = kind.made(cast)
    shown = kind.read(cast.ada, path)
    assert shown.errors == []
    assert shown.shown["__typename"] == kind.node.type
    id_ = shown.shown["id"]
    assert by_id(cast.ada, id_).shown == shown.shown
    several = cast.ada.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=[id_, "Space:0", id_])
    assert several["nodes"] == [{"id": id_}, None, {"id": id_}]
    for name, person in {**cast.members, "stranger": cast.sol}.items():
        field, node = kind.read(person, path), by_id(person, id_)
        assert (node.shown, node.code) == (field.shown, field.code), name


@every_kind
def test_both_forms_of_an_id_are_understood(cast: Cast, kind: Kind) -> None:
    path = kind.made(cast)
    shown = kind.read(cast.ada, path).shown
    again = kind.read(cast.ada, {**path, kind.node.own: shown["id"]})
    assert (again.shown, again.errors) == (shown, [])


@every_kind
def test_ids_that_mean_nothing_are_one_clear_error(cast: Cast, kind: Kind) -> None:
    path = kind.made(cast)
    id_ = kind.read(cast.ada, path).shown["id"]
    other = make.space(cast.ada, cast.organization)["id"]
    of_another_type = f"Space:{other}" if kind.node.own != "spaceId" else f"Collection:{other}"
    for wrong in (id_[:-1], id_ + ":", id_ + "x", f"{kind.node.type}:", f"Nothing:{id_}", "::", "x" * 5000):
        for told in (kind.read(cast.ada, {**path, kind.node.own: wrong}), by_id(cast.ada, wrong)):
            assert told.shown is None, wrong
            assert len(told.errors) == 1
            assert told.code in ("NOT_FOUND", "BAD_REQUEST"), (wrong, told.errors)
    told = kind.read(cast.ada, {**path, kind.node.own: of_another_type})
    (error,) = told.errors
    assert (told.shown, told.code) == (None, "BAD_REQUEST")
    assert "This id is of the type " in error["message"]
    (argument,) = [name for name, each in kind.steps[-1][2].items() if each == kind.node.own]
    assert [each["path"] for each in error["extensions"]["details"]] == [argument]


def test_no_two_objects_share_an_id(cast: Cast) -> None:
    found: dict[str, str] = {}
    for kind in KINDS:
        shown = kind.read(cast.ada, kind.made(cast)).shown
        assert found.setdefault(shown["id"], kind.row.id) == kind.row.id
    for name in ("Page", "File", "ReusableContent"):
        assert len([id_ for id_ in found if id_.startswith(f"{name}:")]) == 3


def test_a_page_has_another_id_in_every_place(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    page = make.changes(cast.ed, space, insert("Lamp"))["changes"][0]["page"]["id"]
    old = cast.ed.get(f"/v1/spaces/{space}").json()["revision"]
    request = make.change_request(cast.ed, space)["id"]
    make.changes(cast.ed, space, update(page, "Draft.\n"), request=1)
    make.changes(cast.ed, space, update(page, "Published.\n"))
    asked = """query ($s: ID!, $p: ID!, $c: ID!, $r: ID!) { space(id: $s) { page(id: $p) { ...P }
        changeRequest(id: $c) { page(id: $p) { ...P } } revision(id: $r) { page(id: $p) { ...P } } } }
        fragment P on Page { id restId markdown space { id } changeRequest { id } revision { id } }"""
    told = cast.ria.ask(asked, s=space, p=page, c=request, r=old)["space"]
    pages = [told["page"], told["changeRequest"]["page"], told["revision"]["page"]]
    assert [each["restId"] for each in pages] == [page] * 3
    assert len({each["id"] for each in pages}) == 3
    assert [each["markdown"] for each in pages[:2]] == ["Published.\n", "Draft.\n"]
    assert [bool(each["changeRequest"]) for each in pages] == [False, True, False]
    assert [bool(each["revision"]) for each in pages] == [False, False, True]
    assert len({each["space"]["id"] for each in pages}) == 1
    for each in pages:
        assert by_id(cast.ria, each["id"], "{ markdown }").shown["markdown"] == each["markdown"]


def test_an_id_of_another_place_is_not_taken_for_one_of_this(cast: Cast) -> None:
    here, there = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    page = make.changes(cast.ed, there, insert("Lamp"))["changes"][0]["page"]["id"]
    asked = "query ($s: ID!, $p: ID!) { space(id: $s) { page(id: $p) { id } } }"
    id_ = cast.ed.ask(asked, s=there, p=page)["space"]["page"]["id"]
    (error,) = cast.ed.gql(asked, s=here, p=id_)["errors"]
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert error["extensions"]["details"] == [{"path": "id", "message": error["message"]}]


def test_more_ids_than_a_hundred_are_refused(cast: Cast) -> None:
    asked = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    assert cast.ada.ask(asked, ids=[]) == {"nodes": []}
    told = cast.ada.gql(asked, ids=["Space:x"] * 101)
    (error,) = told["errors"]
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert told["data"] == {"nodes": [None] * 101}


def test_an_id_that_means_nothing_is_an_error_of_its_own_entry(cast: Cast) -> None:
    space, gone = make.space(cast.ada, cast.organization)["id"], "0" * 20
    asked = "query ($ids: [ID!]!) { me { id } nodes(ids: $ids) { id } }"
    told = cast.ada.gql(asked, ids=["Nothing:x", f"Space:{space}", f"Space:{gone}", space])
    assert told["data"]["me"] is not None
    assert told["data"]["nodes"] == [None, {"id": f"Space:{space}"}, None, None]
    assert [(each["path"], each["extensions"]["code"]) for each in told["errors"]] == [
        (["nodes", 0], "BAD_REQUEST"), (["nodes", 3], "BAD_REQUEST"),
    ]  # fmt: skip

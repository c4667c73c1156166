"""Spaces through GraphQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import collections, space_rows
from tests.factories.collections import collection, spaces_in

QUERY = """query ($id: ID!) { space(id: $id) {
    title emoji visibility createdAt updatedAt deletedAt editMode organizationId parentId
    language revisionId defaultLevel comments { totalCount } changeRequests { totalCount }
    changeRequestsOpen: changeRequests(filter: {status: [OPEN]}) { totalCount }
    changeRequestsDraft: changeRequests(filter: {status: [DRAFT]}) { totalCount } urls { location app icon }
    permissions { view access admin viewInviteLinks edit triggerGitSync comment merge review
        delete restore installIntegration } } }"""
WHOLE = "space { title emoji parentId editMode language defaultLevel urls { icon } }"


def code(person: Person, **variables: Any) -> str:
    """The code of the only error of a query; nothing was answered beside it."""
    answer = person.gql(QUERY, **variables)
    assert set(answer["data"].values()) == {None}
    found: str = answer["errors"][0]["extensions"]["code"]
    return found


def test_a_space_reads_as_it_does_over_rest(cast: Cast) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    made = make.space(cast.ada, cast.organization, parent=folder, emoji="1f4d6", language="pt-br")
    shown = cast.ria.ask(QUERY, id=made["id"])["space"]
    rest = cast.ria.get(f"/v1/spaces/{made['id']}").json()
    for name in ("comments", "changeRequests", "changeRequestsOpen", "changeRequestsDraft"):
        shown[name] = shown[name]["totalCount"]
    renamed = {name: shown.pop(f"{name}Id") for name in ("organization", "parent", "revision")}
    enums = {
        "visibility": "IN_COLLECTION",
        "editMode": "LIVE",
        "defaultLevel": "INHERIT",
        "language": "PT_BR",
    }
    assert renamed == {name: rest.pop(name) for name in renamed}
    for name in ("id", "object"):
        del rest[name]
    assert shown == {**rest, **enums, "deletedAt": None, "urls": {**rest["urls"], "icon": None}}
    assert code(cast.sol, id=made["id"]) == "NOT_FOUND"


PLAIN = """id restId title emoji visibility createdAt updatedAt deletedAt editMode organizationId parentId
    language revisionId urls { location icon } permissions { view admin edit }"""
LONG = f"""query ($id: ID!) {{ organization(id: $id) {{ spaces(first: 100) {{
    nodes {{ {PLAIN} }}
    edges {{ node {{ {PLAIN} defaultLevel organization {{ id }} }} }} }} }} }}"""


@pytest.mark.parametrize("name", ["ada", "ria"])
def test_a_space_reads_the_same_in_a_long_list_and_alone(cast: Cast, name: str) -> None:
    for n in range(25):
        make.space(cast.ada, cast.organization, title=f"Space {n}", **({"emoji": "1f4d6"} if n % 2 else {}))
    person: Person = getattr(cast, name)
    listed = person.ask(LONG, id=cast.organization)["organization"]["spaces"]
    again = [each["node"] for each in listed["edges"]]
    assert len(listed["nodes"]) > 20
    for each, other in zip(listed["nodes"], again, strict=True):
        assert {**other, **each} == other
    alone = person.ask(f"query ($id: ID!) {{ space(id: $id) {{ {PLAIN} }} }}", id=listed["nodes"][-1]["id"])
    assert alone["space"] == listed["nodes"][-1]


def test_a_space_is_created_with_its_defaults(cast: Cast) -> None:
    made = cast.cleo.mutate("createSpace", WHOLE, organization=cast.organization)["space"]
    assert made == {
        "title": "Untitled space",
        "emoji": None,
        "parentId": None,
        "editMode": "LIVE",
        "language": None,
        "defaultLevel": "INHERIT",
        "urls": {"icon": None},
    }
    assert cast.ria.refused("createSpace", organization=cast.organization) == "FORBIDDEN"
    assert cast.ada.refused("createSpace", organization=cast.organization, title="x" * 51) == "BAD_REQUEST"


def test_absent_and_null_differ_in_a_change(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, emoji="1f4d6")["id"]
    renamed = cast.ed.mutate("updateSpace", WHOLE, space=space, title="Guide")["space"]
    assert (renamed["title"], renamed["emoji"]) == ("Guide", "1f4d6")
    assert cast.ed.mutate("updateSpace", WHOLE, space=space, emoji=None)["space"]["emoji"] is None
    closed = cast.ada.mutate("updateSpace", WHOLE, space=space, editMode="LOCKED", defaultLevel=None)
    assert (closed["space"]["editMode"], closed["space"]["defaultLevel"]) == ("LOCKED", None)
    assert cast.ed.refused("updateSpace", space=space, title="Mine") == "NOT_FOUND"
    assert cast.ada.refused("updateSpace", space=space, title=None) == "BAD_REQUEST"


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_space_moves_beside_a_sibling(cast: Cast, side: str) -> None:
    folder = collection(cast.ada, cast.organization)["id"]
    ids = [make.space(cast.ada, cast.organization, title=t, parent=folder)["id"] for t in "AB"]
    loose = make.space(cast.ada, cast.organization, title="X")["id"]
    beside = {side: {"space": ids[0]}}
    assert cast.ada.refused("moveSpace", space=loose, position=beside) == "CONFLICT"
    assert cast.ria.refused("moveSpace", space=loose, parent=folder) == "FORBIDDEN"
    shown = "space { parent { restId } }"
    moved = cast.cleo.mutate("moveSpace", shown, space=loose, parent=folder, position=beside)
    assert moved == {"space": {"parent": {"restId": folder}}}
    assert spaces_in(cast.ria, folder) == list("XAB" if side == "before" else "AXB")


def test_a_space_is_handed_over(cast: Cast) -> None:
    to = {
        "space": make.space(cast.ada, cast.organization)["id"],
        "organization": cast.elsewhere,
    }
    assert cast.ada.refused("transferSpace", **to) == "BAD_REQUEST"
    collections.joins(cast, cast.ada, cast.elsewhere, "admin")
    handed_over = cast.ada.mutate("transferSpace", "space { organization { restId } }", **to)
    assert handed_over == {"space": {"organization": {"restId": cast.elsewhere}}}
    assert cast.ada.refused("transferSpace", **to) == "CONFLICT"


def test_a_space_is_deleted_and_restored(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    global_id = cast.ada.ask("query ($id: ID!) { space(id: $id) { id } }", id=space)["space"]["id"]
    assert cast.cleo.refused("deleteSpace", space=space) == "FORBIDDEN"
    assert cast.ada.mutate("deleteSpace", "deletedId", space=space) == {"deletedId": global_id}
    assert cast.ada.ask(QUERY, id=space)["space"]["deletedAt"]
    assert cast.ada.refused("duplicateSpace", space=space) == "CONFLICT"
    restored = cast.ada.mutate("restoreSpace", "space { restId deletedAt }", space=space)
    assert restored["space"] == {"restId": space, "deletedAt": None}
    assert cast.ada.refused("restoreSpace", space=space) == "CONFLICT"


def test_a_space_is_duplicated_with_its_content(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    space_rows.fill(cast.instance, space, space)
    copy = cast.cleo.mutate("duplicateSpace", "space { restId title }", space=space)["space"]
    assert copy["title"] == "Handbook (copy)"
    assert space_rows.held(cast.instance, copy["restId"]) == space_rows.held(cast.instance, space)
    assert cast.ria.refused("duplicateSpace", space=space) == "FORBIDDEN"


def test_each_mutation_of_a_document_is_its_own_transaction(cast: Cast) -> None:
    both = """mutation ($id: ID!) {
        deleteSpace(input: {space: $id}) { deletedId userErrors { code } }
        again: deleteSpace(input: {space: $id}) { deletedId userErrors { code } }
        restoreSpace(input: {space: $id}) { space { restId } userErrors { code } } }"""
    space = make.space(cast.ada, cast.organization)["id"]
    data = cast.ada.ask(both, id=space)
    assert data["deleteSpace"]["deletedId"]
    assert data["again"] == {"deletedId": None, "userErrors": [{"code": "CONFLICT"}]}
    assert data["restoreSpace"] == {"space": {"restId": space}, "userErrors": []}

"""Mutations: what stands in the way is told in the payload, what changed is shown as it is now."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.catalog import OPERATIONS
from app.api.graphql.nodes import node_by_parameter
from app.api.operation import Operation
from app.formats.repository.source_text import MAX_MARKDOWN
from graphql import GraphQLNonNull, GraphQLObjectType
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call, variables
from tests.contract.recipes import RECIPES
from tests.contract.selections import CORE
from tests.contract.shared_calls import SharedCalls
from tests.contract.write_documents import complete
from tests.factories import collections
from tests.factories.comments import comment

WRITES = [row for row in OPERATIONS if row.writes]
OPEN = {"joinOrganizationWithInvite", "joinOrganizationByEmailDomain"}
"""What strangers may do."""
ERRORS = "userErrors { code message path }"


def global_ids(call: Call) -> Call:
    """A call that names the objects of its path by their ids of GraphQL."""
    path = dict(call.path)
    for name in call.path:
        node = node_by_parameter().get(name)
        address = node.address(call.path) if node is not None else None
        if node is not None and address is not None:
            path[name] = node.id_of(address)
    return Call(path, call.query, call.body)


@pytest.mark.parametrize("row", WRITES, ids=lambda row: row.id)
def test_objects_are_named_by_either_form_of_their_ids(cast: Cast, row: Operation) -> None:
    call = RECIPES[row.id](cast)
    named, person = global_ids(call), call.caller or cast.ada
    answer = person.post("/graphql", {"query": complete(row), "variables": variables(row, named)}).json()
    assert "errors" not in answer, answer
    assert answer["data"][row.field]["userErrors"] == []


@pytest.mark.parametrize("row", [row for row in WRITES if row.parameters], ids=lambda row: row.id)
def test_strangers_are_told_in_the_payload_and_nothing_else_is(
    shared_calls: SharedCalls, row: Operation
) -> None:
    cast, call = shared_calls.new(row) if row.id in OPEN else shared_calls.of(row)
    answer = cast.sol.post("/graphql", {"query": complete(row), "variables": variables(row, call)}).json()
    assert "errors" not in answer, answer
    payload = answer["data"][row.field]
    if row.id in OPEN:
        assert payload["userErrors"] == []
        return
    (error,) = payload.pop("userErrors")
    assert error["code"] in ("NOT_FOUND", "FORBIDDEN", "BAD_REQUEST", "PRECONDITION_FAILED"), error
    assert error["message"]
    assert set(payload.values()) <= {None}


def test_every_mutation_has_one_input_and_a_payload_that_is_there() -> None:
    mutations = CORE.mutation_type
    assert mutations is not None
    for name, field in mutations.fields.items():
        title = f"{name[0].upper()}{name[1:]}"
        assert list(field.args) == ["input"]
        assert str(field.args["input"].type) == f"{title}Input!"
        assert isinstance(field.type, GraphQLNonNull)
        payload = field.type.of_type
        assert isinstance(payload, GraphQLObjectType)
        assert payload.name == f"{title}Payload"
        assert str(payload.fields["userErrors"].type) == "[UserError!]!"
        strict = {key for key, it in payload.fields.items() if isinstance(it.type, GraphQLNonNull)}
        assert strict == {"userErrors"}, name


def refusals(cast: Cast) -> list[tuple[Person, str, dict[str, Any], str, list[str] | None]]:
    """One change of each class of refusals: who, what, how it is refused, and the field at fault."""
    open_, locked = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    cast.ada.patch(f"/v1/spaces/{locked}", {"editMode": "locked"})
    shelf = collections.collection(cast.ada, cast.organization)["id"]
    page = {"insertPage": {"title": "Lamp", "document": {"markdown": "x"}}}
    long = {"insertPage": {"title": "Lamp", "document": {"markdown": "é " * (MAX_MARKDOWN // 3 + 1)}}}
    to = {"collectionId": shelf, "organization": cast.elsewhere}
    stale = {"space": open_, "title": "New", "expectedVersion": "another"}
    return [
        (cast.ada, "updateSpace", {"space": open_, "title": "x" * 51}, "BAD_REQUEST", ["title"]),
        (cast.ed, "changeContent", {"space": open_, "changes": []}, "BAD_REQUEST", ["changes"]),
        (cast.ria, "updateSpace", {"space": open_, "title": "Mine"}, "FORBIDDEN", None),
        (cast.sol, "updateSpace", {"space": open_, "title": "Mine"}, "NOT_FOUND", None),
        (cast.ed, "changeContent", {"space": locked, "changes": [page]}, "CONFLICT", None),
        (cast.ada, "restoreSpace", {"space": open_}, "CONFLICT", None),
        (cast.ada, "updateSpace", stale, "PRECONDITION_FAILED", None),
        (cast.ed, "changeContent", {"space": open_, "changes": [long]}, "PAYLOAD_TOO_LARGE", None),
        (cast.ada, "transferCollection", to, "BAD_REQUEST", None),
    ]  # fmt: skip


def test_each_class_of_refusals_has_its_code_and_changes_nothing(cast: Cast) -> None:
    for person, mutation, given, code, path in refusals(cast):
        errors = person.tried(mutation, **given)["userErrors"]
        assert len(errors) == 1, (mutation, given)
        (error,) = errors
        assert error["code"] == code, (mutation, error)
        assert error["message"]
        assert path is None or error["path"] == path
    found = cast.ada.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    assert {space["title"] for space in found} == {"Handbook"}


def test_callers_who_are_unknown_are_errors_of_the_request(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    asked = f'mutation {{ deleteSpace(input: {{space: "{space}"}}) {{ {ERRORS} }} }}'
    answer = cast.instance.http.post("/graphql", json={"query": asked})
    assert answer.status_code == 401
    assert "data" not in answer.json()
    reading = make.token(cast.ada, read_only=True)
    assert reading.refused("deleteSpace", space=space) == "FORBIDDEN"
    assert "deletedAt" not in cast.ada.get(f"/v1/spaces/{space}").json()


def test_the_next_mutation_runs_after_one_that_was_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    asked = f"""mutation ($s: ID!, $none: ID!) {{
        first: updateSpace(input: {{space: $none, title: "No"}}) {{ space {{ title }} {ERRORS} }}
        second: updateSpace(input: {{space: $s, title: "Yes"}}) {{ space {{ title }} {ERRORS} }} }}"""
    told = cast.ada.ask(asked, s=space, none="nothing")
    assert told["first"]["space"] is None
    assert [error["code"] for error in told["first"]["userErrors"]] == ["NOT_FOUND"]
    assert told["second"] == {"space": {"title": "Yes"}, "userErrors": []}


def test_payloads_show_the_objects_around_a_change_as_they_are_now(cast: Cast) -> None:
    counted = "organization { id spaces { totalCount } }"
    made = cast.ada.mutate("createSpace", f"space {{ id restId }} {counted}", organization=cast.organization)
    space = made["space"]["restId"]
    assert made["organization"]["spaces"]["totalCount"] == 1
    drafts = "drafts: changeRequests(filter: {status: [DRAFT]}) { totalCount }"
    requests = f"changeRequest {{ id restId }} space {{ id changeRequests {{ totalCount }} {drafts} }}"
    asked = cast.ed.mutate("createChangeRequest", requests, space=space)
    assert asked["space"] == {
        "id": made["space"]["id"],
        "changeRequests": {"totalCount": 1},
        "drafts": {"totalCount": 1},
    }
    comments = "space { id comments { totalCount } }"
    body = {"markdown": "Good."}
    posted = cast.tom.mutate("postComment", f"comment {{ id }} {comments}", space=space, body=body)
    assert posted["space"]["comments"]["totalCount"] == 1
    reply = "commentReply { id } comment { id replies { totalCount } }"
    answered = cast.ed.mutate("postCommentReply", reply, comment=posted["comment"]["id"], body=body)
    assert answered["comment"] == {"id": posted["comment"]["id"], "replies": {"totalCount": 1}}
    removed = cast.tom.mutate("deleteComment", f"deletedId {comments}", comment=posted["comment"]["id"])
    assert removed["deletedId"] == posted["comment"]["id"]
    assert removed["space"]["comments"]["totalCount"] == 0
    gone = cast.ada.mutate("deleteSpace", f"deletedId {counted}", space=made["space"]["id"])
    assert gone["deletedId"] == made["space"]["id"]
    assert gone["organization"]["spaces"]["totalCount"] == 0


def test_an_id_of_another_type_or_organization_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    theirs = make.space(cast.sol, cast.elsewhere)["id"]
    said = comment(cast.tom, space)["id"]
    for given, code, path in (
        (f"Collection:{space}", "BAD_REQUEST", ["space"]),
        (f"Comment:{space}::{said}", "BAD_REQUEST", ["space"]),
        (f"Space:{theirs}", "NOT_FOUND", None),
        (f"Space:{space[:-1]}", "NOT_FOUND", None),
        (f"Space:{space}:", "NOT_FOUND", None),
        ("Space:", "NOT_FOUND", None),
        ("", "BAD_REQUEST", ["space"]),
    ):
        for mutation in ("deleteSpace", "duplicateSpace"):
            (error,) = cast.ada.tried(mutation, space=given)["userErrors"]
            assert (error["code"], error["path"]) == (code, path), given
    found = cast.ada.get(f"/v1/orgs/{cast.organization}/spaces").json()["items"]
    assert [each["id"] for each in found] == [space]
    assert "deletedAt" not in cast.sol.get(f"/v1/spaces/{theirs}").json()

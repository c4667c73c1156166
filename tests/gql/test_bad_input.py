"""Bad input: one clear error in GraphQL's own names, and nothing changes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast
from tests.databases import migrated_in
from tests.house import running

RESPONSE = "application/graphql-response+json"
RENAME = """mutation Rename($input: UpdateSpaceInput!) {
    updateSpace(input: $input) { space { title } userErrors { code message path } } }"""
LIST = """query List($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    space(id: $id) { title changeRequests(first: $first, after: $after, last: $last, before: $before) {
        nodes { restId } pageInfo { startCursor endCursor hasPreviousPage } } } }"""
SPACES = "query ($id: ID!) { organization(id: $id) { spaces(first: 1) { pageInfo { endCursor } } } }"
MODES = "Allowed values: "

# What is sent beside the id of a space, and what the message says.
INVALID: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "an unknown field": ("{ me { titel } }", {}, ["Cannot query field 'titel' on type 'User'"]),
    "an unknown argument": ('{ space(idd: "x") { id } }', {}, ["Unknown argument 'idd'"]),
    "an unknown field of an input": (RENAME, {"input": {"space": "$", "titel": "x"}}, ["field 'titel'"]),
    "an enum value that is none": (
        RENAME,
        {"input": {"space": "$", "editMode": "NONE"}},
        ["'NONE' does not exist in 'EditMode' enum", MODES, "LIVE"],
    ),
    "a number as an enum value": (RENAME, {"input": {"space": "$", "editMode": 1}}, ["'EditMode'", MODES]),
    "an enum value that is none, in the document": (
        'mutation { updateSpace(input: {space: "$", title: "x", editMode: NONE}) { userErrors { code } } }',
        {},
        ["'NONE' does not exist in 'EditMode' enum", MODES],
    ),
    "a variable that is missing": (RENAME, {}, ["'$input'", "UpdateSpaceInput!"]),
    "null for what must be": (RENAME, {"input": None}, ["'$input'", "not to be null."]),
    "text for a number": (LIST, {"id": "$", "first": "a"}, ["'$first'", "Int"]),
    "two anonymous operations": ("{ me { id } } { me { id } }", {}, ["must be the only defined operation"]),
}
FIELDS: list[tuple[dict[str, Any], str, str]] = [
    ({"first": -1}, "first", "greater than or equal to 0"),
    ({"first": 1_001}, "first", "less than or equal to 1000"),
    ({"last": -1}, "last", "greater than or equal to 0"),
    ({"after": "nothing"}, "after", "This cursor does not belong to this list."),
    ({"before": "nothing"}, "before", "This cursor does not belong to this list."),
    ({"last": 1, "after": "nothing"}, "last", "Give `first` and `after`, or `last` and `before`."),
    ({"first": 1, "last": 1}, "last", "Give `first` and `after`, or `last` and `before`."),
]


def filled(value: Any, space: str) -> Any:
    """The value with the id of a space where `$` stands alone."""
    if isinstance(value, dict):
        return {name: filled(inner, space) for name, inner in value.items()}
    return space if value == "$" else value


def ask(cast: Cast, query: str, variables: dict[str, Any], **more: Any) -> httpx.Response:
    asked = {"query": query, "variables": variables, **more}
    return cast.ada.post("/graphql", asked, headers={"Accept": RESPONSE})


@pytest.mark.parametrize("name", INVALID)
def test_a_document_or_value_that_does_not_fit_is_400_and_changes_nothing(cast: Cast, name: str) -> None:
    query, variables, said = INVALID[name]
    space = make.space(cast.ada, cast.organization, title="Before")["id"]
    answer = ask(cast, query.replace('"$"', f'"{space}"'), filled(variables, space))
    assert (answer.status_code, answer.headers["content-type"]) == (400, RESPONSE)
    assert set(answer.json()) == {"errors"}
    first = answer.json()["errors"][0]
    assert first["extensions"] == {"code": "GRAPHQL_INVALID", "status": 400}
    assert all(each in first["message"] for each in said), first["message"]
    assert "None" not in first["message"]
    assert "{'" not in first["message"]
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Before"


@pytest.mark.parametrize(("arguments", "path", "said"), FIELDS)
def test_an_argument_of_a_list_is_refused_by_its_name(
    cast: Cast, arguments: dict[str, Any], path: str, said: str
) -> None:
    space = make.space(cast.ada, cast.organization)
    answer = ask(cast, LIST, {"id": space["id"], **arguments})
    assert (answer.status_code, answer.headers["content-type"]) == (200, RESPONSE)
    assert answer.json()["data"] == {"space": {"title": space["title"], "changeRequests": None}}
    (error,) = answer.json()["errors"]
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert said in error["message"]
    assert [each["path"] for each in error["extensions"]["details"]] == [path]


def test_a_cursor_of_another_list_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    known = cast.ada.ask(SPACES, id=cast.organization)["organization"]["spaces"]["pageInfo"]["endCursor"]
    for path in ("after", "before"):
        (error,) = ask(cast, LIST, {"id": space, path: known}).json()["errors"]
        assert error["message"] == "This cursor does not belong to this list."
        assert [each["path"] for each in error["extensions"]["details"]] == [path]


def test_a_list_is_read_backwards_without_saying_that_nothing_is_first(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    for _ in range(3):
        assert cast.ada.post(f"/v1/spaces/{space}/change-requests", {}).status_code == 201
    text = LIST.replace("$first: Int, ", "").replace("first: $first, ", "")
    everything = cast.ada.ask(text, id=space)["space"]["changeRequests"]["nodes"]
    assert len(everything) == 3
    last = cast.ada.ask(text, id=space, last=1)["space"]["changeRequests"]
    assert last["nodes"] == everything[2:]
    assert last["pageInfo"]["hasPreviousPage"]
    before = last["pageInfo"]["startCursor"]
    assert cast.ada.ask(text, id=space, before=before)["space"]["changeRequests"]["nodes"] == everything[:2]


def test_an_id_of_another_type_is_told_apart(cast: Cast) -> None:
    me = cast.ada.ask("{ me { id } }")["me"]["id"]
    (error,) = ask(cast, LIST, {"id": me}).json()["errors"]
    assert error["message"] == "This is the id of a User; give the id of a Space."
    answer = ask(cast, RENAME, {"input": {"space": me, "title": "x"}}).json()["data"]["updateSpace"]
    assert answer["space"] is None
    (refused,) = answer["userErrors"]
    assert (refused["code"], refused["path"]) == ("BAD_REQUEST", ["space"])


def test_a_hash_that_does_not_match_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Before")["id"]
    wrong = {"persistedQuery": {"version": 1, "sha256Hash": sha256(b"another").hexdigest()}}
    variables = {"input": {"space": space, "title": "After"}}
    answer = ask(cast, RENAME, variables, extensions=wrong)
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["message"] == "This is not the SHA-256 of `query`."
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Before"


def test_no_allowed_values_are_told_where_introspection_is_off(tmp_path: Path) -> None:
    with running(migrated_in(tmp_path), graphql_introspection=False) as house:
        cast = make.cast(house)
        answer = ask(cast, RENAME, {"input": {"space": "x", "editMode": "NONE"}})
        assert answer.status_code == 400
        assert MODES not in answer.text


def test_more_bytes_than_an_upload_was_announced_with_are_refused(cast: Cast) -> None:
    announce = """mutation ($input: CreateUploadInput!) {
        createUpload(input: $input) {
            upload { uploadURL headers { name value } } userErrors { message path } } }"""
    given = {"organization": cast.organization, "name": "a.bin", "size": 3}
    upload = cast.ada.ask(announce, input=given)["createUpload"]["upload"]
    headers = {each["name"]: each["value"] for each in upload["headers"]}
    answer = cast.house.http.put(upload["uploadURL"], content=b"four", headers=headers)
    assert answer.status_code in (400, 413)
    assert "3 bytes" in answer.json()["error"]["message"]
    for size, named in ((-1, "size"), (10**10, "size")):
        refused = ask(cast, announce, {"input": {**given, "size": size}}).json()
        told = str(refused.get("errors") or refused["data"]["createUpload"]["userErrors"])
        assert named in told

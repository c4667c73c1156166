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
from tests.instance import running

RESPONSE = "application/graphql-response+json"
CREATE = """mutation ($input: CreateSpaceInput!) { createSpace(input: $input) {
    userErrors { code path message } } }"""
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
    "a truth value for a number": (LIST, {"id": "$", "first": True}, ["Int cannot represent", "value: true"]),
    "a list for text": (LIST, {"id": "$", "after": [None]}, ["String cannot represent", "value: a list"]),
    "an object for an id": (LIST, {"id": {"a": "$"}}, ["ID cannot represent value: an object"]),
    "two anonymous operations": ("{ me { id } } { me { id } }", {}, ["must be the only defined operation"]),
}
FIELDS: list[tuple[dict[str, Any], str, str]] = [
    ({"first": -1}, "first", "greater than or equal to 0"),
    ({"first": 1_001}, "first", "less than or equal to 1000"),
    ({"last": -1}, "last", "greater than or equal to 0"),
    ({"after": "nothing"}, "after", "This cursor does not belong to this list."),
    ({"before": "nothing"}, "before", "This cursor does not belong to this list."),
    ({"last": 1, "after": "nothing"}, "last", "Give `first` and `after`, or `last` and `before`."),
    ({"first": 20, "last": 1}, "last", "Give `first` and `after`, or `last` and `before`."),
    ({"first": 20, "before": "x"}, "before", "Give `first` and `after`, or `last` and `before`."),
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


@pytest.mark.parametrize("field", ["changeRequests", "pageList"])
def test_a_first_of_its_default_is_refused_with_last_where_it_is_given(cast: Cast, field: str) -> None:
    space = make.filled_space(cast)

    def errors(arguments: str, declared: str = "", **variables: int | None) -> list[str]:
        inside = f"{field}({arguments}) {{ totalCount nodes {{ id }} }}"
        asked = f"query ($id: ID!{declared}) {{ space(id: $id) {{ {inside} }} }}"
        found = ask(cast, asked, {"id": space, **variables}).json()
        assert (found["data"]["space"][field] is None) == ("errors" in found)
        return [error["message"] for error in found.get("errors", ())]

    both = ["Give `first` and `after`, or `last` and `before`."]
    assert errors("first: 20, last: 1") == both
    assert errors("first: $n, last: 1", ", $n: Int", n=20) == both
    assert errors("first: $n, last: 1", ", $n: Int = 20") == both
    assert errors("last: 1") == []
    assert errors("first: null, last: 1") == []
    assert errors("first: $n, last: 1", ", $n: Int") == []
    assert errors("first: $n, last: 1", ", $n: Int = 20", n=None) == []


def test_a_body_that_is_too_large_for_a_document_names_the_field(cast: Cast) -> None:
    space = make.filled_space(cast, {"README.md": "# Long\n\n" + "word " * 200_001})
    asked = """query ($id: ID!) { space(id: $id) { page(path: "readme") {
        title document blocks { __typename } evaluated: markdown(evaluated: true) } } }"""
    answer = cast.ria.gql(asked, id=space)
    assert answer["data"]["space"]["page"]["title"] == "Long"
    named = {error["extensions"]["details"][0]["path"] for error in answer["errors"]}
    assert named == {"document", "blocks", "markdown"}
    assert "format" not in str(answer["errors"])


def test_a_cursor_of_another_list_is_refused(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    known = cast.ada.ask(SPACES, id=cast.organization)["organization"]["spaces"]["pageInfo"]["endCursor"]
    for path in ("after", "before"):
        (error,) = ask(cast, LIST, {"id": space, path: known}).json()["errors"]
        assert error["message"] == "This cursor does not belong to this list."
        assert [each["path"] for each in error["extensions"]["details"]] == [path]


def test_a_cursor_of_the_same_list_elsewhere_is_refused(cast: Cast) -> None:
    here, there = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
    for space in (here, there):
        make.change_request(cast.ada, space)
    known = cast.ada.ask(LIST, id=there)["space"]["changeRequests"]["pageInfo"]["endCursor"]
    answer = ask(cast, LIST, {"id": here, "after": known}).json()
    assert answer["data"]["space"]["changeRequests"] is None
    assert answer["errors"][0]["message"] == "This cursor does not belong to this list."


@pytest.mark.parametrize("form", ["restId", "id"])
def test_ids_of_strangers_are_not_found_and_change_nothing(cast: Cast, form: str) -> None:
    space = make.space(cast.ada, cast.organization, title="Before")["id"]
    request = make.change_request(cast.ada, space)["id"]
    asked = "query ($s: ID!, $r: ID!) { space(id: $s) { id restId changeRequest(id: $r) { id restId } } }"
    known = cast.ada.ask(asked, s=space, r=request)["space"]
    (refused,) = cast.sol.ask(RENAME, input={"space": known[form], "title": "After"})["updateSpace"][
        "userErrors"
    ]
    assert (refused["code"], refused["path"]) == ("NOT_FOUND", None)
    merge = """mutation ($input: MergeChangeRequestInput!) {
      mergeChangeRequest(input: $input) { changeRequest { id } userErrors { code } } }"""
    foreign = {"changeRequest": known["changeRequest"][form]}
    if form == "restId":
        foreign["space"] = make.space(cast.ada, cast.organization)["id"]  # where no such request is
    payload = cast.ada.ask(merge, input=foreign)["mergeChangeRequest"] if form == "restId" else None
    payload = payload or cast.sol.ask(merge, input=foreign)["mergeChangeRequest"]
    assert payload == {"changeRequest": None, "userErrors": [{"code": "NOT_FOUND"}]}
    assert cast.ada.get(f"/v1/spaces/{space}").json()["title"] == "Before"
    path = f"/v1/spaces/{space}/change-requests/{request}"
    assert cast.ada.get(path).json()["status"] == "draft"


def test_an_upload_larger_than_announced_is_refused_and_no_file_comes_of_it(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    announce = """mutation ($input: CreateUploadInput!) {
      createUpload(input: $input) { upload { id restId uploadURL } userErrors { code message path } } }"""
    given = {"organization": cast.organization, "name": "lamp.png", "size": 10}
    upload = cast.ada.ask(announce, input=given)["createUpload"]["upload"]
    answer = httpx.put(upload["uploadURL"], content=b"x" * 11)
    assert (answer.status_code, "10 bytes" in answer.text) == (413, True)
    change = """mutation ($input: ChangeContentInput!) {
      changeContent(input: $input) { revision { id } userErrors { code message path } } }"""
    files = {"insertFiles": {"files": [{"name": "lamp.png", "source": {"upload": upload["restId"]}}]}}
    payload = cast.ada.ask(change, input={"space": space, "changes": [files]})["changeContent"]
    assert payload["revision"] is None
    (refused,) = payload["userErrors"]
    assert refused["path"][:5] == ["changes", "0", "insertFiles", "files", "0"]
    assert cast.ada.get(f"/v1/spaces/{space}/content/files").json()["count"] == 0
    too_large = cast.ada.ask(announce, input={**given, "size": 200_000_000})["createUpload"]
    assert too_large["upload"] is None
    assert [(each["code"], each["path"]) for each in too_large["userErrors"]] == [("BAD_REQUEST", ["size"])]


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
    assert error["message"] == "This id is of the type User; give one of the type Space."
    answer = ask(cast, RENAME, {"input": {"space": me, "title": "x"}}).json()["data"]["updateSpace"]
    assert answer["space"] is None
    (refused,) = answer["userErrors"]
    assert (refused["code"], refused["path"]) == ("BAD_REQUEST", ["space"])
    made = {"input": {"organization": cast.organization, "title": "x", "parent": me}}
    (refused,) = ask(cast, CREATE, made).json()["data"]["createSpace"]["userErrors"]
    assert refused["message"] == "This id is of the type User; give one of the type Collection."


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
    with running(migrated_in(tmp_path), graphql_introspection=False) as instance:
        cast = make.cast(instance)
        answer = ask(cast, RENAME, {"input": {"space": "x", "editMode": "NONE"}})
        assert answer.status_code == 400
        assert MODES not in answer.text


@pytest.mark.parametrize(("given", "place"), [
    ({"title": "M\0ine"}, "variables.input.title"),
    ({"title": "Mine", "\0": 1}, "variables.input"),
])  # fmt: skip
def test_a_text_that_cannot_be_stored_is_named_by_its_place(cast: Cast, given: Any, place: str) -> None:
    space = make.space(cast.ada, cast.organization)
    (error,) = ask(cast, RENAME, {"input": {"space": space["id"], **given}}).json()["errors"]
    assert [each["path"] for each in error["extensions"]["details"]] == [place]
    refused = cast.ada.patch(f"/v1/spaces/{space['id']}", given)
    place = place.removeprefix("variables.input").lstrip(".") or "body"
    assert [each["path"] for each in refused.json()["error"]["details"]] == [place]
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == space["title"]


def test_a_change_that_lacks_a_field_is_refused_in_the_names_of_graphql(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    changed = """mutation ($space: ID) { changeContent(input: {
        space: $space, changes: [{insertPage: {title: "x"}}]}) { userErrors { path message } } }"""
    (refused,) = ask(cast, changed, {"space": space}).json()["data"]["changeContent"]["userErrors"]
    assert refused["path"] == ["changes", "0", "insertPage", "document"]
    assert "insert_page" not in refused["message"]


def test_more_bytes_than_an_upload_was_announced_with_are_refused(cast: Cast) -> None:
    announce = """mutation ($input: CreateUploadInput!) {
        createUpload(input: $input) {
            upload { uploadURL headers { name value } } userErrors { message path } } }"""
    given = {"organization": cast.organization, "name": "a.bin", "size": 3}
    upload = cast.ada.ask(announce, input=given)["createUpload"]["upload"]
    headers = {each["name"]: each["value"] for each in upload["headers"]}
    answer = cast.instance.http.put(upload["uploadURL"], content=b"four", headers=headers)
    assert answer.status_code in (400, 413)
    assert "3 bytes" in answer.json()["error"]["message"]
    for size, named in ((-1, "size"), (10**10, "size")):
        refused = ask(cast, announce, {"input": {**given, "size": size}}).json()
        told = str(refused.get("errors") or refused["data"]["createUpload"]["userErrors"])
        assert named in told


def test_an_empty_id_is_refused_by_the_name_of_its_argument(cast: Cast) -> None:
    asked = (
        'query ($id: ID!) { space(id: "") { title } other: space(id: $id) { page(id: "") { title } title } }'
    )
    space = make.filled_space(cast)
    answer = cast.ria.gql(asked, id=space)
    assert answer["data"]["space"] is None
    assert answer["data"]["other"]["title"]
    for error in answer["errors"]:
        assert error["extensions"]["code"] == "BAD_REQUEST"
        assert error["message"].startswith("id: ")
    (told,) = cast.ada.tried("updateSpace", space="", title="New")["userErrors"]
    assert (told["code"], told["path"]) == ("BAD_REQUEST", ["space"])


def test_a_version_that_is_no_longer_there_names_its_field(cast: Cast) -> None:
    space = make.filled_space(cast)
    stale = cast.ada.tried("updateSpace", space=space, title="New", expectedVersion='"old"')
    (told,) = stale["userErrors"]
    assert (told["code"], told["path"]) == ("PRECONDITION_FAILED", ["expectedVersion"])


def test_a_field_that_rest_names_otherwise_is_named_as_graphql_names_it(cast: Cast) -> None:
    button = {"type": "BUTTON", "callbackURL": "go", "buttonText": "x" * 51}
    configurations = {"account": {"properties": [{"name": "start", "value": button}]}}
    made = {"title": "Wick", "description": "Trims.", "organization": cast.organization, "scopes": []}
    given = {"integration": f"wick{cast.organization.lower()}", "script": "export default {};", **made}
    asked = """mutation ($input: PublishIntegrationInput!) {
        publishIntegration(input: $input) { userErrors { path } } }"""
    answer = cast.ada.ask(asked, input={**given, "configurations": configurations})
    (error,) = answer["publishIntegration"]["userErrors"]
    assert error["path"] == ["configurations", "account", "properties", "start", "buttonText"]

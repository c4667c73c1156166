"""GraphQL over HTTP: media types and statuses, GET, and documents sent by their hash."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast, Person

RESPONSE = "application/graphql-response+json"
JSON = "application/json"
NEWER = {"Accept": RESPONSE}
ME = "query Me { me { restId } }"
RENAME = """mutation Rename($id: ID!, $title: String!) {
    updateSpace(input: {space: $id, title: $title}) { space { id } userErrors { code } } }"""
TITLE = "query ($id: ID!) { space(id: $id) { title } }"
NOT_RUN: dict[str, dict[str, Any]] = {
    "a document that cannot be parsed": {"query": "{"},
    "an unknown field": {"query": "{ password }"},
    "no such operation": {"query": ME, "operationName": "You"},
    "one of two operations": {"query": "query A { me { id } } query B { me { id } }"},
    "two without names": {"query": "{ me { id } } { me { id } }"},
    "a variable that is missing": {"query": TITLE},
    "a variable of another type": {"query": TITLE, "variables": {"id": {}}},
    "an unknown hash": {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}},
}
REFUSED: list[tuple[Any, str]] = [
    ([{"query": ME}], "body"),
    ({}, "query"),
    ({"query": 1}, "query"),
    ({"query": ME, "variables": "x"}, "variables"),
    ({"query": ME, "operationName": 1}, "operationName"),
    ({"query": ME, "extensions": []}, "extensions"),
    ({"query": ME, "extensions": {"persistedQuery": 1}}, "extensions.persistedQuery"),
    ({"extensions": {"persistedQuery": {"version": 2}}}, "extensions.persistedQuery"),
    ({"extensions": {"persistedQuery": {"version": 1}}}, "extensions.persistedQuery.sha256Hash"),
    (
        {"query": ME, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}},
        "extensions.persistedQuery.sha256Hash",
    ),
]


def get(person: Person, parts: dict[str, str], headers: dict[str, str] | None = None) -> httpx.Response:
    """A GET of the endpoint with these parts in its query string."""
    return person.get("/graphql", params=parts, headers={"Accept": JSON, **(headers or {})})


def hashed(text: str) -> dict[str, Any]:
    """The extension that names a document by its hash."""
    return {"persistedQuery": {"version": 1, "sha256Hash": sha256(text.encode()).hexdigest()}}


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (RESPONSE, RESPONSE),
        (f"{RESPONSE}, {JSON}", RESPONSE),
        (f"{RESPONSE};charset=utf-8, {JSON};q=0.9", RESPONSE),
        (f"{JSON}, {RESPONSE};q=0.1", JSON),
        (f"{RESPONSE};q=0", JSON),
        (JSON, JSON),
        ("*/*", JSON),
        ("", JSON),
        (f"{RESPONSE};q=x", RESPONSE),
    ],
)
def test_the_answer_has_the_media_type_that_the_client_prefers(cast: Cast, accept: str, media: str) -> None:
    answer = cast.ada.post("/graphql", {"query": ME}, headers={"Accept": accept})
    assert answer.headers["content-type"] == media
    assert answer.json()["data"] == {"me": {"restId": cast.ada.id}}


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_cannot_be_run_has_no_data_and_a_status_by_its_media_type(cast: Cast, name: str) -> None:
    for headers, status in ((NEWER, 400), ({"Accept": JSON}, 200)):
        answer = cast.ada.post("/graphql", NOT_RUN[name], headers=headers)
        assert answer.status_code == status
        assert set(answer.json()) == {"errors"}
        assert {error["extensions"]["status"] for error in answer.json()["errors"]} == {400}


@pytest.mark.parametrize(("body", "path"), REFUSED)
def test_a_malformed_request_is_400_and_names_the_part(cast: Cast, body: Any, path: str) -> None:
    for accept in (RESPONSE, JSON):
        answer = cast.ada.post("/graphql", body, headers={"Accept": accept})
        assert answer.status_code == 400
        (error,) = answer.json()["errors"]
        assert [each["path"] for each in error["extensions"]["details"]] == [path]


def test_an_error_of_a_field_leaves_the_data_of_others(cast: Cast) -> None:
    asked = {"query": "query ($id: ID!) { space(id: $id) { id } me { restId } }", "variables": {"id": "none"}}
    answer = cast.ria.post("/graphql", asked, headers=NEWER)
    assert answer.status_code == 200
    assert answer.json()["data"] == {"space": None, "me": {"restId": cast.ria.id}}
    assert [error["path"] for error in answer.json()["errors"]] == [["space"]]


def test_what_a_person_may_not_do_is_no_error_of_the_request(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    asked = {"query": RENAME, "variables": {"id": space, "title": "Mine"}}
    answer = cast.ria.post("/graphql", asked, headers=NEWER)
    assert answer.status_code == 200
    assert "errors" not in answer.json()
    assert answer.json()["data"] == {"updateSpace": {"space": None, "userErrors": [{"code": "FORBIDDEN"}]}}


def test_a_query_by_get_is_answered_like_one_by_post(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Größen & more")["id"]
    parts = {"query": TITLE, "variables": json.dumps({"id": space})}
    found = get(cast.ada, parts)
    assert found.json() == cast.ada.post("/graphql", {"query": TITLE, "variables": {"id": space}}).json()
    assert found.headers["cache-control"] == "private, no-cache"
    assert {"Authorization", "Cookie"} <= set(found.headers["vary"].split(", "))
    tag = {"If-None-Match": found.headers["etag"]}
    unchanged = get(cast.ada, parts, tag)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert cast.ada.patch(f"/v1/spaces/{space}", {"title": "Other"}).status_code == 200
    assert get(cast.ada, parts, tag).json()["data"]["space"]["title"] == "Other"
    assert get(cast.sol, parts, tag).json()["errors"][0]["extensions"]["status"] == 404


def test_a_get_chooses_among_operations(cast: Cast) -> None:
    text = f"{ME} {RENAME}"
    assert get(cast.ada, {"query": text, "operationName": "Me"}).json()["data"] == {
        "me": {"restId": cast.ada.id}
    }


def test_a_mutation_by_get_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    variables = json.dumps({"id": space["id"], "title": "Mine"})
    answer = get(cast.ada, {"query": RENAME, "variables": variables})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "data" not in answer.json()
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == space["title"]


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ({}, "query"),
        ({"query": ME, "variables": "{"}, "variables"),
        ({"query": ME, "variables": "[]"}, "variables"),
        ({"query": ME, "extensions": "x"}, "extensions"),
    ],
)
def test_a_get_that_means_nothing_is_refused(cast: Cast, parts: dict[str, str], path: str) -> None:
    answer = get(cast.ada, parts)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["extensions"]["details"][0]["path"] == path


def test_a_browser_gets_the_editor(cast: Cast) -> None:
    for accept in ("text/html,application/xhtml+xml,*/*;q=0.8", "*/*"):
        answer = cast.ada.get("/graphql", headers={"Accept": accept})
        assert answer.headers["content-type"].startswith("text/html")


def test_a_document_is_kept_by_its_hash(cast: Cast) -> None:
    text = f"query Kept_{cast.organization} {{ me {{ restId }} }}"
    alone, whole = {"extensions": hashed(text)}, {"query": text, "extensions": hashed(text)}
    missing = cast.ada.post("/graphql", alone).json()["errors"][0]
    assert (missing["message"], missing["extensions"]["code"]) == (
        "PersistedQueryNotFound",
        "PERSISTED_QUERY_NOT_FOUND",
    )
    assert cast.ada.post("/graphql", whole).json()["data"] == {"me": {"restId": cast.ada.id}}
    assert cast.ria.post("/graphql", alone).json()["data"] == {"me": {"restId": cast.ria.id}}
    by_get = get(cast.ada, {"extensions": json.dumps(alone["extensions"])})
    assert by_get.json()["data"] == {"me": {"restId": cast.ada.id}}


def test_a_hash_of_another_document_stores_nothing(cast: Cast) -> None:
    text = f"query Other_{cast.organization} {{ me {{ restId }} }}"
    assert cast.ada.post("/graphql", {"query": ME, "extensions": hashed(text)}).status_code == 400
    answer = cast.ada.post("/graphql", {"extensions": hashed(text)})
    assert answer.json()["errors"][0]["message"] == "PersistedQueryNotFound"

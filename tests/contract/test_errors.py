"""Bad input of every kind: one error shape everywhere, on both faces, and nothing stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.kit.settings import Settings
from app.main import create_app
from tests import make
from tests.cast import Cast, Person
from tests.databases import asked
from tests.factories import grants
from tests.instance import running

TITLE = b'{"title": '
UPDATE = """mutation($input: UpdateSpaceInput!) {
    updateSpace(input: $input) { space { title } userErrors { code message path } } }"""
LIMIT = """query($id: ID!, $first: Int!) {
    organization(id: $id) { spaces(first: $first) { totalCount } } }"""


def is_refused(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error of an answer in REST's one shape."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body.keys() == {"error"}
    error: dict[str, Any] = body["error"]
    assert error.keys() <= {"code", "message", "details"}
    assert error["code"] == status
    assert error["message"]
    for detail in error.get("details", ()):
        assert detail.keys() == {"path", "message"}
    return error


def is_refused_in_graphql(answer: httpx.Response, status: int) -> None:
    """Every error of a GraphQL answer carries its code and REST's status."""
    assert answer.headers["content-type"] in ("application/json", "application/graphql-response+json")
    errors = answer.json()["errors"]
    assert errors
    for error in errors:
        assert error["message"]
        assert error["extensions"]["status"] == status, error
        assert error["extensions"]["code"].isupper()


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere", "/v1", "/v1/nowhere", "/v1/spaces", "/v1/spaces/", "/v1/spaces//", "/v2/orgs",
        "/graphql/", "/static", "/static/x", "/healthz/", "/v1/SPACES/x", "/v1/openapi.json/",
        "/v1/spaces/%00", "/%2e%2e/etc/passwd", "/v1/..%2f..%2fetc/passwd", "/v1/space/x\u00e9\U0001f600",
        "/" + "x" * 10_000,
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_address(cast: Cast, path: str, method: str) -> None:
    is_refused(cast.ada.call(method, path), 404)


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        ("/v1/", "POST", {"GET"}),
        ("/v1/spaces/x", "PUT", {"DELETE", "GET", "PATCH"}),
        ("/v1/spaces/x", "OPTIONS", {"DELETE", "GET", "PATCH"}),
        ("/graphql", "PUT", {"GET", "HEAD", "POST"}),
        ("/docs", "DELETE", {"GET", "HEAD"}),
        ("/docs/", "POST", {"GET", "HEAD"}),
        ("/healthz", "PATCH", {"GET", "HEAD"}),
    ],
)
def test_a_method_the_address_does_not_know(cast: Cast, path: str, method: str, allowed: set[str]) -> None:
    answer = cast.ada.call(method, path)
    is_refused(answer, 405)
    assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer x",
        "Basic YTpi",
        "dcy_x",
        "Bearer dcy_" + "x" * 5000,
        "Bearer a b",
        "Bearer \xe9",
    ],
)
def test_no_token_that_is_known(cast: Cast, header: str | None) -> None:
    space = make.space(cast.ada, cast.organization)
    headers = {} if header is None else {b"Authorization": header.encode("latin-1")}
    http = cast.instance.http
    answer = http.get(f"/v1/spaces/{space['id']}", headers=headers)
    is_refused(answer, 401)
    metadata = f"{cast.instance.base}/.well-known/oauth-protected-resource"
    assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata}"'
    is_refused(http.patch(f"/v1/spaces/{space['id']}", json={"title": "Mine"}, headers=headers), 401)
    is_refused_in_graphql(
        http.post("/graphql", json={"query": "{ service { version } }"}, headers=headers), 401
    )
    assert title_of(cast.ada, space) == "Handbook"


def test_a_token_in_the_address_counts_for_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    for name in ("token", "access_token", "authorization"):
        is_refused(cast.instance.http.get(f"/v1/spaces/{space['id']}", params={name: cast.ada.token}), 401)


def deep(levels: int) -> bytes:
    """A body nested so many levels deep."""
    return TITLE + b"[" * levels + b"]" * levels + b"}"


GARBAGE: dict[str, bytes] = {
    "words": b"title=Mine",
    "half": b'{"title": "Mi',
    "list": b'["title"]',
    "text": b'"title"',
    "number": b"1",
    "null": b"null",
    "two": b'{"title": "a"} {"title": "b"}',
    "nan": TITLE + b"NaN}",
    "NUL": TITLE + b'"M\\u0000ine"}',
    "raw NUL": TITLE + b'"M\x00ine"}',
    "lone surrogate": TITLE + b'"\\ud800"}',
    "lone surrogate in bytes": TITLE + b'"\xed\xa0\x80"}',
    "latin-1": TITLE + b'"\xe9"}',
    "bom": b"\xef\xbb\xbf" + TITLE + b'"Mine"}',
    "deep": deep(100_000),
    "deep unclosed": TITLE + b"[" * 250_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "wrong type": TITLE + b"1}",
    "infinity": TITLE + b"1e400}",
    "long integer": TITLE + b"9" * 10_000 + b"}",
    "too long": TITLE + json.dumps("x" * 51).encode() + b"}",
    "empty": TITLE + b'""}',
    "null title": TITLE + b"null}",
    "wrong enumeration": b'{"editMode": "frozen"}',
    "enumeration by its GraphQL name": b'{"editMode": "LOCKED"}',
    "good and bad": b'{"title": "Mine", "icon": "javascript:alert(1)"}',
    "duplicate keys": b'{"title": "Mine", "title": 1}',
}


@pytest.mark.parametrize("raw", GARBAGE.values(), ids=GARBAGE.keys())
def test_a_garbage_body(cast: Cast, raw: bytes) -> None:
    space = make.space(cast.ada, cast.organization)
    json_ = {"Content-Type": "application/json"}
    is_refused(cast.ada.call("PATCH", f"/v1/spaces/{space['id']}", content=raw, headers=json_), 400)
    named = b'"space": "' + space["id"].encode() + b'", '
    given = raw.replace(b"{", b"{" + named, 1) if raw.startswith(b"{") else raw
    asked = b'{"query": ' + json.dumps(UPDATE).encode() + b', "variables": {"input": ' + given + b"}}"
    answer = cast.ada.call("POST", "/graphql", content=asked, headers=json_)
    if raw == GARBAGE["enumeration by its GraphQL name"]:  # there it has no other
        return
    if "errors" in answer.json():
        is_refused_in_graphql(answer, 400)
    else:
        (refused,) = answer.json()["data"]["updateSpace"]["userErrors"]
        assert refused["code"] == "BAD_REQUEST"
        assert refused["message"]
    assert title_of(cast.ada, space) == "Handbook"


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"null", b"[]", b"[{}]", b'{"query": 1}', b'{"query": "{"}', b'{"query": ""}', b"\xff",
        b'{"query": "{ nothing }"}', b'{"query": "{ service }", "variables": []}', b'{"query": "{ a", "x": 1',
    ],
)  # fmt: skip
def test_a_garbage_query(cast: Cast, raw: bytes) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/graphql-response+json"}
    answer = cast.ada.call("POST", "/graphql", content=raw, headers=headers)
    assert answer.status_code == 400
    is_refused_in_graphql(answer, 400)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
        "application/xml", "application/json; charset=latin-1", "application/merge-patch+json",
        "json", "text/json",
    ],
)  # fmt: skip
def test_a_body_that_is_not_called_json(cast: Cast, content_type: str) -> None:
    space = make.space(cast.ada, cast.organization)
    headers = {"Content-Type": content_type}
    raw = TITLE + b'"Mine"}'
    is_refused(cast.ada.call("PATCH", f"/v1/spaces/{space['id']}", content=raw, headers=headers), 415)
    asked = json.dumps({"query": UPDATE, "variables": {"input": {"space": space["id"], "title": "Mine"}}})
    is_refused_in_graphql(cast.ada.call("POST", "/graphql", content=asked, headers=headers), 415)
    assert title_of(cast.ada, space) == "Handbook"


def test_a_body_of_fifty_megabytes(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    raw = TITLE + b'"' + b"x" * 50_000_000 + b'"}'

    def in_pieces() -> Any:
        for start in range(0, len(raw), 1_000_000):
            yield raw[start : start + 1_000_000]

    json_ = {"Content-Type": "application/json"}
    for content in (raw, in_pieces()):
        path = f"/v1/spaces/{space['id']}"
        is_refused(cast.ada.call("PATCH", path, content=content, headers=json_), 413)
    is_refused_in_graphql(cast.ada.call("POST", "/graphql", content=raw, headers=json_), 413)
    assert title_of(cast.ada, space) == "Handbook"


@pytest.mark.parametrize(
    "limit", ["-1", "1001", "x", "", "1.5", "1e3", "9" * 400, "NaN", "0x10", "\u0661", "null"]
)
def test_a_limit_that_means_nothing(cast: Cast, limit: str) -> None:
    error = is_refused(cast.ada.get(f"/v1/orgs/{cast.organization}/spaces", params={"limit": limit}), 400)
    assert error["details"][0]["path"] == "limit"


def test_a_parameter_that_takes_one_value_is_given_once(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    error = is_refused(cast.ada.get(f"{path}?limit=x&limit=5"), 400)
    assert error["details"][0]["path"] == "limit"
    assert cast.ada.get(f"{path}?limit=5&unknown=1&unknown=2").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "where"),
    [
        ("POST", "invites", {"emails": ["ann@example.org", "x"]}, "emails.1"),
        ("POST", "invites", {"emails": [{"email": "ann@example.org"}]}, "emails.0"),
        ("POST", "invites", {"emails": [{"email": "ann@example.org", "role": "x"}]}, "emails.0"),
        ("POST", "invites", {"emails": [7]}, "emails.0"),
        ("PUT", "teams/{team}/members", {"memberships": {"ann@x.org": {}}}, "memberships.ann@x.org"),
        ("PUT", "teams", {"members": []}, "title"),
    ],
)
def test_an_error_names_its_place_as_the_caller_wrote_it(
    cast: Cast, method: str, path: str, body: dict[str, Any], where: str
) -> None:
    team = grants.team(cast.ada, cast.organization)
    address = f"/v1/orgs/{cast.organization}/{path.format(team=team)}"
    error = is_refused(cast.ada.call(method, address, json=body), 400)
    paths = [detail["path"] for detail in error["details"]]
    assert error["message"].startswith(f"{paths[0]}: ")
    assert paths[0] == where
    assert set(paths) <= {where, f"{where}.role"}


def test_an_error_is_a_sentence_of_ours(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    both = {"markdown": "x", "document": {"object": "document", "data": {}, "nodes": []}}
    error = is_refused(cast.ada.post(f"/v1/spaces/{space}/comments", {"body": both}), 400)
    assert error["message"] == "body: give markdown or document, not both"


@pytest.mark.parametrize("limit", [-1, 1001, 2**31, 1.5, "x", None])
def test_a_first_that_means_nothing(cast: Cast, limit: Any) -> None:
    asked = {"query": LIMIT, "variables": {"id": cast.organization, "first": limit}}
    is_refused_in_graphql(cast.ada.post("/graphql", asked), 400)


def tampered(token: str) -> list[str]:
    """Page tokens made from a good one."""
    body, _, signature = token.partition(".")
    return [
        "x", ".", "..", body, f".{signature}", f"{body}.", f"{body}.{signature[:-1]}", f"{token}.x",
        f"{body[:-2]}AA.{signature}", f"{body}.{'A' * len(signature)}", f"{token}=", f" {token}",
        token.upper(), "\x00", "é", "x" * 5000,
    ]  # fmt: skip


def test_a_page_token_that_was_tampered_with(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    good = token_of(cast.ada, path, lambda: make.space(cast.ada, cast.organization))
    for token in tampered(good):
        is_refused(cast.ada.get(path, params={"page": token}), 400)
    assert cast.ada.get(path, params={"page": good}).status_code == 200


def test_a_page_token_of_another_list_or_another_caller(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    good = token_of(cast.ada, path, lambda: make.space(cast.ada, cast.organization))
    is_refused(cast.ria.get(path, params={"page": good}), 400)
    is_refused(cast.ada.get(f"/v1/orgs/{cast.organization}/collections", params={"page": good}), 400)
    is_refused(cast.ada.get("/v1/orgs", params={"page": good}), 400)
    theirs = token_of(
        cast.sol, f"/v1/orgs/{cast.elsewhere}/spaces", lambda: make.space(cast.sol, cast.elsewhere)
    )
    is_refused(cast.ada.get(path, params={"page": theirs}), 400)


def token_of(person: Person, path: str, more: Callable[[], object]) -> str:
    """The page token of a list of two."""
    more()
    more()
    return str(person.get(path, params={"limit": 1}).json()["next"]["page"])


def test_every_field_that_is_wrong_is_named(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    wrong = {"title": "", "editMode": "frozen", "icon": 1, "language": "xx", "parent": False, "unknown": 1}
    error = is_refused(cast.ada.post(path, wrong), 400)
    assert {detail["path"] for detail in error["details"]} == wrong.keys()


def test_a_query_with_a_thousand_names_or_nul_is_answered(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/spaces"
    many = "&".join(f"x{number}=1" for number in range(1000))
    assert cast.ada.get(f"{path}?{many}").status_code == 200
    is_refused(cast.ada.get(f"{path}?page=%00"), 400)
    is_refused(cast.ada.get(f"{path}?limit=%ff"), 400)


def test_an_id_far_longer_than_any_of_ours_is_not_found(cast: Cast) -> None:
    is_refused(cast.ada.get(f"/v1/spaces/{'x' * 8000}"), 404)


@pytest.mark.parametrize("path", ["/v1/orgs", "/graphql", "/healthz"])
def test_a_failure_of_ours_has_the_shape_and_tells_nothing(tmp_path: Path, path: str) -> None:
    app = create_app(Settings(database=str(tmp_path / "missing" / "docyard.db"), sites_url="http://sites"))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get(path)

    answer = asyncio.run(ask())
    is_refused(answer, 500)
    assert "missing" not in answer.text


def test_a_failure_in_the_middle_tells_nothing_either(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        asked(fresh_database, "ALTER TABLE team RENAME TO elsewhere")
        is_refused(cast.ada.get(f"/v1/orgs/{cast.organization}/teams"), 500)
        query = "query ($id: ID!) { organization(id: $id) { title teams { totalCount } } }"
        answer = cast.ada.post("/graphql", {"query": query, "variables": {"id": cast.organization}})
    (error,) = answer.json()["errors"]
    assert error["message"] == "Something went wrong on our side."
    assert error["extensions"] == {"code": "INTERNAL", "status": 500}
    assert answer.json()["data"]["organization"]["title"]


def title_of(person: Person, space: dict[str, Any]) -> str:
    """The title a space has now."""
    return str(person.get(f"/v1/spaces/{space['id']}").json()["title"])


def test_complaints_speak_of_the_api_and_not_of_the_program(cast: Cast) -> None:
    spec = {"slug": "pets", "source": 5}
    error = is_refused(cast.ada.post(f"/v1/orgs/{cast.organization}/openapi", spec), 400)
    assert error["message"] == "source: Input should be an object"
    error = is_refused(cast.ada.get(f"/v1/orgs/{cast.organization}/collections?nested=perhaps"), 400)
    assert error["message"] == "nested: must be true, false, 1 or 0"

"""What a hostile GraphQL document costs: it is refused before anything is executed (threats, 47-49)."""

from __future__ import annotations

import pytest

from tests import make, web
from tests.cast import Cast

HOSTILE = {
    "aliases": "{" + " ".join(f"a{n}: me {{ id }}" for n in range(10_000)) + "}",
    "the same field again and again": "{ me {" + " id" * 1_000 + " } }",
    "depth": "{ organizations " + "{ nodes { spaces " * 30 + "{ totalCount }" + " } }" * 30 + " }",
    "a fragment that contains itself": "query { me { ...f } } fragment f on User { ...f }",
    "fragments that double": "query { me { ...f0 } } "
    + " ".join(f"fragment f{n} on User {{ ...f{n + 1} ...f{n + 1} }}" for n in range(40))
    + " fragment f40 on User { id }",
    "directives": "{ me { id " + "@skip(if: false) " * 1_000 + " } }",
    "a huge literal": '{ space(id: "' + "x" * 200_000 + '") { id } }',
    "brackets": "{" * 50_000,
    "items times items": "{ organizations(first: 1000) { nodes { spaces(first: 1000) { nodes { id } } } } }",
    "items through a default": "query ($n: Int! = 1000) { organizations(first: $n) { nodes"
    " { spaces(first: $n) { nodes { id } } } } }",
    "a number without end": "{ organizations(first: " + "9" * 5_000 + ") { totalCount } }",
    "a default without end": "query ($n: JSON = " + "9" * 5_000 + ") { me { id } }",
    "an unknown field": "{ password }",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_refused_with_a_typed_code(cast: Cast, name: str) -> None:
    answer = cast.ada.post("/graphql", {"query": HOSTILE[name]})
    assert answer.status_code == 400
    errors = answer.json()["errors"]
    assert "data" not in answer.json()
    assert {error["extensions"]["status"] for error in errors} == {400}
    assert "Traceback" not in answer.text
    assert "INTERNAL" not in answer.text


def test_a_variable_raises_the_cost_like_a_literal(cast: Cast) -> None:
    query = "query ($n: Int!) { organizations(first: $n) { nodes { spaces(first: $n) { nodes { id } } } } }"
    assert "errors" in cast.ada.gql(query, n=1000)
    assert cast.ada.ask(query, n=5)["organizations"]["nodes"]


@pytest.mark.parametrize(
    ("body", "status"),
    [([{"query": "{ me { id } }"}], 400), ("{ me { id } }", 400), ({"query": 1}, 400), ({}, 400)],
)
def test_only_one_object_with_a_query_is_read(cast: Cast, body: object, status: int) -> None:
    assert cast.ada.post("/graphql", body).status_code == status


def test_a_form_or_a_link_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    mutation = f'mutation {{ updateSpace(id: "{space["id"]}", change: {{ title: "Taken" }}) {{ id }} }}'
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    base = cast.house.base
    form = web.post(f"{base}/graphql", headers=headers, data={"query": mutation})
    link = web.get(f"{base}/graphql", headers=headers, params={"query": mutation})
    assert form.status_code == 415
    assert link.headers["content-type"].startswith("text/html") or link.status_code >= 400
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == "Handbook"


def test_a_forbidden_field_is_a_typed_error(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    mutation = 'mutation ($id: ID!) { updateSpace(id: $id, change: { title: "Mine" }) { id } }'
    answer = cast.ria.gql(mutation, id=space["id"])
    assert answer["data"] == {"updateSpace": None}
    assert answer["errors"][0]["extensions"] == {"code": "FORBIDDEN", "status": 403}


def test_without_a_token_nothing_is_told(cast: Cast) -> None:
    answer = web.post(f"{cast.house.base}/graphql", json={"query": "{ __schema { types { name } } }"})
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"

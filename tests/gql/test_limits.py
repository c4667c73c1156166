"""What a hostile GraphQL document costs: it is refused before anything is executed (threats, 47-49)."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from app.api.graphql.documents import Documents, Unfit
from tests import make, web
from tests.cast import Cast
from tests.databases import migrated_in, migrated_on
from tests.gql.spelled import CORE
from tests.house import running
from tests.local_server import Answer, Neighbour, Request, html

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
    "the same fragment again and again": "{" + "...{me{id}}" * 490 + "}",
    "fragments of the same name": "{"
    + " ".join(f"...f{n}" for n in range(450))
    + "}"
    + " ".join(f"fragment f{n} on Query{{me{{id}}}}" for n in range(450)),
    "the schema in itself": "{ __schema { types " + "{ fields { type " * 3 + "{ name }" + " } }" * 3 + " } }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_refused_with_a_typed_code(cast: Cast, name: str) -> None:
    answer = cast.ada.post("/graphql", {"query": HOSTILE[name]})
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


SHORT = "query ($o: ID!) { organization(id: $o) { spaces { nodes { " + " ".join(
    f"a{n}: revisions(first: 1) {{ totalCount }}" for n in range(20)
) + " } } } }"  # fmt: skip


def test_what_takes_too_long_is_ended(cast: Cast, fresh_database: str) -> None:
    """Whatever was worked out by then is answered, and the server is as free as before."""
    with running(fresh_database, graphql_timeout=0.01, graphql_max_cost=10**9) as house:
        cast = make.cast(house)
        for _ in range(20):
            make.space(cast.ada, cast.organization)
        for _ in range(10):
            answer = cast.ada.post("/graphql", {"query": SHORT, "variables": {"o": cast.organization}})
            assert answer.status_code == 200
            codes = {error["extensions"]["code"] for error in answer.json()["errors"]}
            assert codes == {"TIMEOUT"}
            assert "0.01 seconds" in answer.text
        assert cast.ada.get(f"/v1/orgs/{cast.organization}/spaces").json()["count"] == 20


def test_a_statement_that_waits_is_cancelled(postgres_server: str) -> None:
    """More requests than there are connections wait for a lock, and all connections come back."""
    database = migrated_on(postgres_server)
    with running(database, graphql_timeout=0.5) as house:
        cast = make.cast(house)
        make.space(cast.ada, cast.organization)
        query = "query ($o: ID!) { organization(id: $o) { spaces { nodes { id } } } }"

        async def ask() -> list[dict[str, Any]]:
            holder = await asyncpg.connect(database)
            async with holder.transaction():
                await holder.execute("LOCK TABLE space IN ACCESS EXCLUSIVE MODE")
                asked = [asyncio.to_thread(cast.ada.gql, query, o=cast.organization) for _ in range(12)]
                answers = await asyncio.gather(*asked)
                left = await holder.fetchval(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND wait_event_type = 'Lock'"
                )
            await holder.close()
            assert left == 0
            return answers

        for answer in asyncio.run(ask()):
            told = {error["path"][0]: error["extensions"] for error in answer["errors"]}
            assert told["organization"] == {"code": "TIMEOUT", "status": 503}
        assert len(cast.ada.ask(query, o=cast.organization)["organization"]["spaces"]["nodes"]) == 1


def test_time_that_a_change_takes_does_not_count(tmp_path: Path, neighbour: Neighbour) -> None:
    """What is imported from a slow server is there in the end, and so is what follows."""
    waiting = threading.Event()

    def slowly(_request: Request) -> Answer:
        waiting.wait(1.0)
        return html("<p>late</p>", title="Late")

    limits = {"graphql_timeout": 0.5, "outbound_allow": neighbour.address}
    with running(migrated_in(tmp_path), **limits) as house:
        cast = make.cast(house)
        space = make.space(cast.ada, cast.organization)["id"]
        mutation = """mutation ($s: ID!, $u: String!) {
          importContent(space: $s, source: { url: $u, source: WEBSITE }) { revision }
          updateSpace(id: $s, change: { title: "After" }) { title pages { title } }
        }"""
        told = cast.ada.ask(mutation, s=space, u=neighbour.shows("/late", slowly))
        assert told["updateSpace"]["title"] == "After"
        assert len(told["updateSpace"]["pages"]) == 1


FRAGMENTS = "{" + "...{me{id}}" * 490 + "}"


def test_a_refusal_is_remembered_like_a_success() -> None:
    documents = Documents(CORE)

    async def ask() -> list[float]:
        spent = []
        for _ in range(3):
            began = time.process_time()
            with pytest.raises(Unfit, match="repeats fields"):
                await documents.get(FRAGMENTS)
            spent.append(time.process_time() - began)
        return spent

    first, *later = asyncio.run(ask())
    assert max(later) < first / 5


def test_many_refusals_do_not_drive_out_what_is_fit() -> None:
    documents = Documents(CORE, keeps=5)

    async def ask() -> None:
        fit = await documents.get("{ me { id } }")
        for n in range(10):
            with pytest.raises(Unfit):
                await documents.get(f"{{ unknown{n} }}")
        assert await documents.get("{ me { id } }") is fit
        for n in range(10):
            await documents.get(f"{{ a{n}: me {{ id }} }}")
        assert await documents.get("{ me { id } }") is not fit

    asyncio.run(ask())


@pytest.mark.parametrize("introspection", [True, False])
def test_names_are_suggested_where_the_schema_may_be_read(tmp_path: Path, introspection: bool) -> None:
    mistakes = [
        {"query": "{ mee { id } }"},
        {"query": "{ me { idd } }"},
        {"query": "{ me { ...F } } fragment F on Usr { id }"},
        {"query": '{ space(idd: "x") { id } }'},
        {"query": 'mutation { updateSpace(id: "x", change: { titel: "x" }) { id } }'},
        {"query": '{ space(id: "x") { page(id: "x", format: DOCUMENTS) { id } } }'},
        {
            "query": 'mutation ($c: SpaceUpdateInput!) { updateSpace(id: "x", change: $c) { id } }',
            "variables": {"c": {"titel": "x"}},
        },
    ]
    with running(migrated_in(tmp_path), graphql_introspection=introspection) as house:
        cast = make.cast(house)
        for mistake in mistakes:
            answer = cast.ada.post("/graphql", mistake)
            assert "errors" in answer.json()
            assert ("Did you mean" in answer.text) is introspection, answer.text

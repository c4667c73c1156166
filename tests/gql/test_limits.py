"""Hostile GraphQL documents are refused before anything is executed (threats, 47-49)."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from app.api.graphql.documents import Documents, Unfit
from app.domain.content.bodies import BUDGET
from tests import anonymous, make
from tests.cast import Cast
from tests.databases import migrated_in, migrated_on
from tests.gql.query_spellings import CORE
from tests.instance import running
from tests.local_server import Answer, Neighbour, Request, html

HOSTILE = {
    "a long text": ("{" + " ".join(f"a{n}: me {{ id }}" for n in range(10_000)) + "}", "100000 characters"),
    "aliases": ("{" + " ".join(f"a{n}: me {{ id }}" for n in range(60)) + "}", "at most 50 aliases"),
    "words": ("{ me { id " + "@skip(if: false) " * 1_000 + " } }", "6000 tokens"),
    "the same field again and again": ("{ me {" + " id" * 1_000 + " } }", "at most 20 times"),
    "depth": (
        "{ me { organizations " + "{ nodes { spaces " * 30 + "{ totalCount }" + " } }" * 30 + " } }",
        "at most 16 deep",
    ),
    "a fragment that contains itself": ("query { me { ...f } } fragment f on User { ...f }", "itself"),
    "fragments that double": (
        "query { me { ...f0 } } "
        + " ".join(f"fragment f{n} on User {{ ...f{n + 1} ...f{n + 1} }}" for n in range(40))
        + " fragment f40 on User { id }",
        "at most 16 deep",
    ),
    "directives": ("{ me { id " + "@skip(if: false) " * 100 + " } }", "at most 50 directives"),
    "a huge literal": ('{ space(id: "' + "x" * 200_000 + '") { id } }', "100000 characters"),
    "brackets": ("{" * 50_000, "Expected Name"),
    "items times items": (
        "{ me { organizations(first: 1000) { nodes { spaces(first: 1000) { nodes { id } } } } } }",
        "may cost",
    ),
    "items through a default": (
        "query ($n: Int! = 1000) { me { organizations(first: $n) { nodes"
        " { spaces(first: $n) { nodes { id } } } } } }",
        "may cost",
    ),
    "a number without end": (
        "{ me { organizations(first: " + "9" * 5_000 + ") { totalCount } } }",
        "at most 400 digits",
    ),
    "a default without end": (
        "query ($n: JSON = " + "9" * 5_000 + ") { me { id } }",
        "at most 400 digits",
    ),
    "an unknown field": ("{ password }", "Cannot query field 'password'"),
    "nothing": ("", "Syntax Error"),
    "the same fragment again and again": ("{" + "...{me{id}}" * 490 + "}", "repeats fields"),
    "fragments of the same name": (
        "{"
        + " ".join(f"...f{n}" for n in range(450))
        + "}"
        + " ".join(f"fragment f{n} on Query{{me{{id}}}}" for n in range(450)),
        "repeats fields",
    ),
    "the schema in itself": (
        "{ __schema { types " + "{ fields { type " * 3 + "{ name }" + " } }" * 3 + " } }",
        "introspection",
    ),
    "ids without end": ('{ nodes(ids: ["' + '", "'.join(["x"] * 2_001) + '"]) { id } }', "may cost"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_refused_with_a_typed_code(cast: Cast, name: str) -> None:
    text, why = HOSTILE[name]
    answer = cast.ada.post("/graphql", {"query": text})
    errors = answer.json()["errors"]
    assert "data" not in answer.json()
    assert {error["extensions"]["status"] for error in errors} == {400}
    assert why in errors[0]["message"]
    assert "Traceback" not in answer.text
    assert "INTERNAL" not in answer.text


def test_a_variable_raises_the_cost_like_a_literal(cast: Cast) -> None:
    query = """query ($n: Int!) {
      me { organizations(first: $n) { nodes { spaces(first: $n) { nodes { id } } } } }
    }"""
    (error,) = cast.ada.gql(query, n=1000)["errors"]
    assert error["extensions"]["code"] == "TOO_COSTLY"
    assert cast.ada.ask(query, n=5)["me"]["organizations"]["nodes"]


@pytest.mark.parametrize(
    ("body", "status"),
    [([{"query": "{ me { id } }"}], 400), ("{ me { id } }", 400), ({"query": 1}, 400), ({}, 400)],
)
def test_only_one_object_with_a_query_is_read(cast: Cast, body: object, status: int) -> None:
    assert cast.ada.post("/graphql", body).status_code == status


def test_a_form_or_a_link_changes_nothing(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    mutation = f"""mutation {{
      updateSpace(input: {{ space: "{space["id"]}", title: "Taken" }}) {{ space {{ id }} }}
    }}"""
    headers = {"Authorization": f"Bearer {cast.ada.token}"}
    base = cast.instance.base
    form = anonymous.post(f"{base}/graphql", headers=headers, data={"query": mutation})
    link = anonymous.get(f"{base}/graphql", headers=headers, params={"query": mutation})
    assert form.status_code == 415
    assert link.status_code == 405
    assert cast.ada.get(f"/v1/spaces/{space['id']}").json()["title"] == "Handbook"


def test_a_forbidden_field_is_a_typed_error(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    payload = cast.ria.tried("updateSpace", "space { title }", space=space["id"], title="Mine")
    (error,) = payload.pop("userErrors")
    assert payload == {"space": None}
    assert error["code"] == "FORBIDDEN"
    answer = cast.ria.gql(
        "query ($id: ID!) { organization(id: $id) { title auditEvents { totalCount } } }",
        id=cast.organization,
    )
    assert answer["data"] == {"organization": {"title": "Analytical Engines", "auditEvents": None}}
    assert answer["errors"][0]["extensions"] == {"code": "FORBIDDEN", "status": 403}


def test_without_a_token_nothing_is_told(cast: Cast) -> None:
    answer = anonymous.post(
        f"{cast.instance.base}/graphql", json={"query": "{ __schema { types { name } } }"}
    )
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"


SHORT = "query ($o: ID!) { organization(id: $o) { spaces { nodes { " + " ".join(
    f"a{n}: revisions(first: 1) {{ totalCount }}" for n in range(20)
) + " } } } }"  # fmt: skip


def test_what_takes_too_long_is_ended(cast: Cast, fresh_database: str) -> None:
    """Whatever was worked out by then is answered, and the server is as free as before."""
    with running(fresh_database, graphql_timeout=0.01, graphql_max_cost=10**9) as instance:
        cast = make.cast(instance)
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
    with running(database, graphql_timeout=0.5) as instance:
        cast = make.cast(instance)
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
    """Content imported from a slow server is there in the end, and so is what follows."""
    waiting = threading.Event()

    def slowly(_request: Request) -> Answer:
        waiting.wait(1.0)
        return html("<p>late</p>", title="Late")

    limits = {"graphql_timeout": 0.5, "outbound_allow": neighbour.address}
    with running(migrated_in(tmp_path), **limits) as instance:
        cast = make.cast(instance)
        space = make.space(cast.ada, cast.organization)["id"]
        mutation = """mutation ($s: ID!, $u: URL!) {
          importContent(input: { space: $s, url: $u, source: WEBSITE }) { userErrors { message } }
          updateSpace(input: { space: $s, title: "After" }) { space { title pages { title } } }
        }"""
        told = cast.ada.ask(mutation, s=space, u=neighbour.shows("/late", slowly))
        assert told["importContent"]["userErrors"] == []
        assert told["updateSpace"]["space"]["title"] == "After"
        assert len(told["updateSpace"]["space"]["pages"]) == 1


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
        {"query": 'mutation { updateSpace(input: { space: "x", titel: "x" }) { space { id } } }'},
        {"query": '{ space(id: "x") { changeRequests(filter: { status: [OPENED] }) { totalCount } } }'},
        {
            "query": "mutation ($i: UpdateSpaceInput!) { updateSpace(input: $i) { space { id } } }",
            "variables": {"i": {"space": "x", "titel": "x"}},
        },
    ]
    with running(migrated_in(tmp_path), graphql_introspection=introspection) as instance:
        cast = make.cast(instance)
        for mistake in mistakes:
            answer = cast.ada.post("/graphql", mistake)
            assert "errors" in answer.json()
            assert any(each in answer.text for each in ("Did you mean", "Allowed values")) is introspection, (
                answer.text
            )


def test_texts_of_a_list_are_converted_within_one_budget(cast: Cast) -> None:
    """One after another, so that no pool is full; beyond the budget a text is one plain paragraph."""
    space = make.space(cast.ada, cast.organization)["id"]
    text = "**bold** " * 999 + "**bold**"
    for _ in range(70):
        cast.ada.post(f"/v1/spaces/{space}/comments", {"body": {"markdown": text}})
    query = """query ($s: ID!) {
      space(id: $s) { comments(first: 100) { nodes { body { markdown document } } } }
    }"""
    listed = cast.ada.ask(query, s=space)["space"]["comments"]["nodes"]
    assert {each["body"]["markdown"] for each in listed} == {text}
    styled = ["**" not in str(each["body"]["document"]) for each in listed]
    within = BUDGET // len(text)
    assert styled == [True] * within + [False] * (70 - within)

"""GET: answers that are unchanged are not made again, and never stale; nobody reads what is public."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.api.graphql import server
from tests import make
from tests.cast import Cast, Person
from tests.cli.command import ROOT
from tests.databases import migrated_in
from tests.instance import running

SPACE = "query ($id: ID!) { space(id: $id) { title } }"
ME = "{ me { id } }"
LIMITED = "{ rateLimit { limit remaining resetAt cost costLimit } }"
ELSEWHERE = """
import asyncio, sys
from app.kit.database.engines import open_database
from app.models.spaces import Space

async def main():
    db = open_database(sys.argv[1])
    async with db.transaction() as tx:
        await tx.put(Space, {"title": sys.argv[3]}, id=sys.argv[2])
    await db.close()

asyncio.run(main())
"""


def get(person: Person, query: str, tag: str | None = None, **variables: Any) -> httpx.Response:
    """Query by GET, if need be with the tag of an earlier answer."""
    headers = {} if tag is None else {"If-None-Match": tag}
    parts = {"query": query, "variables": json.dumps(variables)}
    return person.get("/graphql", params=parts, headers={"Accept": "application/json", **headers})


def anonymous(cast: Cast, query: str, **headers: str) -> httpx.Response:
    """Query by GET without credentials."""
    given = {"Accept": "application/json", **headers}
    return cast.instance.http.get("/graphql", params={"query": query}, headers=given)


def test_an_unchanged_answer_is_not_made_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    made: list[Any] = []
    prepared = server._prepared

    def noted(*given: Any) -> Any:
        made.append(given)
        return prepared(*given)

    monkeypatch.setattr(server, "_prepared", noted)
    tag = get(cast.ada, SPACE, id=space).headers["etag"]
    answers = [get(cast.ada, SPACE, tag, id=space) for _ in range(30)]
    assert {answer.status_code for answer in answers} == {304}
    assert {answer.headers["etag"] for answer in answers} == {tag}
    assert {answer.headers["cache-control"] for answer in answers} == {"private, no-cache"}
    assert len(made) < 25  # now and then something else is committed


def test_each_change_is_seen_by_the_next_get(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    tag = get(cast.ada, SPACE, id=space).headers["etag"]
    for turn in range(10):
        for _ in range(2):
            assert get(cast.ada, SPACE, tag, id=space).status_code == 304
        assert cast.ada.patch(f"/v1/spaces/{space}", {"title": f"Title {turn}"}).status_code == 200
        answer = get(cast.ada, SPACE, tag, id=space)
        assert answer.json()["data"]["space"]["title"] == f"Title {turn}"
        tag = answer.headers["etag"]


def test_a_change_by_another_process_is_seen_by_the_next_get(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    tag = get(cast.ada, SPACE, id=space).headers["etag"]
    for _ in range(3):
        assert get(cast.ada, SPACE, tag, id=space).status_code == 304
    given = [sys.executable, "-c", ELSEWHERE, cast.instance.settings.database, space, "From elsewhere"]
    subprocess.run(given, check=True, cwd=ROOT)
    assert get(cast.ada, SPACE, tag, id=space).json()["data"]["space"]["title"] == "From elsewhere"


def test_who_loses_access_does_not_hear_that_nothing_changed(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    tag = get(cast.ria, SPACE, id=space).headers["etag"]
    assert get(cast.ria, SPACE, tag, id=space).status_code == 304
    assert get(cast.sol, SPACE, tag, id=space).json()["data"] == {"space": None}
    gone = cast.ada.call("DELETE", f"/v1/orgs/{cast.organization}/members/{cast.ria.id}")
    assert gone.status_code in (200, 204, 205)
    assert get(cast.ria, SPACE, tag, id=space).json()["data"] == {"space": None}


def test_what_is_not_in_the_database_is_read_each_time(tmp_path: Path) -> None:
    with running(migrated_in(tmp_path), rate_limit=100) as instance:
        ada = make.cast(instance).ada
        first = get(ada, LIMITED)
        told = first.json()["data"]["rateLimit"]
        again = get(ada, LIMITED, first.headers["etag"])
        assert (told["limit"], told["costLimit"]) == (100, instance.settings.graphql_max_cost)
        assert told["cost"] == first.json()["extensions"]["cost"]["requested"]
        assert again.json()["data"]["rateLimit"]["remaining"] < told["remaining"] < 100
        left = [int(answer.headers["x-ratelimit-remaining"]) for answer in (first, again)]
        assert left == [told["remaining"], again.json()["data"]["rateLimit"]["remaining"]]
        assert {answer.headers["x-ratelimit-limit"] for answer in (first, again)} == {"100"}
        assert 0 < int(again.headers["x-ratelimit-reset"]) <= 60


def test_calls_beyond_the_limit_are_refused_though_nothing_changed(tmp_path: Path) -> None:
    with running(migrated_in(tmp_path), rate_limit=30) as instance:
        ada = make.cast(instance).ada
        tag = get(ada, ME).headers["etag"]
        answers = [get(ada, ME, tag) for _ in range(40)]
        assert answers[0].status_code == 304
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) > 0
        assert answers[-1].json()["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"


def test_a_quota_counts_calls_to_which_nothing_changed(tmp_path: Path) -> None:
    with running(migrated_in(tmp_path), requests_quota=40) as instance:
        cast = make.cast(instance)
        space = make.space(cast.ada, cast.organization)["id"]
        tag = get(cast.ada, SPACE, id=space).headers["etag"]
        answers = [get(cast.ada, SPACE, tag, id=space) for _ in range(50)]
        assert answers[0].status_code == 304
        assert answers[-1].json()["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"


def test_nobody_reads_what_is_public_and_caches_may_share_it(cast: Cast) -> None:
    answer = anonymous(cast, "{ service { version } }")
    assert answer.json()["data"]["service"]["version"] == cast.instance.http.get("/v1/").json()["version"]
    assert answer.headers["cache-control"] == "public, max-age=60, stale-while-revalidate=600"
    again = anonymous(cast, "{ service { version } }", **{"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, answer.headers["cache-control"])
    mine = get(cast.ada, "{ service { version } }")
    assert mine.headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize(
    "query",
    [
        "{ me { id } }",
        "{ me { organizations { totalCount } } }",
        '{ space(id: "x") { id } }',
        "{ __schema { queryType { name } } }",
    ],
)
def test_all_else_needs_a_token(cast: Cast, query: str) -> None:
    answer = anonymous(cast, query)
    assert (answer.status_code, answer.headers["www-authenticate"].partition(" ")[0]) == (401, "Bearer")
    assert set(answer.json()) == {"errors"}
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_refused_to_nobody_leaves_the_rest_of_the_answer(cast: Cast) -> None:
    answer = anonymous(cast, "{ service { version } me { id } }")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert answer.json()["data"]["service"]
    assert answer.json()["data"]["me"] is None
    (error,) = answer.json()["errors"]
    assert (error["path"], error["extensions"]["code"]) == (["me"], "UNAUTHENTICATED")


def test_a_space_is_not_shown_to_nobody_by_any_of_its_ids(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    known = cast.ada.ask("query ($id: ID!) { space(id: $id) { id } }", id=space)["space"]["id"]
    for query in (f'{{ space(id: "{space}") {{ title }} }}', f'{{ node(id: "{known}") {{ id }} }}'):
        assert anonymous(cast, query).status_code == 401


def test_a_post_needs_a_token_whatever_it_reads(cast: Cast) -> None:
    answer = cast.instance.http.post("/graphql", json={"query": "{ service { version } }"})
    assert answer.status_code == 401


def test_a_bad_token_is_refused_by_get_too(cast: Cast) -> None:
    assert anonymous(cast, "{ service { version } }", Authorization="Bearer none").status_code == 401

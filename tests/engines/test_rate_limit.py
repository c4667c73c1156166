"""The rate limit, where it is switched on."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import select

from app.api.catalog import OPERATIONS
from app.kit.database.statements import rows, table
from app.models.access import Bucket
from tests import make
from tests.contract.faces import Call
from tests.contract.statements import counts_anew
from tests.instance import Instance, running
from tests.timing import Clock, until

BY_ID = {row.id: row for row in OPERATIONS}
BUCKETS = table(Bucket)
_BUCKETS = rows(lambda: select(BUCKETS.c.calls_left))


def test_a_token_is_limited_and_no_other_with_it(fresh_database: str, clock: Clock) -> None:
    with running(fresh_database, rate_limit=5) as instance:
        cast = make.cast(instance)
        headers = {"X-Forwarded-For": "203.0.113.9"}
        answers = [cast.ada.get("/v1/user", headers=headers) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        refused = answers[-1]
        assert refused.json()["error"]["code"] == 429
        assert refused.headers["retry-after"] == "12"
        assert cast.ed.get("/v1/user").status_code == 200
        assert cast.ada.gql("{ me { id } }")["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"
        clock.turn(12.1)
        assert [cast.ada.get("/v1/user").status_code for _ in range(2)] == [200, 429]


def test_calls_below_the_limit_all_pass(fresh_database: str, clock: Clock) -> None:
    with running(fresh_database, rate_limit=1200) as instance:
        cast = make.cast(instance)
        statuses = set()
        for _ in range(60):
            statuses.add(cast.ada.get("/v1/user").status_code)
            clock.turn(0.05)
        assert statuses == {200}


def test_processes_share_what_is_left_of_a_limit(fresh_database: str, clock: Clock) -> None:
    with running(fresh_database, rate_limit=5) as instance, running(fresh_database, rate_limit=5) as other:
        cast = make.cast(instance)
        there = replace(cast.ada, instance=other)
        assert [cast.ada.get("/v1/user").status_code for _ in range(5)] == [200] * 5
        until(lambda: calls_left(instance) < 1, "it is not told")
        statuses = until(lambda: [there.get("/v1/user").status_code].count(429), "the limit is not shared")
        assert statuses
        assert calls_left(instance) >= -5, "each process lets a bucket through at most"
        clock.turn(120)
        assert there.get("/v1/user").status_code == 200


def calls_left(instance: Instance) -> float:
    """Return the calls left in the only bucket, as processes told."""
    return min((row.calls_left for row in instance.opened(lambda db: db.all(_BUCKETS))), default=5.0)


def test_reads_cost_no_statement_more_with_a_limit(fresh_database: str) -> None:
    counted = []
    for rate_limit in (0, 1000):
        with running(fresh_database, rate_limit=rate_limit) as instance:
            cast = make.cast(instance)
            space = make.space(cast.ada, cast.organization)["id"]
            call = Call({"spaceId": space})
            counted.append(counts_anew(cast, BY_ID["getSpaceById"], call))
    assert counted[0] == counted[1]

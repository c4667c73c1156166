"""The rate limit, where it is switched on."""

from __future__ import annotations

from tests import make
from tests.house import running


def test_a_token_is_limited_and_no_other_with_it(empty_database: str) -> None:
    with running(empty_database, rate_limit=5) as house:
        cast = make.cast(house)
        headers = {"X-Forwarded-For": "203.0.113.9"}
        answers = [cast.ada.get("/v1/user", headers=headers) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        refused = answers[-1]
        assert refused.json()["error"]["code"] == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 12
        assert cast.ed.get("/v1/user").status_code == 200
        assert cast.ada.gql("{ me { id } }")["errors"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"


def test_calls_below_the_limit_all_pass(empty_database: str) -> None:
    with running(empty_database, rate_limit=1200) as house:
        cast = make.cast(house)
        statuses = {cast.ada.get("/v1/user").status_code for _ in range(60)}
        assert statuses == {200}

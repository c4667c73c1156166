"""The rate limit, where it is switched on."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import pytest

from app import main
from app.edge import Edge
from app.kit.clock import utc_now
from tests import make
from tests.house import running


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the servers that the test starts."""
    clock = Clock()
    monkeypatch.setattr(main, "Edge", partial(Edge, clock=clock))
    return clock


def test_a_token_is_limited_and_no_other_with_it(empty_database: str, clock: Clock) -> None:
    with running(empty_database, rate_limit=5) as house:
        cast = make.cast(house)
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


def test_calls_below_the_limit_all_pass(empty_database: str, clock: Clock) -> None:
    with running(empty_database, rate_limit=1200) as house:
        cast = make.cast(house)
        statuses = set()
        for _ in range(60):
            statuses.add(cast.ada.get("/v1/user").status_code)
            clock.turn(0.05)
        assert statuses == {200}

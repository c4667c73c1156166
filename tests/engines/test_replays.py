"""Answers that are kept for idempotency keys, for a day."""

from __future__ import annotations

from tests import make
from tests.instance import running
from tests.timing import Clock


def test_a_key_may_be_used_again_after_a_day(fresh_database: str, clock: Clock) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        made = []
        for seconds in (0, 86_000, 800):
            clock.turn(seconds)
            sent = cast.ada.post(
                f"/v1/orgs/{cast.organization}/spaces",
                {"title": "Guide"},
                headers={"Idempotency-Key": "guide-1"},
            )
            made.append(sent.json()["id"])
        assert made[0] == made[1] != made[2]

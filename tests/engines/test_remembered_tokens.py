"""Tokens: their rows are remembered until something is committed, by whichever process."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from app.access import token_actors
from app.access.context import Context
from app.domain.accounts import tokens
from app.kit.clock import utc_now
from app.kit.signing import token_hash
from tests import make
from tests.cast import Cast
from tests.instance import Instance, running
from tests.timing import Clock


def test_a_token_that_another_process_revokes_counts_no_longer(cast: Cast, instance: Instance) -> None:
    brief = make.token(cast.ed)

    async def revoke(cx: Context) -> None:
        known = await token_actors.find(cx.db, token_hash(brief.token), utc_now())
        assert known is not None
        await tokens.revoke(cx, known.rows[0].id)

    def statuses() -> list[int]:
        asked = {"query": "{ me { id } }"}
        return [brief.get("/v1/user").status_code, brief.post("/graphql", json=asked).status_code]

    assert [statuses(), statuses()] == [[200, 200]] * 2
    instance.inside(revoke)
    assert [statuses(), statuses()] == [[401, 401]] * 2


def test_a_token_counts_until_the_moment_that_it_ends(fresh_database: str, clock: Clock) -> None:
    """Also one whose row is remembered: nothing is committed when time passes."""
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        ends = (clock.now + timedelta(minutes=10)).isoformat(timespec="milliseconds")
        made = cast.ed.post("/v1/user/tokens", {"name": "Brief", "expiresAt": ends})
        assert made.status_code == 201, made.text
        brief = replace(cast.ed, token=made.json()["secret"])
        for seconds, status in ((0, 200), (9 * 60, 200), (61, 401)):
            clock.turn(seconds)
            assert brief.get("/v1/user").status_code == status, seconds
        assert cast.ed.get("/v1/user").status_code == 200

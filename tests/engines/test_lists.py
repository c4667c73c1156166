"""Lists: cached counts, and the format of times."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson
import pytest

from app.access.context import Context
from app.access.fetch import seeing_everything
from app.domain.spaces import spaces
from app.kit.clock import to_json, wire_time
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.paging import PageTokens, Paging
from app.kit.signing import Signer
from app.models.service import Fact
from app.models.spaces import Space
from tests import make
from tests.cast import Cast
from tests.instance import Instance

WIRE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def listed(cast: Cast, **query: Any) -> dict[str, Any]:
    answer = cast.ada.get(f"/v1/orgs/{cast.organization}/spaces", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_count_follows_every_change(cast: Cast) -> None:
    for expected in range(1, 4):
        made = make.space(cast.ada, cast.organization)
        assert [listed(cast, limit=limit)["count"] for limit in (1, 1, 0, 50)] == [expected] * 4
    cast.ada.delete(f"/v1/spaces/{made['id']}")
    assert listed(cast)["count"] == 2


def test_a_count_follows_changes_of_another_process(cast: Cast, instance: Instance) -> None:
    space = make.space(cast.ada, cast.organization)
    assert listed(cast)["count"] == 1

    async def delete(cx: Context) -> None:
        await cx.tx.change(Space, {"deleted_at": cx.now}, id=space["id"])

    instance.inside(delete)
    assert listed(cast)["count"] == 0


def test_a_token_keeps_its_count_and_others_get_theirs(cast: Cast) -> None:
    for _ in range(3):
        make.space(cast.ada, cast.organization)
    page = listed(cast, limit=1)["next"]["page"]
    make.space(cast.ada, cast.organization)
    assert listed(cast, limit=1, page=page)["count"] == 3
    assert listed(cast, limit=1)["count"] == 4


def test_counts_are_by_what_the_reader_sees(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)
    hidden = cast.ada.patch(f"/v1/spaces/{space['id']}", json={"defaultLevel": None})
    assert hidden.status_code == 200
    people = (cast.ada, cast.ria, cast.ada, cast.ria)
    counts = [p.get(f"/v1/orgs/{cast.organization}/spaces").json()["count"] for p in people]
    assert counts == [1, 0, 1, 0]


def test_a_list_inside_a_row_is_counted_anew_after_a_change(cast: Cast) -> None:
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/collections", json={"title": "Machinery"})
    path = f"/v1/collections/{made.json()['id']}/spaces"
    for expected in range(1, 3):
        make.space(cast.ada, cast.organization, parent=made.json()["id"])
        assert [cast.ada.get(path, params={"limit": 1}).json()["count"] for _ in range(2)] == [expected] * 2


def test_what_is_remembered_is_forgotten_with_the_next_commit(
    instance: Instance, fresh_database: str
) -> None:
    """In a database where nobody works meanwhile, as the running product does in its own."""

    async def remember() -> list[dict[str, Any]]:
        db, other = open_database(fresh_database), open_database(fresh_database)
        try:
            (await db.memory())["answer"] = 42
            before = dict(await db.memory())
            async with other.transaction() as tx:
                await tx.add(Fact, name="new", value="x")
            return [before, dict(await db.memory())]
        finally:
            await db.close()
            await other.close()

    kept = {"answer": 42} if instance.engine == "sqlite" else {}
    assert asyncio.run(remember()) == [kept, {}]


def test_a_count_outlives_commits_of_other_tables(instance: Instance, fresh_database: str) -> None:
    counted = spaces.IN_ORGANIZATION.counted_tables()

    async def remember() -> list[bool]:
        db = open_database(fresh_database)
        try:
            await put(db, "the writing connection is open")
            tokens = PageTokens(Signer(b"x" * 40), "ada")
            sight = seeing_everything()
            await spaces.IN_ORGANIZATION.page(db, Paging(), tokens, sight=sight, organization="none")
            before = bool(await db.memory_of(counted))
            await put(db, "another")
            after = bool(await db.memory_of(counted))
            async with db.transaction() as tx:
                await tx.remove(Space, id="none")
            return [before, after, bool(await db.memory_of(counted))]
        finally:
            await db.close()

    async def put(db: Database, name: str) -> None:
        async with db.transaction() as tx:
            await tx.add(Fact, name=name, value="x")

    kept = instance.engine == "sqlite"
    assert asyncio.run(remember()) == [kept, kept, False]


def test_lists_write_times_as_they_are(cast: Cast) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    space = make.space(cast.ada, cast.organization)
    item = listed(cast)["items"][0]
    for name in ("createdAt", "updatedAt"):
        assert WIRE.fullmatch(item[name])
        assert before <= datetime.fromisoformat(item[name]) <= datetime.now(UTC)
        assert datetime.fromisoformat(item[name]) == datetime.fromisoformat(space[name])
    assert "deletedAt" not in item


def test_a_time_is_written_in_utc_to_the_millisecond() -> None:
    noon = datetime(2026, 2, 3, 12, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert wire_time(noon) == "2026-02-03T10:00:00.999Z"
    assert wire_time(noon.replace(microsecond=0)) == "2026-02-03T10:00:00.000Z"
    assert datetime.fromisoformat(wire_time(noon)) == noon.replace(microsecond=999_000)


def test_json_holds_plain_values_and_times_and_nothing_else() -> None:
    value = {"at": [datetime(2026, 2, 3, tzinfo=UTC)], "n": 1, "s": "é", "none": None}
    assert orjson.loads(to_json(value)) == {**value, "at": ["2026-02-03T00:00:00.000Z"]}
    with pytest.raises(TypeError):
        to_json({"at": object()})

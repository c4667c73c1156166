"""The audit log: every change leaves one event in the same transaction, alike on both faces, and the chain of
them shows what was altered, left out or put elsewhere."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from app.access.context import Context
from app.domain.audit import audit_chain, audit_verification
from app.domain.audit.audit_verification import Check
from app.kit.database.statements import command, given, rows, table
from app.models.audit import AuditEvent, AuditHead
from tests import make
from tests.cast import Cast
from tests.contract.recipes import RECIPES
from tests.factories import collections

AUDIT_EVENTS = table(AuditEvent)
_ALL = rows(
    lambda: (
        select(*AUDIT_EVENTS.c)
        .where(AUDIT_EVENTS.c.organization_id == given("o"))
        .order_by(AUDIT_EVENTS.c.number)
    )
)
_TAKE_OUT = command(
    lambda: delete(AUDIT_EVENTS).where(
        AUDIT_EVENTS.c.organization_id == given("o"), AUDIT_EVENTS.c.number == given("n")
    )
)
_RENUMBER = command(
    lambda: (
        update(AUDIT_EVENTS)
        .values(number=given("to"))
        .where(AUDIT_EVENTS.c.organization_id == given("o"), AUDIT_EVENTS.c.number == given("n"))
    )
)


def verified(cast: Cast) -> Check:
    """Return how the chain of the organization stands."""
    return cast.instance.inside(lambda cx: audit_verification.verify(cx, cast.organization))


def test_what_failed_and_what_changed_nothing_leaves_no_event(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    organization = f"/v1/orgs/{cast.organization}"
    provider = f"{organization}/saml/{make.provider(cast)}"
    collection = collections.collection(cast.ada, cast.organization)["id"]
    before = verified(cast).events
    for answer, status in (
        (cast.ada.patch(f"/v1/spaces/{space}", {}), 200),
        (cast.ada.patch(f"/v1/collections/{collection}", {}), 200),
        (cast.ada.patch(organization, {}), 200),
        (cast.ada.patch(provider, {}), 200),
        (cast.ada.patch(f"{organization}/members/{cast.ed.id}", {}), 200),
        (cast.ria.patch(f"/v1/spaces/{space}", {"title": "Mine"}), 403),
        (cast.sol.delete(f"/v1/spaces/{space}"), 404),
        (cast.ada.patch(f"/v1/spaces/{space}", {"title": ""}), 400),
        (cast.ada.post(f"/v1/spaces/{space}/restore"), 409),
        (make.token(cast.ada, read_only=True).delete(f"/v1/spaces/{space}"), 403),
    ):
        assert answer.status_code == status
    key = {"Idempotency-Key": cast.organization}
    for _ in range(3):
        assert cast.ada.patch(f"/v1/spaces/{space}", {"title": "Ours"}, headers=key).status_code == 200
    assert verified(cast) == Check(before + 1, None)


def test_events_name_who_acted_by_which_token_and_outlive_everything(cast: Cast) -> None:
    space = make.space(cast.cleo, cast.organization)["id"]
    assert cast.ada.delete(f"/v1/spaces/{space}").status_code == 205
    assert cast.ada.delete(f"/v1/orgs/{cast.organization}/members/{cast.cleo.id}").status_code == 204
    removed, deleted, created = listed(cast)
    assert created["actor"]["user"]["id"] == cast.cleo.id
    assert (created["action"], created["target"]) == (
        "createSpace", {"type": "space", "id": space, "title": "Handbook"}
    )  # fmt: skip
    assert (deleted["action"], deleted["subject"]["id"]) == ("deleteSpaceById", space)
    assert deleted["actor"]["user"]["id"] == cast.ada.id
    assert deleted["actor"]["token"] != created["actor"]["token"]
    assert removed["target"] == {"type": "user", "id": cast.cleo.id}
    assert [event["number"] for event in (created, deleted, removed)] == [1, 2, 3]


def test_what_is_done_in_a_team_names_the_team_and_whom(cast: Cast) -> None:
    teams = f"/v1/orgs/{cast.organization}/teams"
    team = cast.ada.put(teams, {"title": "Stokers"}).json()["id"]
    place = f"{teams}/{team}/members/{cast.ed.id}"
    assert cast.ada.put(place, {"role": "owner"}).status_code == 204
    assert cast.ada.delete(place).status_code == 205
    assert cast.ada.delete(f"{teams}/{team}").status_code == 205
    gone, left, came, _ = listed(cast)
    assert gone["subject"] == left["subject"] == came["subject"]
    assert came["subject"] == {"type": "team", "id": team, "title": "Stokers"}
    assert came["target"] == left["target"] == {"type": "user", "id": cast.ed.id}
    assert "target" not in gone


def listed(cast: Cast, **query: Any) -> list[dict[str, Any]]:
    """The audit log as the administrator reads it."""
    answer = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_the_log_is_filtered_by_who_what_which_and_when(cast: Cast) -> None:
    first = make.space(cast.ada, cast.organization)["id"]
    second = make.space(cast.cleo, cast.organization)["id"]
    time.sleep(0.01)  # times are told in milliseconds, and `until` is not part of what it ends
    cast.cleo.patch(f"/v1/spaces/{second}", {"title": "Renamed"})
    renamed, made, oldest = listed(cast)
    assert listed(cast, actor=cast.cleo.id) == [renamed, made]
    assert listed(cast, action="createSpace") == [made, oldest]
    assert listed(cast, target=second) == [renamed, made]
    assert listed(cast, target=first) == [oldest]
    assert listed(cast, targetType="space") == [renamed, made, oldest]
    assert listed(cast, targetType="team") == []
    assert listed(cast, actor=cast.cleo.id, action="createSpace") == [made]
    between = listed(cast, since=made["createdAt"], until=renamed["createdAt"])
    assert between[-1:] == [made]
    assert renamed not in between
    assert listed(cast, since="2100-01-01T00:00:00Z") == []
    assert listed(cast, until="2000-01-01T00:00:00Z") == []


@pytest.mark.parametrize("edge", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_no_calendar_has_in_greenwich_is_refused(cast: Cast, edge: str) -> None:
    for name in ("since", "until"):
        answer = cast.ada.get(f"/v1/orgs/{cast.organization}/audit-events", params={name: edge})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["details"][0]["path"] == name


SPOILED = {"cut off": 5, "forged": 6, "rewritten": 3, "shortened": 4, "emptied": 1}


@pytest.mark.parametrize("way", ["altered", "removed", "reordered", *SPOILED])
def test_what_was_done_to_a_log_is_found(cast: Cast, way: str) -> None:
    for n in range(5):
        make.space(cast.ada, cast.organization, title=f"Space {n}")
    assert verified(cast) == Check(5, None)
    cast.instance.inside(lambda cx: _spoil(cx, cast, way))
    assert verified(cast).first_broken == SPOILED.get(way, 3)
    # Neither does the next change hide it: an altered head is not sealed again.
    space = {"title": "One more"}
    answer = cast.ada.post(f"/v1/orgs/{cast.organization}/spaces", space)
    assert answer.status_code == (409 if way == "forged" else 201)
    assert verified(cast).first_broken is not None


async def _spoil(cx: Context, cast: Cast, way: str) -> None:
    """Change a log as somebody could who has the database, but not the key."""
    at = {"o": cast.organization}
    events = await cx.db.all(_ALL, **at)
    if way == "altered":
        await cx.tx.put(AuditEvent, {"user_id": cast.ed.id}, organization_id=cast.organization, number=3)
    elif way == "removed":
        await cx.tx.run(_TAKE_OUT, **at, n=3)
    elif way == "cut off":
        await cx.tx.run(_TAKE_OUT, **at, n=5)
    elif way == "reordered":
        for n, to in ((3, 33), (4, 3), (33, 4)):
            await cx.tx.run(_RENUMBER, **at, n=n, to=to)
    elif way == "forged":
        await cx.tx.add(AuditEvent, **{**events[-1]._asdict(), "number": 6})
    elif way == "rewritten":
        await _rewrite(cx, cast, events)
    elif way == "shortened":
        await cx.tx.run(_TAKE_OUT, **at, n=4)
        await cx.tx.run(_TAKE_OUT, **at, n=5)
        await _move_head(cx, cast, 3, events[2].hash)
    else:
        for n in range(1, 6):
            await cx.tx.run(_TAKE_OUT, **at, n=n)
        await cx.tx.remove(AuditHead, organization_id=cast.organization)


async def _rewrite(cx: Context, cast: Cast, events: list[Any]) -> None:
    """Make the third event somebody else's, and all hashes from there on as anybody could compute them."""
    await _rehash(cx, cast, events[2:], events[1].hash, forged=3)


async def _rehash(cx: Context, cast: Cast, events: list[Any], before: str, forged: int = 0) -> None:
    """Give events hashes without a key; the one of the forged number gets another person."""
    for event in events:
        named = {name: getattr(event, name) for name in audit_chain.HASHED}
        named["user_id"] = cast.ed.id if event.number == forged else event.user_id
        text = audit_chain.chained(before, event.number, audit_chain.text_of(named))
        before = sha256(text.encode()).hexdigest()
        values = {"user_id": named["user_id"], "hash": before}
        await cx.tx.put(AuditEvent, values, organization_id=cast.organization, number=event.number)
    await _move_head(cx, cast, events[-1].number, before)


async def _move_head(cx: Context, cast: Cast, number: int, hash_: str) -> None:
    await cx.tx.put(AuditHead, {"number": number, "hash": hash_}, organization_id=cast.organization)


def test_events_of_before_there_was_a_key_are_covered_by_the_first_that_is_signed(cast: Cast) -> None:
    async def unsign(cx: Context) -> None:
        """Leave a log as the version before the key left it, and seal it as the migration does."""
        events = await cx.db.all(_ALL, o=cast.organization)
        await _rehash(cx, cast, events, "")
        await audit_chain.accept(cx, cast.organization)

    def altered(number: int) -> int | None:
        async def alter(cx: Context) -> None:
            where = {"organization_id": cast.organization, "number": number}
            await cx.tx.put(AuditEvent, {"action": "nothing"}, **where)

        cast.instance.inside(alter)
        return verified(cast).first_broken

    for _ in range(2):
        make.space(cast.ada, cast.organization)
    cast.instance.inside(unsign)
    assert verified(cast) == Check(2, None)
    make.space(cast.ada, cast.organization)
    assert verified(cast) == Check(3, None)
    assert altered(1) == 1


def test_writers_at_once_leave_a_chain_without_gaps(cast: Cast) -> None:
    spaces = [make.space(cast.ada, cast.organization)["id"] for _ in range(8)]

    def rename(n: int) -> int:
        return cast.ada.patch(f"/v1/spaces/{spaces[n % 8]}", {"title": f"Renamed {n}"}).status_code

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(rename, range(64))) == {200}
    assert verified(cast) == Check(8 + 64, None)


def test_only_administrators_read_the_log(cast: Cast) -> None:
    path = f"/v1/orgs/{cast.organization}/audit-events"
    make.space(cast.ada, cast.organization)
    for name, person in cast.members.items():
        assert person.get(path).status_code == (200 if name == "admin" else 403)
        assert person.get(f"{path}/1").status_code == (200 if name == "admin" else 403)
    assert cast.sol.get(path).status_code == 404
    for number in ("0", "2", "-1", "x", "9" * 30):
        assert cast.ada.get(f"{path}/{number}").status_code == 404


def test_a_transfer_is_told_in_both_organizations(cast: Cast) -> None:
    call = RECIPES["transferSpace"](cast)
    space = call.path["spaceId"]
    assert cast.ada.post(f"/v1/spaces/{space}/transfer", call.body).status_code == 200
    here = listed(cast)[0]
    there = cast.sol.get(f"/v1/orgs/{cast.elsewhere}/audit-events").json()["items"][0]
    assert (here["action"], here["subject"]["id"]) == ("transferSpace", space)
    assert (there["action"], there["target"]["id"]) == ("transferSpace", space)

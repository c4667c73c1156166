"""Quotas of organizations: requests, events, jobs and bytes, on both faces; other organizations go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.access.context import Context
from app.access.quotas import QuotaName
from app.api.catalog import OPERATIONS
from app.domain.organizations import organizations, quotas
from app.domain.spaces.purge import purge_space
from app.models.spaces import Space
from tests import make
from tests.cast import Cast, Person
from tests.contract.faces import Call
from tests.contract.statements import counts_anew
from tests.factories.changes import insert, send
from tests.factories.integrations import PublishedIntegration
from tests.instance import Instance, idle, running
from tests.local_server import Neighbour, sent
from tests.timing import Clock

EVENTS = """query ($organization: ID!) {
    organization(id: $organization) { quotas { events { limit used } } } }"""
BY_ID = {row.id: row for row in OPERATIONS}


@contextmanager
def limited(database: str, **most: int) -> Iterator[Cast]:
    """People of a server with these quotas."""
    with running(database, **{f"{name}_quota": value for name, value in most.items()}) as instance:
        yield make.cast(instance)


def told(person: Person, organization: str) -> dict[str, Any]:
    """The quotas of an organization, as its administrator sees them."""
    answer = person.get(f"/v1/orgs/{organization}/quotas")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def own(instance: Instance, organization: str, **chosen: int | None) -> None:
    """Give an organization quotas of its own, as an operator does."""
    named: Mapping[QuotaName, int | None] = chosen  # type: ignore[assignment]
    instance.inside(lambda cx: quotas.set_own(cx, organization, named))


def refused(answer: httpx.Response, noun: str) -> int:
    """The seconds after which a refusal by a quota says to come back."""
    assert answer.status_code == 429, answer.text
    assert noun in answer.json()["error"]["message"]
    return int(answer.headers["retry-after"])


def test_requests_of_an_organization_are_counted_and_refused_above_its_quota(
    fresh_database: str, clock: Clock
) -> None:
    with limited(fresh_database, requests=6) as cast:
        space = make.space(cast.ada, cast.organization)["id"]
        path = f"/v1/spaces/{space}"
        assert [person.get(path).status_code for person in (cast.ada, cast.ed, cast.ria)] == [200] * 3
        standing = told(cast.ada, cast.organization)["requests"]
        assert (standing["limit"], standing["used"], standing["window"]) == (6, 5, 60)
        assert cast.sol.get(path).status_code == 404, "a stranger uses up nothing"
        assert cast.ria.patch(path, {"title": "No"}).status_code == 403
        assert refused(cast.ed.get(path), "6 API requests a minute") == 10
        assert refused(cast.ada.patch(path, {"title": "No"}), "6 API requests a minute") == 10
        asked = "query ($id: ID!) { space(id: $id) { title } other: space(id: $id) { title } }"
        errors = cast.ada.gql(asked, id=space)["errors"]
        assert {error["extensions"]["code"] for error in errors} == {"TOO_MANY_REQUESTS"}
        assert errors[0]["extensions"]["retryAfter"] == 10
        assert cast.ada.get("/v1/user").status_code == 200, "which belongs to no organization"
        assert cast.sol.get(f"/v1/orgs/{cast.elsewhere}").status_code == 200
        clock.turn(10)
        assert cast.ada.get(path).status_code == 200
        assert cast.ada.get(path).status_code == 429
        own(cast.instance, cast.organization, requests=7)
        assert cast.ada.get(path).status_code == 200
        assert cast.ada.get(path).status_code == 429


def test_bytes_are_counted_by_what_holds_them_and_refused_above_the_quota(fresh_database: str) -> None:
    with limited(fresh_database, bytes=50_000) as cast:
        space, other = (make.space(cast.ada, cast.organization)["id"] for _ in range(2))
        assert send(cast.ada, space, insert("Long", "a" * 30_000)).status_code == 200
        assert told(cast.ada, cast.organization)["bytes"] == {"limit": 50_000, "used": 30_000}
        refused_page = send(cast.ada, other, insert("Longer", "b" * 30_000))
        assert refused(refused_page, "50,000 stored bytes") == 3600
        upload = {"operation": "insert_files", "files": [make.upload("a.txt", b"c" * 30_000)]}
        assert refused(send(cast.ada, other, upload), "50,000 stored bytes")
        assert cast.ada.get(f"/v1/spaces/{other}/content").json()["pages"] == []
        assert told(cast.ada, cast.organization)["bytes"]["used"] == 30_000
        assert send(cast.ada, other, insert("Short", "d" * 10_000)).status_code == 200
        copy = cast.ada.post(f"/v1/spaces/{other}/duplicate")
        assert copy.status_code == 201, copy.text
        assert told(cast.ada, cast.organization)["bytes"]["used"] == 50_000
        assert cast.ada.delete(f"/v1/spaces/{space}").status_code == 205
        cast.instance.inside(lambda cx: _purge(cx, space))
        assert told(cast.ada, cast.organization)["bytes"]["used"] == 20_000
        assert send(cast.ada, other, insert("Longer", "b" * 30_000)).status_code == 200


async def _purge(cx: Context, space: str) -> None:
    """What happens eight days after a deletion."""
    await cx.tx.change(Space, {"deleted_at": cx.now - timedelta(days=8)}, id=space)
    await purge_space(cx, space)


def test_a_transferred_space_takes_its_bytes_along_as_far_as_there_is_room(fresh_database: str) -> None:
    with limited(fresh_database, bytes=50_000) as cast:
        space = make.space(cast.ada, cast.organization)["id"]
        there = make.space(cast.sol, cast.elsewhere)["id"]
        assert send(cast.ada, space, insert("Long", "a" * 30_000)).status_code == 200
        assert send(cast.sol, there, insert("Long", "a" * 30_000)).status_code == 200
        cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
        path, target = f"/v1/spaces/{space}/transfer", {"organization": cast.elsewhere}
        assert refused(cast.ada.post(path, target), "50,000 stored bytes")
        assert told(cast.ada, cast.organization)["bytes"]["used"] == 30_000
        own(cast.instance, cast.elsewhere, bytes=60_000)
        assert cast.ada.post(path, target).status_code == 200
        assert told(cast.ada, cast.organization)["bytes"]["used"] == 0
        assert told(cast.sol, cast.elsewhere)["bytes"] == {"limit": 60_000, "used": 60_000}


def test_jobs_that_are_not_done_are_counted_and_refused_above_the_quota(fresh_database: str) -> None:
    with idle(), limited(fresh_database, jobs=2) as cast:
        mine = PublishedIntegration(cast, scopes=[])
        theirs = PublishedIntegration(cast, by=cast.sol, organization=cast.elsewhere, scopes=[])
        for _ in range(2):
            mine.post("/tasks", {"task": {}}, 204)
        assert told(cast.ada, cast.organization)["jobs"] == {"limit": 2, "used": 2}
        again = cast.ada.post(f"{mine.path}/tasks", {"task": {}})
        assert refused(again, "2 unfinished jobs") == 10
        spec = f"/v1/orgs/{cast.organization}/openapi/small"
        assert refused(cast.ada.put(spec, {"source": {"text": "openapi: 3.1.0"}}), "2 unfinished jobs")
        assert told(cast.ada, cast.organization)["jobs"]["used"] == 2
        theirs.post("/tasks", {"task": {}}, 204)
        space = make.space(cast.ada, cast.organization)["id"]
        assert cast.ada.delete(f"/v1/spaces/{space}").status_code == 205, "what is upkeep is not refused"
        own(cast.instance, cast.organization, jobs=3)
        mine.post("/tasks", {"task": {}}, 204)


def test_events_are_counted_by_day_and_refused_above_the_quota(
    fresh_database: str, neighbour: Neighbour, clock: Clock
) -> None:
    with running(fresh_database, events_quota=4, outbound_allow=neighbour.address) as instance:
        cast = make.cast(instance)
        made = PublishedIntegration(cast, scopes=["space:content:read"])
        made.put("/dev", {"tunnelUrl": neighbour.shows("/told", sent("ok"))})
        space = make.space(cast.ada, cast.organization)["id"]
        made.on_space(made.install(), space)
        for title in ("One", "Two"):
            assert send(cast.ada, space, insert(title, "text")).status_code == 200
        standing = told(cast.ada, cast.organization)["events"]
        assert (standing["limit"], standing["used"], standing["window"]) == (4, 4, 86_400)
        again = send(cast.ada, space, insert("Three", "text"))
        assert refused(again, "4 events a day") == 86_400 // 4
        assert len(cast.ada.get(f"/v1/spaces/{space}/content").json()["pages"]) == 2
        assert len(made.events()) == 4
        clock.turn(86_400 // 4)
        assert send(cast.ada, space, insert("Three", "text")).status_code == 200


@pytest.mark.parametrize(("default", "chosen"), [(0, None), (1, 0)], ids=["by default", "for one of its own"])
def test_a_quota_of_0_events_is_none(
    fresh_database: str, neighbour: Neighbour, default: int, chosen: int | None
) -> None:
    with running(fresh_database, events_quota=default, outbound_allow=neighbour.address) as instance:
        cast = make.cast(instance)
        own(instance, cast.organization, events=chosen)
        made = PublishedIntegration(cast, scopes=["space:content:read"])
        made.put("/dev", {"tunnelUrl": neighbour.shows("/told", sent("ok"))})
        space = make.space(cast.ada, cast.organization)["id"]
        made.on_space(made.install(), space)
        for title in ("One", "Two", "Three"):
            assert send(cast.ada, space, insert(title, "text")).status_code == 200
        standing = told(cast.ada, cast.organization)["events"]
        assert "limit" not in standing
        assert "resetAt" not in standing
        assert cast.ada.ask(EVENTS, organization=cast.organization) == {
            "organization": {"quotas": {"events": {"limit": None, "used": standing["used"]}}}
        }


def test_visitors_leave_half_of_the_events_to_the_organization(
    fresh_database: str, neighbour: Neighbour, clock: Clock
) -> None:
    with running(fresh_database, events_quota=10, outbound_allow=neighbour.address) as instance:
        cast = make.cast(instance)
        made = PublishedIntegration(cast)
        made.put("/dev", {"tunnelUrl": neighbour.shows("/told", sent("ok"))})
        made.install()
        path = made.published["urls"]["publicEndpoint"]
        with httpx.Client(base_url=instance.settings.sites_url) as visitor:
            answers = [visitor.get(path) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 2
        assert int(answers[-1].headers["retry-after"]) > 0
        made.post("/tasks", {"task": {}}, 204)


def test_quotas_cost_reads_no_statement(fresh_database: str) -> None:
    counted = []
    for most in (0, 1000):
        with limited(fresh_database, requests=most) as cast:
            call = Call({"spaceId": make.space(cast.ada, cast.organization)["id"]})
            counted.append(counts_anew(cast, BY_ID["getSpaceById"], call))
    assert counted[0] == counted[1]

"""Organizations do not wait for each other's jobs, however many one has and however slow its servers are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event

import pytest

from app.access.context import Context
from app.domain import jobs
from app.domain.integrations import dispatch
from app.domain.integrations.integration_events import DELIVER_TASK
from app.domain.integrations.integration_rows import WHOLE
from tests import make
from tests.cast import Cast, Person
from tests.factories import openapi
from tests.factories.integrations import PublishedIntegration
from tests.instance import running
from tests.local_server import Answer, Neighbour, Request, sent
from tests.timing import TIMEOUT, until

LATER = 5.0  # seconds that a job may end later than without the jobs of others


@pytest.fixture
def released() -> Iterator[Event]:
    """Set when slow servers may end; they do at the end of the test."""
    event = Event()
    yield event
    event.set()


def dripping(released: Event) -> Answer:
    """A body that comes byte by byte."""

    def drops() -> Iterator[bytes]:
        while not released.wait(0.1):
            yield b" "

    return 200, {"content-type": "application/json"}, drops()


def put_spec(person: Person, organization: str, slug: str, **source: str) -> str:
    """Have a specification read; returns its address."""
    path = f"/v1/orgs/{organization}/openapi/{slug}"
    answer = person.put(path, {"source": source})
    assert answer.status_code == 200, answer.text
    return path


@pytest.fixture
def patient(fresh_database: str, neighbour: Neighbour, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cast]:
    """People of a server that gives nobody up before the test does, and that no other test has given work."""
    monkeypatch.setattr(dispatch, "SECONDS", 100.0 * TIMEOUT)
    with running(fresh_database, outbound_allow=neighbour.address, openapi_timeout=300) as instance:
        yield make.cast(instance)


def test_sources_that_drip_do_not_delay_the_document_of_another_organization(
    patient: Cast, neighbour: Neighbour, released: Event
) -> None:
    cast = patient
    asked: list[Request] = []

    def drip(request: Request) -> Answer:
        asked.append(request)
        return dripping(released)

    for number in range(6):
        url = neighbour.shows(f"/slow-{number}.json", drip)
        put_spec(cast.sol, cast.elsewhere, f"slow-{number}", url=url)
    until(lambda: asked, "nobody fetches the slow ones")
    small = put_spec(cast.ada, cast.organization, "small", text=openapi.as_text(openapi.document()))
    until(lambda: cast.ada.get(small).json()["processingState"] == "complete", "it waits for the slow ones")
    slow = [cast.sol.get(f"/v1/orgs/{cast.elsewhere}/openapi/slow-{n}").json() for n in range(6)]
    assert {spec["processingState"] for spec in slow} <= {"pending", "progress"}


def test_tasks_for_a_slow_tunnel_do_not_delay_the_events_of_another_organization(
    patient: Cast, neighbour: Neighbour, released: Event
) -> None:
    cast = patient
    asked: list[Request] = []

    def drip(request: Request) -> Answer:
        asked.append(request)
        return dripping(released)

    slow = PublishedIntegration(cast, by=cast.sol, organization=cast.elsewhere)
    slow.put("/dev", {"tunnelUrl": neighbour.shows("/slow", drip)})
    for number in range(24):
        slow.post("/tasks", {"task": {"number": number}}, 204)
    until(lambda: asked, "nobody delivers the tasks")
    quick = PublishedIntegration(cast)
    quick.put("/dev", {"tunnelUrl": neighbour.shows("/quick", sent("ok"))})
    quick.install()
    assert [event["status"] for event in quick.told()] == ["success"]
    assert all(event["status"] == "pending" for event in slow.events()), "they are waited for"


def test_a_job_behind_a_thousand_of_another_organization_is_hardly_later_than_alone(
    fresh_database: str, neighbour: Neighbour
) -> None:
    with running(fresh_database, outbound_allow=neighbour.address) as instance:
        cast = make.cast(instance)
        mine, theirs = (
            PublishedIntegration(cast),
            PublishedIntegration(cast, by=cast.sol, organization=cast.elsewhere),
        )
        for made in (mine, theirs):
            made.put("/dev", {"tunnelUrl": neighbour.shows(f"/{made.name}", sent("ok"))})
        alone = seconds_until_told(mine)
        queue_tasks(theirs, 1000)
        behind = seconds_until_told(mine)
        undone = 1000 - len(theirs.events(1000))
        print(f"alone {alone:.2f} s, behind 1,000 jobs {behind:.2f} s, of which {undone} were not begun")
        assert undone > 0, "the others were done before"
        assert behind <= alone + LATER


def seconds_until_told(made: PublishedIntegration) -> float:
    """Return how long a task takes until it was delivered."""
    before = len(made.events())
    begun = time.monotonic()
    made.post("/tasks", {"task": {}}, 204)
    until(lambda: len(made.events()) > before and made.told(), "the task is not delivered")
    return time.monotonic() - begun


def queue_tasks(made: PublishedIntegration, count: int) -> None:
    """Queue so many tasks of an integration at once."""

    async def enqueue(cx: Context) -> None:
        integration = await cx.db.first(WHOLE, name=made.name)
        assert integration is not None
        organization_id = integration.organization_id
        payload = {"organization": organization_id, "installation": None, "task": {}}
        for _ in range(count):
            await jobs.enqueue(
                cx, DELIVER_TASK, integration.id, organization_id, due_at=cx.now, payload=payload
            )

    made.cast.instance.inside(enqueue)

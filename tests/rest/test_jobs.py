"""Background jobs of an organization: listed, retried, cancelled by its administrators and by operators."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.access.context import Context
from app.domain import lanes, old_jobs
from app.kit.clock import utc_now
from app.kit.database.interface import Database
from app.models.jobs import Job
from tests import make
from tests.cast import Cast
from tests.cli.command import docyard
from tests.factories import imports
from tests.factories.imports import started, website
from tests.factories.integrations import PublishedIntegration
from tests.factories.jobs import queued
from tests.timing import until

JOBS = """query ($organization: ID!, $state: JobState) { organization(id: $organization) {
    jobs(filter: { state: $state }) { totalCount nodes { restId kind space { title } } } } }"""


def path(cast: Cast, job: str = "", what: str = "") -> str:
    """The address of the jobs, of one, or of what is done with it."""
    return "/".join(each for each in (f"/v1/orgs/{cast.organization}/jobs", job, what) if each)


def listed(cast: Cast, **query: Any) -> list[dict[str, Any]]:
    """The jobs as an administrator sees them."""
    items: list[dict[str, Any]] = cast.ada.get(path(cast), params=query).json()["items"]
    return items


def test_administrators_see_what_waits_and_what_failed_on_both_faces(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization, title="Handbook")["id"]
    waiting = queued(cast, "rebuild_links", space, "scheduled")
    failed = queued(cast, "rebuild_links", space, "failed")
    by_id = {job["id"]: job for job in listed(cast)}
    assert by_id[waiting]["nextAttemptAt"] > by_id[waiting]["createdAt"]
    assert (by_id[waiting]["attempts"], by_id[waiting]["canRetry"]) == (0, False)
    assert by_id[failed]["error"] == "Something went wrong in Docyard; its log says what."
    assert (by_id[failed]["space"], by_id[failed]["title"]) == (space, "Handbook")
    assert "failedAt" in by_id[failed]
    assert "nextAttemptAt" not in by_id[failed]
    assert [job["id"] for job in listed(cast, state="failed")] == [failed]
    found = cast.ada.ask(JOBS, organization=cast.organization, state="FAILED")["organization"]["jobs"]
    (one,) = found["nodes"]
    assert (found["totalCount"], one["restId"], one["kind"]) == (1, failed, "REBUILD_LINKS")
    assert one["space"]["title"] == "Handbook"


def test_a_job_names_the_specification_that_it_works_on(cast: Cast) -> None:
    body = {"slug": "lamps", "source": {"text": "openapi: 3.1.0"}}
    spec = cast.ada.post(f"/v1/orgs/{cast.organization}/openapi", body).json()["id"]
    job = queued(cast, "renew_openapi_pages", spec, "failed")
    found = cast.ada.get(path(cast, job)).json()
    assert (found["spec"], found["title"], found["canCancel"]) == (spec, "lamps", False)


def test_others_see_no_jobs_and_those_of_other_organizations_are_not_there(cast: Cast) -> None:
    job = queued(cast, "rebuild_links", "somewhere", "failed")
    assert cast.ed.get(path(cast)).status_code == 403
    assert cast.ed.post(path(cast, job, "retry")).status_code == 403
    assert cast.sol.get(path(cast)).status_code == 404
    elsewhere = f"/v1/orgs/{cast.elsewhere}/jobs/{job}"
    assert cast.sol.get(elsewhere).status_code == 404
    assert cast.sol.delete(elsewhere).status_code == 404


def test_what_an_exception_says_is_for_operators_alone(cast: Cast) -> None:
    job = queued(cast, "rebuild_links", "somewhere", "failed")
    assert "inside" not in cast.ada.get(path(cast, job)).text
    ran = docyard("jobs", "list", "--org", cast.organization, database=cast.instance.settings.database)
    assert ran.returncode == 0, ran.stderr
    assert "ValueError: inside" in ran.stdout


def test_a_retried_job_is_done(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    job = queued(cast, "rebuild_links", space, "failed")
    again = cast.ada.post(path(cast, job, "retry"))
    assert again.status_code == 200, again.text
    assert (again.json()["state"], again.json()["attempts"]) == ("waiting", 0)
    until(lambda: cast.ada.get(path(cast, job)).status_code == 404, "the job is not done")


def test_only_a_job_whose_last_attempt_failed_is_retried(cast: Cast) -> None:
    job = queued(cast, "rebuild_links", "somewhere", "scheduled")
    refused = cast.ada.post(path(cast, job, "retry"))
    assert refused.status_code == 409
    assert cast.ada.get(path(cast, job)).json()["state"] == "scheduled"
    paused = queued(cast, "rebuild_links", "gone", "scheduled", error="Busy: no", reason="No.", attempts=2)
    assert cast.ada.get(path(cast, paused)).json()["canRetry"]
    assert cast.ada.post(path(cast, paused, "retry")).status_code == 200


def test_a_cancelled_import_ends_as_cancelled(cast: Cast) -> None:
    with imports.left_alone():
        space = make.space(cast.ada, cast.organization)["id"]
        run = started(cast, website("https://example.org/docs/"), {"space": space})
        (job,) = [job for job in listed(cast) if job.get("importRun") == run["id"]]
        assert job["kind"] == "run-import"
        done = cast.ada.mutate("cancelJob", organization=cast.organization, job=job["id"])
        assert done is not None
        assert imports.got(cast, run)["status"] == "cancelled"
        assert cast.ada.get(path(cast, job["id"])).status_code == 404


def test_events_of_a_cancelled_delivery_have_failed(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    for lane in lanes.LANES:
        if "deliver_events" in lane.kinds:
            monkeypatch.delitem(lane.kinds, "deliver_events")
    made = PublishedIntegration(cast, scopes=[])
    made.install()
    job = next(job for job in listed(cast) if job["kind"] == "deliver-events")
    assert (job["integration"], job["canCancel"]) == (made.name, True)
    assert cast.ada.delete(path(cast, job["id"])).status_code == 205
    told = made.events()
    assert {event["status"] for event in told} == {"failed"}
    detail = made.get(f"/events/{told[0]['id']}")
    assert detail["trace"]["logs"][0]["message"] == "The delivery was cancelled."


def test_upkeep_and_what_runs_is_not_cancelled(cast: Cast) -> None:
    upkeep = queued(cast, "purge_space", "gone", "failed")
    refused = cast.ada.delete(path(cast, upkeep))
    assert refused.status_code == 409
    assert "upkeep" in refused.json()["error"]["message"]
    running = queued(cast, "deliver_task", "gone", "running")
    assert cast.ada.delete(path(cast, running)).status_code == 409
    assert not cast.ada.get(path(cast, running)).json()["canCancel"]
    assert cast.ada.get(path(cast, upkeep)).status_code == 200


def test_operators_retry_and_cancel_any_job(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    job, task = queued(cast, "rebuild_links", space, "failed"), queued(cast, "deliver_task", "gone", "failed")
    database = cast.instance.settings.database
    assert docyard("jobs", "retry", job, database=database).returncode == 0
    assert docyard("jobs", "cancel", task, database=database).returncode == 0
    assert cast.ada.get(path(cast, task)).status_code == 404
    wrong = docyard("jobs", "cancel", "nothing", database=database)
    assert (wrong.returncode, wrong.stderr.strip()) == (1, "docyard: There is no such job.")


def test_a_job_that_no_version_knows_fails_after_a_day(cast: Cast) -> None:
    def tidied(after: timedelta) -> str:
        async def tidy(db: Database) -> None:
            kinds = [kind for lane in lanes.LANES for kind in lane.kinds]
            await old_jobs.tidy(db, kinds, utc_now() + after)

        cast.instance.opened(tidy)
        return str(cast.ada.get(path(cast, job)).json()["state"])

    async def due(cx: Context) -> None:
        await cx.tx.put(Job, {"state": "waiting", "due_at": cx.now}, id=job)

    job = queued(cast, "from_the_future", "gone", "scheduled")
    cast.instance.inside(due)
    assert cast.ada.get(path(cast, job)).json()["kind"] == "other"
    assert tidied(timedelta(hours=23)) == "waiting"
    assert tidied(timedelta(hours=25)) == "failed"
    assert "does not know" in cast.ada.get(path(cast, job)).json()["error"]


def test_jobs_that_failed_are_forgotten_after_a_month_but_for_upkeep(cast: Cast) -> None:
    async def tidy(db: Database) -> None:
        kinds = [kind for lane in lanes.LANES for kind in lane.kinds]
        await old_jobs.tidy(db, kinds, utc_now() + old_jobs.KEPT + timedelta(days=1))

    task = queued(cast, "deliver_task", "gone", "failed")
    upkeep = queued(cast, "purge_space", "gone", "failed")
    cast.instance.opened(tidy)
    assert cast.ada.get(path(cast, task)).status_code == 404
    assert cast.ada.get(path(cast, upkeep)).status_code == 200

"""The addresses of monitoring: whether the server is ready, and its metrics."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure import readiness
from app.kit.ids import new_id
from app.kit.settings import Settings
from tests import anonymous, make
from tests.cast import Cast
from tests.instance import idle, running
from tests.visitors import PublishedSite

TOKEN = "a token that operators choose"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def monitored(fresh_database: str) -> Iterator[Cast]:
    """People of a product that is monitored, whose jobs wait."""
    with idle(), running(fresh_database, monitoring_token=TOKEN) as instance:
        yield make.cast(instance)


def metrics(cast: Cast) -> dict[str, dict[str, float]]:
    """The values of all metrics, by their names and labels."""
    answer = cast.instance.http.get("/metrics", headers=BEARER)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found: dict[str, dict[str, float]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            labels = " ".join(sample.labels[name] for name in sorted(sample.labels))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def queue_job(cast: Cast, kind: str, *, due_before: float) -> None:
    """Queue a job of a kind that has been due for so many seconds."""

    async def enqueue(cx: Context) -> None:
        due_at = cx.now - timedelta(seconds=due_before)
        await jobs.enqueue(cx, kind, new_id(), cast.organization, due_at=due_at)

    cast.instance.inside(enqueue)


def test_a_server_is_ready_and_gives_reasons_to_monitoring_alone(monitored: Cast) -> None:
    http = monitored.instance.http
    for headers in ({}, {"Authorization": f"Bearer {monitored.ada.token}"}):
        answer = http.get("/readyz", headers=headers)
        assert (answer.status_code, answer.json()) == (200, {"status": "ready"})
        assert answer.headers["cache-control"] == "no-store"
    told = http.get("/readyz", headers=BEARER).json()
    assert told["status"] == "ready"
    checks = told["checks"]
    assert checks["database"].keys() == {"status", "milliseconds"}
    assert checks["jobs"] == {"status": "ok", "oldestDueSeconds": 0.0}
    assert ("disk" in checks) == (monitored.instance.engine == "sqlite")
    assert {check["status"] for check in checks.values()} == {"ok"}


def test_a_late_job_is_told_and_keeps_no_server_from_being_ready(monitored: Cast) -> None:
    queue_job(monitored, "rebuild_links", due_before=2 * readiness.LATE)
    answer = monitored.instance.http.get("/readyz", headers=BEARER)
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    jobs_check = answer.json()["checks"]["jobs"]
    assert jobs_check["status"] == "late"
    assert jobs_check["oldestDueSeconds"] >= 2 * readiness.LATE
    assert metrics(monitored)["docyard_oldest_due_job_seconds"][""] >= 2 * readiness.LATE


def test_a_server_whose_disk_is_nearly_full_is_not_ready(tmp_path_factory: pytest.TempPathFactory) -> None:
    database = str(tmp_path_factory.mktemp("full") / "docyard.db")
    with running(database, monitoring_token=TOKEN, minimum_disk=1 << 60) as instance:
        answer = instance.http.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
        disk = instance.http.get("/readyz", headers=BEARER).json()["checks"]["disk"]
        assert disk["status"] == "failed"
        assert 0 < disk["freeBytes"] < disk["neededBytes"] == 1 << 60
        assert instance.http.get("/healthz").status_code == 200


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_server_whose_files_were_removed_is_not_ready(
    tmp_path_factory: pytest.TempPathFactory, suffix: str
) -> None:
    database = tmp_path_factory.mktemp("gone") / "docyard.db"
    with running(str(database), monitoring_token=TOKEN) as instance:
        assert instance.http.get("/readyz").status_code == 200
        database.with_name(f"docyard.db{suffix}").unlink()
        assert instance.http.get("/readyz").status_code == 503
        disk = instance.http.get("/readyz", headers=BEARER).json()["checks"]["disk"]
        assert disk["status"] == "failed"
        assert disk["reason"].startswith(f"docyard.db{suffix} was removed")


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer \xe9"])
def test_metrics_are_for_monitoring_alone(monitored: Cast, given: str) -> None:
    headers = {b"Authorization": given.encode("latin-1")} if given else {}
    answer = monitored.instance.http.get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["message"]


def test_without_a_token_there_are_no_metrics(cast: Cast) -> None:
    assert cast.instance.http.get("/metrics", headers=BEARER).status_code == 404
    assert cast.instance.http.get("/readyz", headers={"Authorization": "Bearer"}).json() == {
        "status": "ready"
    }


def test_requests_are_counted_by_operation_and_status(monitored: Cast) -> None:
    ada, before = monitored.ada, metrics(monitored).get("docyard_requests_total", {})
    for _ in range(3):
        assert ada.get(f"/v1/orgs/{monitored.organization}").status_code == 200
    assert ada.get("/v1/orgs/nobody").status_code == 404
    assert ada.get("/v1/nowhere").status_code == 404
    assert ada.post("/graphql", {"query": "{ me { id } }"}).status_code == 200
    site = PublishedSite(monitored)
    assert site.open("").status_code == 200
    assert anonymous.get(f"{monitored.instance.base}/healthz").status_code == 200
    found = metrics(monitored)
    counted = {name: value - before.get(name, 0.0) for name, value in found["docyard_requests_total"].items()}
    assert counted["getOrganizationById 200"] == 3
    assert counted["getOrganizationById 404"] == 1
    assert counted["GET /v1/ 404"] == 1
    assert counted["query me 200"] == 1
    assert counted["GET a site's page 200"] == 1
    assert counted["GET /healthz 200"] == 1
    assert counted["GET /metrics 200"] == 1
    assert found["docyard_request_seconds_count"]["getOrganizationById"] == 4
    assert found["docyard_request_seconds_sum"]["getOrganizationById"] > 0
    assert not [name for name in counted if monitored.organization in name or site.id in name]


def test_jobs_writes_and_connections_are_counted(monitored: Cast) -> None:
    before = metrics(monitored)
    kind = "rebuild_links"
    queue_job(monitored, kind, due_before=1)
    make.space(monitored.ada, monitored.organization)
    found = metrics(monitored)
    assert (
        found["docyard_jobs"][f"{kind} waiting"]
        == before.get("docyard_jobs", {}).get(f"{kind} waiting", 0.0) + 1
    )
    for name in ("docyard_database_writes_total", "docyard_database_commits_total"):
        assert found[name][""] > before[name][""]
    assert found["docyard_database_up"] == {"": 1.0}
    assert found["docyard_connections_opened"]["write"] >= 1
    assert found["docyard_connections_most"]["read"] >= found["docyard_connections_opened"]["read"]
    assert found["docyard_connections_waiting"] == {"read": 0.0, "write": 0.0}
    assert found["process_open_fds"][""] > 0


@pytest.mark.parametrize("token", ["x", "x" * 15])
def test_a_token_that_can_be_guessed_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="at least 16 characters"):
        Settings(monitoring_token=token)

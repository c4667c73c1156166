"""The numbers of this process in the text format of Prometheus; loaded only where there is a token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from app.domain import jobs as job_queue
from app.domain.infrastructure.readiness import seconds_late
from app.kit import counts
from app.kit.build import VERSION, build
from app.kit.errors import Problem
from app.kit.logs import ASKED
from app.runtime import Runtime

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
DUE = ("waiting", "scheduled")


class RequestMetrics:
    """Counts requests by what they ask for, which `name_of` tells, and keeps how long they took."""

    def __init__(self, name_of: Callable[[Any], str]) -> None:
        self._name_of = name_of
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "docyard_requests",
            "Requests, by operation or kind of address and by status; 0 where the caller went away.",
            ("operation", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "docyard_request_seconds",
            "Seconds until the answer began, by operation or kind of address.",
            ("operation",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._counted: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def observe(self, scope: Any, status: int, seconds: float, _until_ended: float) -> None:
        """Count a request."""
        key = scope.get(ASKED) or self._name_of(scope), status
        found = self._counted.get(key)
        if found is None:  # finding them by their labels costs more than counting
            found = self._requests.labels(key[0], str(status)), self._seconds.labels(key[0])
            self._counted[key] = found
        found[0].inc()
        found[1].observe(seconds)

    async def answer(self, runtime: Runtime) -> Response:
        """Answer all numbers, with those of the queue of jobs if the database tells them."""
        try:
            jobs: list[Any] | None = await job_queue.numbers(runtime.db)
        except Problem:
            jobs = None
        asked = CollectorRegistry()
        asked.register(_Now(_now(runtime, jobs)))
        content = generate_latest(self.registry) + generate_latest(asked)
        return Response(content, media_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Now(Collector):
    """Numbers that are looked up when somebody asks for them."""

    def __init__(self, numbers: Iterable[Metric]) -> None:
        self._numbers = list(numbers)

    def collect(self) -> Iterable[Metric]:
        return self._numbers


def _now(runtime: Runtime, jobs: list[Any] | None) -> Iterator[Metric]:
    build_ = GaugeMetricFamily("docyard_build", "The version that runs.", labels=("version", "build"))
    build_.add_metric((VERSION, build()), 1)
    yield build_
    yield GaugeMetricFamily("docyard_database_up", "Whether the database answered.", value=jobs is not None)
    yield from _connections(runtime)
    yield from _transactions()
    if jobs is not None:
        yield from _jobs(runtime, jobs)
    attempts = _counter("docyard_job_attempts", "Attempts of jobs of this process.", ("kind", "result"))
    for (kind, end), count in counts.job_attempts.items():
        attempts.add_metric((kind, end), count)
    yield attempts
    events = _counter("docyard_events", "Deliveries of events to integrations.", ("status",))
    for status, count in counts.events.items():
        events.add_metric((status,), count)
    yield events
    reads = _counter("docyard_cache_reads", "Reads of caches.", ("cache", "result"))
    for (cache, is_hit), count in counts.cache_reads.items():
        reads.add_metric((cache, "hit" if is_hit else "miss"), count)
    yield reads
    stalls = "Times that the event loop was blocked for longer than DOCYARD_LOOP_WARNING."
    yield _counter("docyard_loop_stalls", stalls, value=counts.stalls["times"])
    seconds = "Seconds for which the event loop was blocked then."
    yield _counter("docyard_loop_stalled_seconds", seconds, value=counts.stalls["seconds"])


def _connections(runtime: Runtime) -> Iterator[Metric]:
    uses = runtime.db.connections()
    for name, meaning in (
        ("most", "Connections to the database that this process may open."),
        ("opened", "Connections to the database that are open."),
        ("used", "Connections to the database that run something."),
        ("waiting", "Reads and writes that wait for a connection."),
    ):
        gauge = GaugeMetricFamily(f"docyard_connections_{name}", meaning, labels=("purpose",))
        for use in uses:
            gauge.add_metric((use.purpose,), getattr(use, name))
        yield gauge


def _transactions() -> Iterator[Metric]:
    meanings: dict[counts.Transactions, str] = {
        "writes": "Writes that were committed.",
        "commits": "Commits; on SQLite several writes may share one.",
        "restarts": "Times that a write started again since it had met another.",
    }
    for name, meaning in meanings.items():
        yield _counter(f"docyard_database_{name}", meaning, value=counts.transactions[name])


def _jobs(runtime: Runtime, jobs: list[Any]) -> Iterator[Metric]:
    number = GaugeMetricFamily("docyard_jobs", "Jobs of all processes.", labels=("kind", "state"))
    now, late = runtime.clock(), 0.0
    for row in jobs:
        number.add_metric((row.kind, row.state), row.jobs)
        if row.state in DUE:
            late = max(late, seconds_late(row.due_at, now))
    yield number
    meaning = "Seconds for which the job has been due that waits for longest."
    yield GaugeMetricFamily("docyard_oldest_due_job_seconds", meaning, value=late)


def _counter(
    name: str, meaning: str, labels: tuple[str, ...] = (), value: float | None = None
) -> CounterMetricFamily:
    return CounterMetricFamily(name, meaning, labels=labels or None, value=value)

"""Import runs as the tests start, follow and do them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from app.domain import worker
from app.domain.imports import import_jobs
from app.domain.imports.import_runs import RUN
from app.domain.jobs import NOBODY
from app.kit.clock import utc_now
from app.models.jobs import Job
from app.runtime import Runtime
from tests.cast import Cast, Person
from tests.patience import until
from tests.specs import at_work


def path(cast: Cast, *tail: str) -> str:
    """The address of the organization's import runs, or of something below."""
    return "/".join([f"/v1/orgs/{cast.organization}/imports", *tail])


def started(cast: Cast, source: dict[str, Any], target: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A run that Ed has started."""
    answer = cast.ed.post(path(cast), {"source": source, "target": target, **fields})
    assert answer.status_code == 201, answer.text
    run: dict[str, Any] = answer.json()
    assert run["status"] == "pending"
    return run


def website(url: str) -> dict[str, str]:
    """A website as a source."""
    return {"type": "website", "url": url}


def got(cast: Cast, run: dict[str, Any], person: Person | None = None) -> dict[str, Any]:
    """A run as it stands."""
    answer = (person or cast.ada).get(path(cast, run["id"]))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended(cast: Cast, run: dict[str, Any]) -> dict[str, Any]:
    """A run once it has ended."""

    until(lambda: got(cast, run)["status"] not in ("pending", "in-progress"), "the import run does not end")
    return got(cast, run)


@contextmanager
def left_alone() -> Iterator[None]:
    """The running product leaves import runs to the test meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for lane in worker.LANES:
            if RUN in lane.kinds:
                patch.delitem(lane.kinds, RUN)
        yield


def begin(cast: Cast, run: dict[str, Any], attempts: int = 1) -> None:
    """Begin a run, as a process does that dies then."""

    async def first(runtime: Runtime) -> None:
        held = job(run, attempts)
        await runtime.write(NOBODY, lambda cx: import_jobs._begin(cx, held), import_jobs.ACTION)

    at_work(cast, first)


def job(run: dict[str, Any], attempts: int = 1) -> Job:
    """The job of a run, leased for the first time or again."""
    now = utc_now()
    return Job(
        id="job", kind=RUN, subject=run["id"], organization_id=run["organization"], payload={},
        state="running", attempts=attempts, due_at=now, created_at=now,
    )  # fmt: skip


def performed(cast: Cast, run: dict[str, Any], attempts: int = 1, **settings: Any) -> dict[str, Any]:
    """A run after its job was done."""
    at_work(cast, lambda runtime: import_jobs.perform(runtime, job(run, attempts)), **settings)
    return got(cast, run)

"""Import runs as the tests start, follow and do them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from app.domain import work
from app.domain.importing import import_running
from app.domain.importing.import_runs import RUN
from app.edge import Edge
from app.kit.clock import utc_now
from app.kit.db import open_database
from app.kit.signing import Signer
from app.models.jobs import Job
from tests.cast import Cast, Person
from tests.patience import until


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

    def look() -> dict[str, Any] | None:
        found = got(cast, run)
        return found if found["status"] not in ("pending", "in-progress") else None

    return until(look, "the import run does not end")


@contextmanager
def left_alone() -> Iterator[None]:
    """The running product leaves import runs to the test meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for lane in work.LANES:
            if RUN in lane.kinds:
                patch.delitem(lane.kinds, RUN)
        yield


def at_work(cast: Cast, call: Callable[[Edge], Awaitable[Any]], **settings: Any) -> None:
    """Work as a process of its own on the same database does."""

    async def run() -> None:
        chosen = cast.house.settings.model_copy(update=settings)
        db = open_database(chosen.database)
        try:
            await call(Edge(db, chosen, Signer(b"")))
        finally:
            await db.close()

    asyncio.run(run())


def job(run: dict[str, Any], attempts: int = 1) -> Job:
    """The job of a run, leased for the first time or again."""
    now = utc_now()
    return Job(
        id="job", kind=RUN, subject=run["id"], organization_id=run["organization"], payload={},
        state="running", attempts=attempts, due_at=now, created_at=now,
    )  # fmt: skip


def performed(cast: Cast, run: dict[str, Any], attempts: int = 1, **settings: Any) -> dict[str, Any]:
    """A run after its job was done."""
    at_work(cast, lambda edge: import_running.perform(edge, job(run, attempts)), **settings)
    return got(cast, run)

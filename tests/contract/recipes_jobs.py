"""Calls about background jobs (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable

from tests.cast import Cast
from tests.contract.faces import Call
from tests.factories.jobs import queued

Recipe = Callable[[Cast], Call]


def _job(cast: Cast) -> Call:
    """A task that was given up."""
    return Call(
        {"organizationId": cast.organization, "jobId": queued(cast, "deliver_task", "gone", "failed")}
    )


def _jobs(cast: Cast) -> Call:
    _job(cast)
    return Call({"organizationId": cast.organization}, {"state": "failed"})


JOBS: dict[str, Recipe] = {
    "listJobsInOrganization": _jobs,
    "getJobById": _job,
    "retryJob": _job,
    "cancelJob": _job,
}

"""Calls about uploads and import runs (see `recipes`)."""

from __future__ import annotations

from collections.abc import Callable

from app.access import memberships
from app.access.context import Actor, Context
from app.domain import jobs
from app.domain.imports import import_runs
from app.models.imports import ImportRunCreate
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.recipes_content import neighbour
from tests.factories.uploads import announced

Recipe = Callable[[Cast], Call]


def _start(cast: Cast) -> Call:
    """A run that fails as soon as its job begins, since there is nothing at the address."""
    body = {"source": {"type": "website", "url": neighbour(cast, "nowhere/")}, "target": {}, "enhance": False}
    return Call({"organizationId": cast.organization}, body=body)


def _run(cast: Cast) -> Call:
    """A run of Ada's that waits, and whose job nobody does."""

    async def start(cx: Context) -> str:
        membership = await memberships.of_person(cx.db, cast.ada.id, cast.organization)
        assert membership is not None
        cx.actor = Actor(cast.ada.id, memberships={cast.organization: membership})
        body = {"source": {"type": "website", "url": "https://example.org/docs/"}, "target": {}}
        new = ImportRunCreate.model_validate(body)
        run = await import_runs.start(cx, cast.organization, new, {})
        await jobs.cancel(cx, import_runs.RUN, run.id)
        return str(run.id)

    return Call({"organizationId": cast.organization, "importRunId": cast.instance.inside(start)})


def _runs(cast: Cast) -> Call:
    made = _run(cast)
    return Call({"organizationId": made.path["organizationId"]})


def _upload(cast: Cast) -> Call:
    body = {"name": "plan.png", "contentType": "image/png", "size": 1_000}
    return Call({"organizationId": cast.organization}, body=body)


def _announced(cast: Cast) -> Call:
    made = announced(cast.ada, cast.organization, "plan.png", 1_000)
    return Call({"organizationId": cast.organization, "uploadId": made["id"]})


IMPORTS: dict[str, Recipe] = {
    "listImportRuns": _runs,
    "startImportRun": _start,
    "getImportRunById": _run,
    "cancelImportRun": _run,
    "createUpload": _upload,
    "getUploadById": _announced,
}

"""Operations on import runs."""

from __future__ import annotations

from app.api.operation import family, get, listing, post
from app.domain.imports import import_runs
from app.models.import_runs import ImportRunCreate
from app.present.imports import import_run

I = "/orgs/{organizationId}/imports"  # noqa: E741 - as in the list of operations

OPERATIONS = family(
    "Imports",
    listing(
        "listImportRuns",
        I,
        import_runs.list_in_organization,
        show=import_run,
        field="Organization.importRuns",
        permission="organization:view",
    ),
    post(
        "startImportRun",
        I,
        import_runs.start,
        body=ImportRunCreate,
        prepare=import_runs.receive,
        show=import_run,
        status=201,
        large=True,
        field="startImportRun",
        permission="organization:createContent",
    ),
    get(
        "getImportRunById",
        f"{I}/{{importRunId}}",
        import_runs.get,
        show=import_run,
        field="Organization.importRun",
        permission="organization:admin",
    ),
    post(
        "cancelImportRun",
        f"{I}/{{importRunId}}/cancel",
        import_runs.cancel,
        show=import_run,
        field="cancelImportRun",
        permission="organization:admin",
    ),
)

"""Operations that bring content in and out: imports, uploads, Git sync.

Operations on imports from an address, and exports of spaces.

Operations on import runs.

Operations on uploads.

Operations on synchronising spaces with Git repositories.
"""

from __future__ import annotations

from app.api.operation import family, get, listing, post, remove
from app.domain.git_sync import sync_state
from app.domain.imports import exports, import_runs, import_sources
from app.domain.uploads import uploads
from app.models.files import UploadCreate
from app.models.git_sync import GitExport, GitImport
from app.models.imports import ImportBody, ImportRunCreate
from app.present.imports import git_info, import_run, imported, space_export, upload

OF_SPACE = family(
    "Space content",
    post(
        "importContent",
        "/spaces/{spaceId}/content/import",
        import_sources.import_content,
        body=ImportBody,
        prepare=import_sources.gather,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
    post(
        "importContentInPageById",
        "/spaces/{spaceId}/content/page/{pageId}/import",
        import_sources.import_into_page,
        body=ImportBody,
        prepare=import_sources.gather_for_page,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
)

OF_CHANGE_REQUEST = family(
    "Change request content",
    post(
        "importContentInChangeRequest",
        "/spaces/{spaceId}/change-requests/{changeRequestId}/content/import",
        import_sources.import_content,
        body=ImportBody,
        prepare=import_sources.gather,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
)


IMPORT_RUNS = "/orgs/{organizationId}/imports"


GIT_SYNC = "/spaces/{spaceId}/git"


OPERATIONS = [
    *OF_SPACE,
    *OF_CHANGE_REQUEST,
    *family(
        "Imports",
        listing(
            "listImportRuns",
            IMPORT_RUNS,
            import_runs.list_in_organization,
            show=import_run,
            field="Organization.importRuns",
            permission="organization:view",
        ),
        post(
            "startImportRun",
            IMPORT_RUNS,
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
            f"{IMPORT_RUNS}/{{importRunId}}",
            import_runs.get,
            show=import_run,
            field="Organization.importRun",
            permission="organization:admin",
        ),
        post(
            "cancelImportRun",
            f"{IMPORT_RUNS}/{{importRunId}}/cancel",
            import_runs.cancel,
            show=import_run,
            field="cancelImportRun",
            permission="organization:admin",
        ),
    ),
    *family(
        "Uploads",
        post(
            "createUpload",
            "/orgs/{organizationId}/uploads",
            uploads.create,
            body=UploadCreate,
            prepare=uploads.choose_destination,
            show=upload,
            status=201,
            field="createUpload",
            permission="organization:createContent",
            scope="space:content:write",
        ),
        get(
            "getUploadById",
            "/orgs/{organizationId}/uploads/{uploadId}",
            uploads.get,
            show=upload,
            field="Organization.upload",
            permission="organization:createContent",
            scope="space:content:write",
            secret=True,
        ),
    ),
    *family(
        "Space content",
        get(
            "exportSpace",
            "/spaces/{spaceId}/export",
            exports.offer,
            show=space_export,
            field="Space.export",
            permission="space:view",
            scope="space:content:read",
        ),
    ),
    *family(
        "Git sync",
        post(
            "importGitRepository",
            f"{GIT_SYNC}/import",
            sync_state.import_content,
            body=GitImport,
            status=204,
            field="importGitRepository",
            permission="space:triggerGitSync",
            scope="space:git:sync",
        ),
        post(
            "exportToGitRepository",
            f"{GIT_SYNC}/export",
            sync_state.export_content,
            body=GitExport,
            status=204,
            field="exportToGitRepository",
            permission="space:triggerGitSync",
            scope="space:git:sync",
        ),
        get(
            "getSpaceGitInfo",
            f"{GIT_SYNC}/info",
            sync_state.info,
            show=git_info,
            field="Space.gitInfo",
            permission="space:view",
            scope="space:git:sync",
        ),
        remove(
            "endSpaceGitSync",
            GIT_SYNC,
            sync_state.end,
            field="endGitSync",
            permission="space:admin",
        ),
    ),
]

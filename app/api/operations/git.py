"""Operations on synchronising spaces with Git repositories."""

from __future__ import annotations

from app.api.operation import family, get, post, remove
from app.domain.git_sync import sync_state
from app.models.git_sync import GitExport, GitImport
from app.present.imports import git_info

S = "/spaces/{spaceId}/git"

OPERATIONS = family(
    "Git sync",
    post(
        "importGitRepository",
        f"{S}/import",
        sync_state.import_content,
        body=GitImport,
        status=204,
        field="importGitRepository",
        permission="space:triggerGitSync",
        scope="space:git:sync",
    ),
    post(
        "exportToGitRepository",
        f"{S}/export",
        sync_state.export_content,
        body=GitExport,
        status=204,
        field="exportToGitRepository",
        permission="space:triggerGitSync",
        scope="space:git:sync",
    ),
    get(
        "getSpaceGitInfo",
        f"{S}/info",
        sync_state.info,
        show=git_info,
        field="Space.gitInfo",
        permission="space:view",
        scope="space:git:sync",
    ),
    remove(
        "endSpaceGitSync",
        S,
        sync_state.end,
        field="endGitSync",
        permission="space:admin",
    ),
)

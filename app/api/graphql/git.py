"""GraphQL face of synchronising spaces with Git repositories."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.git_sync import sync_state
from app.models.git_sync import GitExport, GitImport, GitInfoOut
from app.present.imports import git_info as show_info

GitImportInput: Any = input_of(GitImport, "GitImportInput")
GitExportInput: Any = input_of(GitExport, "GitExportInput")


@output(GitInfoOut)
class GitSyncInfo:
    """How the sync of a space stands."""


@strawberry.type
class GitQuery:
    @reads(sync_state.info)
    async def git_info(self, info: Info, space: ID) -> GitSyncInfo | None:
        return await read(info, sync_state.info, space, show=show_info)


@strawberry.type
class GitMutation:
    @writes(sync_state.import_content)
    async def import_git_repository(self, info: Info, space: ID, source: GitImportInput) -> bool | None:
        return await write(info, sync_state.import_content, space, body(GitImport, source))

    @writes(sync_state.export_content)
    async def export_to_git_repository(self, info: Info, space: ID, target: GitExportInput) -> bool | None:
        return await write(info, sync_state.export_content, space, body(GitExport, target))

    @writes(sync_state.end)
    async def end_git_sync(self, info: Info, space: ID) -> bool | None:
        return await write(info, sync_state.end, space)

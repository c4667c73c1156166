"""GraphQL face of import runs."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.imports import import_runs as runs
from app.models.import_runs import ImportRunCreate, ImportRunOut
from app.present.imports import import_run as show

ImportRunCreateInput: Any = input_of(ImportRunCreate)


@output(ImportRunOut)
class ImportRun:
    """An import that goes on after the request that asked for it."""


@strawberry.type
class OrganizationImportRuns:
    """What an organization tells of its imports."""

    @reads(runs.list_in_organization)
    async def import_runs(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[ImportRun]:
        return await pages(info, runs.list_in_organization, self["id"], first=first, after=after, show=show)

    @reads(runs.get)
    async def import_run(self: Any, info: Info, id: ID) -> ImportRun | None:
        return await read(info, runs.get, self["id"], id, show=show)


@strawberry.type
class ImportRunMutation:
    @writes(runs.start)
    async def start_import_run(
        self, info: Info, organization: ID, new: ImportRunCreateInput
    ) -> ImportRun | None:
        asked = body(ImportRunCreate, new)
        return await write(info, runs.start, organization, asked, show=show, prepare=runs.receive)

    @writes(runs.cancel)
    async def cancel_import_run(self, info: Info, organization: ID, id: ID) -> ImportRun | None:
        return await write(info, runs.cancel, organization, id, show=show)

"""GraphQL face of what changed: histories, changes as data, differences of texts; documents by themselves."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, pages, read, reads
from app.api.graphql.places import where_of
from app.api.graphql.shapes import JSON, output
from app.api.graphql.users import User  # noqa: F401 - declared before the first type that names people
from app.domain.content import changes, diffs, history
from app.domain.content import pages as documents
from app.models.base import checked
from app.models.changes import ChangesQuery, DocumentQuery, SemanticChangesOut
from app.models.diffs import DiffQuery, PageDiffOut
from app.models.revisions import HistoryEntryOut, HistoryQuery
from app.present import changes as show
from app.present.revisions import history_entry


@output(SemanticChangesOut)
class SemanticChanges:
    """What a revision changed of the one before, or a change request of its base; `more` are not told."""


@output(PageDiffOut)
class PageDiff:
    """How a page's text changed; `before` and `after` are the ids of its documents."""


@output(HistoryEntryOut)
class HistoryEntry:
    """A revision without its content: when it was made, by whom, and out of what."""


@strawberry.type
class History:
    """A line: a space's main one, or that of a change request."""

    @reads(history.list_revisions)
    async def revisions(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, page: ID | None = None
    ) -> Connection[HistoryEntry]:
        return await pages(
            info,
            history.list_revisions,
            where_of(self),
            first=first,
            after=after,
            show=history_entry,
            shape=HistoryQuery,
            pageId=page,
        )


@strawberry.type
class Changed:
    """What has something before it: a revision, or a change request."""

    @reads(changes.get)
    async def changes(
        self: Any, info: Info, first: int = 10, metadata: bool = True, computed: bool = True
    ) -> SemanticChanges:
        asked = {"limit": first, "metadata": metadata, "computed": computed}
        query = checked(ChangesQuery, asked, strict=False)
        return await read(info, changes.get, where_of(self), query, show=show.changes)

    @reads(diffs.of_page)
    async def page_diff(self: Any, info: Info, page: ID, context: int = 3) -> PageDiff | None:
        query = checked(DiffQuery, {"context": context}, strict=False)
        return await read(info, diffs.of_page, where_of(self), page, query, show=show.page_diff)


@strawberry.type
class DocumentsOfRevision:
    """Documents of pages as they were."""

    @reads(documents.get_page_document)
    async def page_document(self: Any, info: Info, page: ID, evaluated: str = "false") -> JSON | None:
        query = checked(DocumentQuery, {"evaluated": evaluated}, strict=False)
        return await read(info, documents.get_page_document, where_of(self), page, query, show=show.document)


@strawberry.type
class DocumentsOfSpace:
    """Documents by their ids."""

    @reads(documents.get_document)
    async def document(self: Any, info: Info, id: ID, evaluated: str = "false") -> JSON | None:
        query = checked(DocumentQuery, {"evaluated": evaluated}, strict=False)
        return await read(info, documents.get_document, self["id"], id, query, show=show.document)

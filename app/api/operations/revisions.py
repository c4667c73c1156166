"""Operations on what changed: histories, changes as data, differences of texts; documents by themselves."""

from __future__ import annotations

from app.api.operation import family, get, listing
from app.domain.content import changes, diffs, history, pages
from app.models.changes import ChangesQuery, DocumentQuery
from app.models.diffs import DiffQuery
from app.models.revisions import HistoryQuery
from app.present import changes as show
from app.present.revisions import history_entry

S = "/spaces/{spaceId}"
R = "/spaces/{spaceId}/revisions"
C = "/spaces/{spaceId}/change-requests/{changeRequestId}"
ONE, PAGE = f"{R}/{{revisionId}}", "page/{pageId}"

OF_REVISIONS = family(
    "Revisions",
    listing(
        "listRevisionsInSpace",
        R,
        history.list_revisions,
        query=HistoryQuery,
        show=history_entry,
        field="Space.revisions",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    get(
        "getRevisionChangesById",
        f"{ONE}/changes",
        changes.get,
        query=ChangesQuery,
        show=show.changes,
        field="Revision.changes",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    get(
        "getPageDiffInRevisionById",
        f"{ONE}/{PAGE}/diff",
        diffs.of_page,
        query=DiffQuery,
        show=show.page_diff,
        field="Page.diff",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    get(
        "getPageDocumentInRevisionById",
        f"{ONE}/{PAGE}/document",
        pages.get_page_document,
        query=DocumentQuery,
        show=show.document,
        field="Revision.pageDocument",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
)

OF_CHANGE_REQUESTS = family(
    "Change requests",
    listing(
        "listRevisionsInChangeRequestById",
        f"{C}/revisions",
        history.list_revisions,
        query=HistoryQuery,
        show=history_entry,
        field="ChangeRequest.revisions",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    get(
        "getChangeRequestChangesById",
        f"{C}/changes",
        changes.get,
        query=ChangesQuery,
        show=show.changes,
        field="ChangeRequest.changes",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
    get(
        "getPageDiffInChangeRequestById",
        f"{C}/content/{PAGE}/diff",
        diffs.of_page,
        query=DiffQuery,
        show=show.page_diff,
        field="Page.diff",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
)

OF_SPACE = family(
    "Space content",
    get(
        "getDocumentById",
        f"{S}/documents/{{documentId}}",
        pages.get_document,
        query=DocumentQuery,
        show=show.document,
        field="Space.document",
        permission="space:view",
        scope="space:content:read",
    ),
)

OPERATIONS = [*OF_REVISIONS, *OF_CHANGE_REQUESTS, *OF_SPACE]

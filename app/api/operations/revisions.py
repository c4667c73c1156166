"""Operations on what changed: histories, changes as data, differences of texts; documents by themselves.

Operations on content in print.
"""

from __future__ import annotations

from app.api.operation import family, get, listing
from app.domain.content import changes, history, pages
from app.domain.pdf import pdf_exports
from app.models.changes import ChangesQuery, DiffQuery, DocumentQuery
from app.models.documents import PdfQuery
from app.models.revisions import HistoryQuery
from app.present import changes as show
from app.present.changes import history_entry
from app.present.imports import pdf

SPACE = "/spaces/{spaceId}"
REVISIONS = "/spaces/{spaceId}/revisions"
CHANGE_REQUEST = "/spaces/{spaceId}/change-requests/{changeRequestId}"
ONE, PAGE = f"{REVISIONS}/{{revisionId}}", "page/{pageId}"

OF_REVISIONS = family(
    "Revisions",
    listing(
        "listRevisionsInSpace",
        REVISIONS,
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
        history.of_page,
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
        f"{CHANGE_REQUEST}/revisions",
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
        f"{CHANGE_REQUEST}/changes",
        changes.get,
        query=ChangesQuery,
        show=show.changes,
        field="ChangeRequest.changes",
        permission="space:view",
        scope="space:content:read",
        where=True,
        tool="read_changes",
    ),
    get(
        "getPageDiffInChangeRequestById",
        f"{CHANGE_REQUEST}/content/{PAGE}/diff",
        history.of_page,
        query=DiffQuery,
        show=show.page_diff,
        field="Page.diff",
        permission="space:view",
        scope="space:content:read",
        where=True,
        tool="read_page_diff",
    ),
)

OF_SPACE = family(
    "Space content",
    get(
        "getDocumentById",
        f"{SPACE}/documents/{{documentId}}",
        pages.get_document,
        query=DocumentQuery,
        show=show.document,
        field="Space.document",
        permission="space:view",
        scope="space:content:read",
    ),
)


PDFS = family(
    "Space content",
    get(
        "getSpacePDF",
        "/spaces/{spaceId}/pdf",
        pdf_exports.offer,
        query=PdfQuery,
        show=pdf,
        field="Space.pdf",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
)
OF_CHANGE_REQUEST = family(
    "Change requests",
    get(
        "getChangeRequestPDF",
        "/spaces/{spaceId}/change-requests/{changeRequestId}/pdf",
        pdf_exports.offer,
        query=PdfQuery,
        show=pdf,
        field="ChangeRequest.pdf",
        permission="space:view",
        scope="space:content:read",
        where=True,
    ),
)


OPERATIONS = [
    *OF_REVISIONS,
    *OF_CHANGE_REQUESTS,
    *OF_SPACE,
    *PDFS,
    *OF_CHANGE_REQUEST,
]

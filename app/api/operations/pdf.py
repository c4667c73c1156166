"""Operations on content in print."""

from __future__ import annotations

from app.api.operation import family, get
from app.domain.pdf import pdf_exports
from app.models.documents import PdfQuery
from app.present.imports import pdf

OF_SPACE = family(
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
OPERATIONS = [*OF_SPACE, *OF_CHANGE_REQUEST]

"""REST rows of content in print."""

from __future__ import annotations

from app.domain.printing import printing
from app.models.printing import PdfQuery
from app.present.printing import pdf
from app.rest.operation import family, get

OF_SPACE = family(
    "Space content",
    get("getSpacePDF", "/spaces/{spaceId}/pdf", printing.offer, query=PdfQuery, show=pdf),
)
OF_CHANGE_REQUEST = family(
    "Change requests",
    get(
        "getChangeRequestPDF",
        "/spaces/{spaceId}/change-requests/{changeRequestId}/pdf",
        printing.offer,
        query=PdfQuery,
        show=pdf,
    ),
)
OPERATIONS = [*OF_SPACE, *OF_CHANGE_REQUEST]

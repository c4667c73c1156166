"""GraphQL face of content in print."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, read, reads
from app.api.graphql.places import where_of
from app.api.graphql.shapes import output
from app.domain.pdf import pdf_exports
from app.models.base import checked
from app.models.documents import PdfOut, PdfQuery
from app.present.imports import pdf as show_pdf


@output(PdfOut)
class Pdf:
    """Where a PDF can be fetched, for an hour."""


@strawberry.type
class Printed:
    """Content that can be had in print: a space's, or that of a change request."""

    @reads(pdf_exports.offer)
    async def pdf(self: Any, info: Info, page: ID | None = None, only: bool = False) -> Pdf | None:
        query = checked(PdfQuery, {"page": page, "only": only}, strict=False)
        return await read(info, pdf_exports.offer, where_of(self), query, show=show_pdf)

"""Where a document in print can be had."""

from __future__ import annotations

from typing import Any

from app.access.context import Context
from app.domain.printing.printing import Offer
from app.models.printing import PdfOut
from app.present import links
from app.present.shape import shows


@shows(PdfOut)
def pdf(cx: Context, offer: Offer) -> dict[str, Any]:
    """The signed address of a document."""
    return {"url": links.pdf(cx, offer)}

"""A page of a site as a PDF: who may read the page is sent on to where it is printed.

That address is good for an hour (see `domain.printing.printing`). The document is the same for everybody:
what a condition shows to some visitors only is not in it.
"""

from __future__ import annotations

from typing import Any

from app.domain.printing import printing
from app.domain.printing.printing import Edition, Offer
from app.domain.sites import customizations
from app.kit.errors import NotFound
from app.present import links
from app.site_reader import answers, site_navigation
from app.site_reader.answers import Answer
from app.site_reader.rendering import theme
from app.site_reader.visit import Desk, Desks, Visit


def href(visit: Visit, desk: Desk, row: Any) -> str | None:
    """Where a page is had as a PDF, where the site offers that and documents can be set here."""
    item = desk.node.row.id
    is_offered = row.kind == "document" and theme.is_on(customizations.of_space(visit.site, item), "pdf")
    if not is_offered or not printing.is_installed():
        return None
    return f"{visit.base}/~/pdf/{item}/{row.page_id}"


async def answer(desks: Desks, visit: Visit, item: str, page_id: str) -> Answer:
    """Send a visitor on to the PDF of a page; raises NotFound where there is none for them."""
    node = site_navigation.space_by_id(visit.tree, item)
    desk = await desks.at(visit, node) if node else None
    row = desk.tree.get(page_id) if desk else None
    if desk is None or row is None or href(visit, desk, row) is None:
        raise NotFound("There is nothing at this address.")
    edition = Edition(desk.shelf.space_id, desk.shelf.revision_id, page=page_id, only=True)
    return answers.redirect(links.pdf(visit.cx, Offer(edition, f"{row.title}.pdf")))

"""The text of a page in parts: its table of contents, and as much of a section as was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.content.views import Where, find, reading
from app.formats.markdown.page_sections import SourceSection, source_sections
from app.kit import workers
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.kit.errors import Invalid, NotFound
from app.models.page_texts import PageTextQuery
from app.models.pages import Document, PageVersion

DOCUMENTS = table(Document)
_PAGE = reading(
    lambda view: [
        nested(
            select(
                PAGE_VERSIONS.c.page_id,
                PAGE_VERSIONS.c.title,
                PAGE_VERSIONS.c.path,
                PAGE_VERSIONS.c.kind,
                DOCUMENTS.c.markdown,
            )
            .outerjoin(DOCUMENTS, DOCUMENTS.c.id == PAGE_VERSIONS.c.document_id)
            .where(view.valid(PAGE_VERSIONS, keyed=True), PAGE_VERSIONS.c.page_id == given("page_id")),
            "page",
        ),
        view.revision().label("read_revision"),
    ]
)


@dataclass(slots=True, frozen=True)
class PageText:
    """A part of the text of a page at a revision; `characters` is the length of all that was asked for."""

    page: PageVersion
    revision_id: str
    sections: Sequence[SourceSection]
    section: str | None
    characters: int
    markdown: str
    next: int | None


async def get(cx: Context, where: Where, page_id: str, query: PageTextQuery) -> PageText:
    """Get a part of the text of a page, with the table of contents of the page.

    Raises Invalid where the page has no such section.
    """
    row: Any = await find(cx, where, _PAGE, page_id=page_id)
    if not row.page:
        raise NotFound("There is no such page.")
    page = row.page[0]
    text = page.markdown or ""
    sections = await workers.run(len(text), source_sections, text)
    asked = text
    if query.section is not None:
        found = section_of(sections, query.section, "section")
        asked = text[found.start : found.end]
    end = query.offset + query.length
    part = asked[query.offset : end]
    more = end if end < len(asked) else None
    return PageText(page, row.read_revision, sections, query.section, len(asked), part, more)


def section_of(sections: Sequence[SourceSection], anchor: str, path: str) -> SourceSection:
    """Return the section that an anchor names; raises Invalid at `path` where there is none."""
    for each in sections:
        if each.anchor == anchor:
            return each
    raise Invalid("The page has no such section; its contents list the sections.", path=path)

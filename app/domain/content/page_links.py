"""Resolves the links of several texts in one statement, as far as their addresses need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, literal, null, select

from app.access.context import Context
from app.access.fetch import seeing_inside
from app.domain.content import published
from app.domain.content.content import PAGE_VERSIONS, variables
from app.domain.content.link_columns import LINKS, target_columns
from app.domain.content.pages import body_of
from app.domain.content.views import CHANGE_REQUESTS, REVISIONS, SPACES, View, Where, at, find, reading
from app.kit.database.sql import among, nested
from app.kit.database.statements import table
from app.kit.errors import NotFound
from app.models.pages import Document
from app.models.queries import BodyQuery
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

DOCUMENTS, REUSABLE_VERSIONS = table(Document), table(ReusableVersion)


@dataclass(slots=True, frozen=True)
class PageLinks:
    """Links of pages or reusable contents that were read at a place; `at`: the change request or revision,
    if it is one.

    `rows` are the links by the ids of their pages or reusable contents.
    """

    space: Space
    at: Any
    rows: Mapping[str, Sequence[Any]]


@dataclass(slots=True, frozen=True)
class ReusableTexts:
    """Reusable contents that were read at a place, by their ids, with their texts and links.

    `is_visitor`: the caller reads the space only because it is public.
    """

    links: PageLinks
    rows: Mapping[str, Any]
    variables: Mapping[str, Any]
    is_visitor: bool

    def row(self, reusable_id: str) -> Any:
        """Return the row of a reusable content; raises NotFound."""
        if reusable_id not in self.rows:
            raise NotFound("There is no such reusable content.")
        return self.rows[reusable_id]

    async def body(self, reusable_id: str, query: BodyQuery) -> dict[str, Any]:
        """Return a text as `{"markdown"}` or `{"document"}`; raises NotFound, and as `body_of`."""
        row = self.row(reusable_id)
        if self.is_visitor:
            query = query.model_copy(update={"evaluated": True})
        return await body_of(row, dict(self.variables), query)


def _links(view: View, holder: Any) -> Any:
    """Return the links of each holder, as a column: so that an index finds them."""
    links = select(*target_columns(view)).where(view.valid(LINKS, keyed=True), LINKS.c.holder_id == holder)
    return nested(links.correlate(SPACES, CHANGE_REQUESTS, REVISIONS, holder.table), "links")


def _pages(view: View) -> Select[Any]:
    """Return pages, each with its links."""
    columns = (PAGE_VERSIONS.c.page_id, _links(view, PAGE_VERSIONS.c.page_id))
    return select(*columns).where(
        view.valid(PAGE_VERSIONS, keyed=True), among(PAGE_VERSIONS.c.page_id, "pages")
    )


def _reusable(view: View) -> Select[Any]:
    """Return reusable contents, each with its text and its links."""
    text = (
        DOCUMENTS.c.markdown,
        DOCUMENTS.c.conditional,
        literal("").label("title"),
        null().label("variables"),
    )
    found = select(REUSABLE_VERSIONS.c.reusable_id, *text, _links(view, REUSABLE_VERSIONS.c.reusable_id))
    joined = found.outerjoin(DOCUMENTS, DOCUMENTS.c.id == REUSABLE_VERSIONS.c.document_id)
    return joined.where(
        view.valid(REUSABLE_VERSIONS, keyed=True), among(REUSABLE_VERSIONS.c.reusable_id, "reusable")
    )


_LINKS = reading(lambda view: [nested(_pages(view), "pages")])
_REUSABLE = reading(lambda view: [nested(_reusable(view), "reusable"), variables(view)])


async def links_of_pages(cx: Context, where: Where, page_ids: Sequence[str]) -> PageLinks:
    """Return the links of pages of a place. Raises as `find`; pages that are not there have no links."""
    wanted = sorted(set(page_ids))
    space = await find(cx, where, _LINKS, can=published.right(where), pages=wanted, **seeing_inside(cx))
    return PageLinks(space, at(space), {page.page_id: page.links for page in space.pages})


async def texts_of_reusables(cx: Context, where: Where, reusable_ids: Sequence[str]) -> ReusableTexts:
    """Return those of these reusable contents that a place has. Raises as `find`."""
    can, wanted, sight = published.right(where), sorted(set(reusable_ids)), seeing_inside(cx)
    space = await find(cx, where, _REUSABLE, can=can, reusable=wanted, **sight)
    rows = {row.reusable_id: row for row in space.reusable}
    is_visitor = published.is_visitor(cx, space)
    if is_visitor:
        led_to = await published.led_to(cx, space, list(rows))
        rows = {name: row for name, row in rows.items() if name in led_to}
    links = PageLinks(space, at(space), {name: row.links for name, row in rows.items()})
    return ReusableTexts(links, rows, space.variables or {}, is_visitor)

"""What the links of several texts lead to, as far as their addresses need it, in one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, literal, null, select

from app.access.context import Context
from app.access.fetch import seeing_inside
from app.domain.content.content import p_, variables
from app.domain.content.link_columns import l_, target_columns
from app.domain.content.pages import body_of
from app.domain.content.views import View, Where, at, find, r_, reading, s_, v_
from app.kit.database.sql import among, nested
from app.kit.database.statements import table
from app.kit.errors import NotFound
from app.models.pages import Document
from app.models.queries import BodyQuery
from app.models.revisions import ReusableVersion
from app.models.spaces import Space

_d, _u = table(Document), table(ReusableVersion)


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
class ReusableRead:
    """A reusable content with its links and its body: `{"markdown"}` or `{"document"}`."""

    links: PageLinks
    body: dict[str, Any]


def _links(view: View, holder: Any) -> Any:
    """Return the links of each holder, as a column: so that an index finds them."""
    links = select(*target_columns(view)).where(view.valid(l_, keyed=True), l_.c.holder_id == holder)
    return nested(links.correlate(s_, r_, v_, holder.table), "links")


def _pages(view: View) -> Select[Any]:
    """Return pages, each with its links."""
    columns = (p_.c.page_id, _links(view, p_.c.page_id))
    return select(*columns).where(view.valid(p_, keyed=True), among(p_.c.page_id, "pages"))


def _reusable(view: View) -> Select[Any]:
    """Return a reusable content with its text and its links."""
    text = (_d.c.markdown, _d.c.conditional, literal("").label("title"), null().label("variables"))
    found = select(_u.c.reusable_id, *text, _links(view, _u.c.reusable_id))
    joined = found.outerjoin(_d, _d.c.id == _u.c.document_id)
    return joined.where(view.valid(_u, keyed=True), among(_u.c.reusable_id, "reusable"))


_LINKS = reading(lambda view: [nested(_pages(view), "pages")])
_REUSABLE = reading(lambda view: [nested(_reusable(view), "reusable"), variables(view)])


async def links_of_pages(cx: Context, where: Where, page_ids: Sequence[str]) -> PageLinks:
    """Return the links of pages of a place. Raises as `find`; pages that are not there have no links."""
    space = await find(cx, where, _LINKS, pages=sorted(set(page_ids)), **seeing_inside(cx))
    return PageLinks(space, at(space), {page.page_id: page.links for page in space.pages})


async def read_reusable(cx: Context, where: Where, reusable_id: str, query: BodyQuery) -> ReusableRead:
    """Return a reusable content of a place with its links. Raises as `find` and as `body_of`."""
    space = await find(cx, where, _REUSABLE, reusable=[reusable_id], **seeing_inside(cx))
    if not space.reusable:
        raise NotFound("There is no such reusable content.")
    (row,) = space.reusable
    links = PageLinks(space, at(space), {row.reusable_id: row.links})
    return ReusableRead(links, await body_of(row, space.variables or {}, query))

"""What the links of several pages lead to, as far as their addresses need it, in one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select

from app.access.context import Context
from app.access.fetch import seeing_inside
from app.domain.content.content import p_
from app.domain.content.link_columns import l_, target_columns
from app.domain.content.views import View, Where, at, find, r_, reading, s_, v_
from app.kit.database.sql import among, nested
from app.models.spaces import Space


@dataclass(slots=True, frozen=True)
class PageLinks:
    """Links of pages that were read at a place; `at`: the change request or revision, if it is one.

    `rows` are the links by the ids of their pages.
    """

    space: Space
    at: Any
    rows: Mapping[str, Sequence[Any]]


def _pages(view: View) -> Select[Any]:
    """Return pages, each with its links: so that an index finds the links of each."""
    links = select(*target_columns(view)).where(view.valid(l_, keyed=True), l_.c.holder_id == p_.c.page_id)
    columns = (p_.c.page_id, nested(links.correlate(s_, r_, v_, p_), "links"))
    return select(*columns).where(view.valid(p_, keyed=True), among(p_.c.page_id, "pages"))


_LINKS = reading(lambda view: [nested(_pages(view), "pages")])


async def links_of_pages(cx: Context, where: Where, page_ids: Sequence[str]) -> PageLinks:
    """Return the links of pages of a place. Raises as `find`; pages that are not there have no links."""
    space = await find(cx, where, _LINKS, pages=sorted(set(page_ids)), **seeing_inside(cx))
    return PageLinks(space, at(space), {page.page_id: page.links for page in space.pages})

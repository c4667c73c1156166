"""Finds who last edited pages, in one statement for all pages of a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Label, Select, select

from app.access.context import Context
from app.domain.content import published
from app.domain.content.content import PAGE_VERSIONS
from app.domain.content.views import View, Where, find, reading
from app.kit.database.sql import among, nested
from app.kit.database.statements import table
from app.models.users import User

USERS = table(User)


def editor() -> Label[Any]:
    """Return the column of who last edited a page: one person or none."""
    return nested(
        select(*USERS.c).where(USERS.c.id == PAGE_VERSIONS.c.edited_by).correlate(PAGE_VERSIONS), "editor"
    )


def _pages(view: View) -> Select[Any]:
    return select(PAGE_VERSIONS.c.page_id, editor()).where(
        view.valid(PAGE_VERSIONS, keyed=True), among(PAGE_VERSIONS.c.page_id, "pages")
    )


_EDITORS = reading(lambda view: [nested(_pages(view), "edited")])


async def of_pages(cx: Context, where: Where, page_ids: Sequence[str]) -> Mapping[str, User]:
    """Return who last edited each of these pages, as far as that was a person; visitors are told of nobody.

    Raises as `find`.
    """
    found = await find(cx, where, _EDITORS, can=published.right(where), pages=sorted(set(page_ids)))
    if published.is_visitor(cx, found):
        return {}
    return {page.page_id: page.editor[0] for page in found.edited if page.editor}

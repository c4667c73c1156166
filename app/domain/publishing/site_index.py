"""Searching published spaces as their visitors do: no right is asked, the caller says which spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, and_

from app.access.context import Context
from app.domain.content.search_index import x_
from app.domain.content.searching import Search, match_of
from app.domain.publishing.conditional_sections import for_visitors
from app.kit.database.sql import among
from app.kit.database.statements import engines, rows

Terms = list[list[str]]
MOST = 60  # pages, so that enough are left when those are gone that a visitor may not see


def _statement(dialect: str) -> Any:
    search = Search(dialect, "organization", and_(among(x_.c.space_id, "spaces"), for_visitors()))

    def found() -> Select[Any]:
        return (
            search.page_rows()
            .add_columns(search.pages.c.space_id)
            .order_by(search.pages.c.score, search.pages.c.page_id)
            .limit(MOST)
        )

    return rows(found)


_IN_SPACES = engines(_statement)


async def pages(
    cx: Context, organization_id: str, spaces: Sequence[str], terms: Terms, holding: Sequence[str]
) -> list[Any]:
    """Pages of these spaces that match, the best first, each with its best sections: those for everybody,
    and those of conditional ones that are `holding` (see `conditional_sections`)."""
    if not terms or not spaces:
        return []
    match = match_of(cx, f"o{organization_id}", terms)
    values = {"match": match, "organization": organization_id, "spaces": list(spaces), "holding": holding}
    return await cx.db.read_inline(_IN_SPACES(cx.db.dialect), **values)

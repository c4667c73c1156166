"""Searching published spaces as their visitors do: no right is asked, the caller says which spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, or_, select

from app.access.context import Context
from app.content import folding
from app.domain.content.content import p_
from app.domain.content.search_index import x_
from app.domain.content.searching import Search, match_of
from app.kit.predicates import among
from app.kit.statements import engines, rows, table
from app.models.pages import Document

_d = table(Document)
MOST = 60  # pages, so that enough are left when those are gone that a visitor may not see


def _statement(dialect: str) -> Any:
    search = Search(dialect, "organization", among(x_.c.space_id, "spaces"))

    def found() -> Select[Any]:
        return (
            search.page_rows()
            .add_columns(search.pages.c.space_id)
            .order_by(search.pages.c.score, search.pages.c.page_id)
            .limit(MOST)
        )

    return rows(found)


_IN_SPACES = engines(_statement)


async def pages(cx: Context, organization_id: str, spaces: Sequence[str], query: str) -> list[Any]:
    """Pages of these spaces that match, the best first, each with its best sections."""
    terms = folding.terms(query)
    if not terms or not spaces:
        return []
    match = match_of(cx, f"o{organization_id}", terms)
    values = {"match": match, "organization": organization_id, "spaces": list(spaces)}
    return await cx.db.brief(_IN_SPACES(cx.db.dialect), **values)


def _guarded() -> Select[Any]:
    """Bodies of which a visitor may see a part only; the tag may be written with or without a space."""
    tags = ("{% if", "{%if", "{%- if")
    guarded = or_(*(_d.c.markdown.contains(tag, autoescape=True) for tag in tags))
    return (
        select(p_.c.page_id, _d.c.markdown)
        .join(_d, _d.c.id == p_.c.document_id)
        .where(among(p_.c.page_id, "pages"), among(p_.c.line_id, "spaces"), p_.c.valid_to.is_(None), guarded)
    )


_GUARDED = rows(_guarded)


async def guarded(cx: Context, spaces: Sequence[str], pages: Sequence[str]) -> dict[str, str]:
    """Those of the pages whose bodies have conditions, with their bodies."""
    if not pages:
        return {}
    found = await cx.db.brief(_GUARDED, spaces=list(spaces), pages=list(pages))
    return {row.page_id: row.markdown for row in found}

"""Search results under conditions: the sections whose conditions hold for the visitor.

No body is read. The index stores the condition of each section, so only the conditions of matching sections
are evaluated, as many as time allows; the rest are not found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select

from app.access.context import Context
from app.domain.content.content import PAGE_VERSIONS
from app.domain.search import full_text_engines
from app.domain.search.matching import SearchQueryParts, key_of, matching
from app.domain.search.search_index import SEARCH_INCLUSIONS, SEARCH_SECTIONS
from app.formats.markdown.passages import NOBODY
from app.formats.text.search_queries import Places
from app.kit import deadlines, workers
from app.kit.database.sql import among
from app.kit.database.statements import EachEngine, rows, table
from app.kit.errors import OverBudget
from app.models.revisions import LineProperties

MOST = 1000  # sections, the best first
SECONDS = 0.5  # of computing
LINE_PROPERTIES = table(LineProperties)
_other, _other_inclusion = SEARCH_SECTIONS.alias("other_section"), SEARCH_INCLUSIONS.alias("other_inclusion")


def _statement(engine: str) -> Any:
    conditional = and_(
        or_(SEARCH_SECTIONS.c.condition.is_not(None), SEARCH_INCLUSIONS.c.condition.is_not(None)),
        func.coalesce(SEARCH_SECTIONS.c.condition, "") != NOBODY,
    )
    search = SearchQueryParts(engine, lambda space_id: among(space_id, "spaces"), conditional)
    are_there = or_(
        *(
            exists().where(t.c.condition.is_not(None), among(t.c.space_id, "spaces"))
            for t in (_other, _other_inclusion)
        )
    )

    def found() -> Select[Any]:
        section = search.sections.c
        page = and_(PAGE_VERSIONS.c.line_id == section.space_id, PAGE_VERSIONS.c.page_id == section.page_id)
        return (
            select(key_of(section.id, section.inclusion_id).label("key"), section.space_id, section.page_id)
            .add_columns(SEARCH_SECTIONS.c.condition, section.include_condition)
            .add_columns(
                PAGE_VERSIONS.c.title,
                PAGE_VERSIONS.c.variables,
                LINE_PROPERTIES.c.variables.label("space_variables"),
            )
            .join(search.sections, section.id == SEARCH_SECTIONS.c.id)
            .join(PAGE_VERSIONS, and_(page, PAGE_VERSIONS.c.valid_to.is_(None)))
            .join(
                LINE_PROPERTIES,
                and_(
                    LINE_PROPERTIES.c.line_id == SEARCH_SECTIONS.c.space_id,
                    LINE_PROPERTIES.c.valid_to.is_(None),
                ),
            )
            .where(are_there)
            .order_by(section.score, section.id, section.inclusion_id)
            .limit(MOST)
        )

    return rows(found)


def for_visitors() -> ColumnElement[bool]:
    """Return whether a section on a page is for everybody, or among those that are `holding` for the
    visitor."""
    is_for_everybody = and_(SEARCH_SECTIONS.c.condition.is_(None), SEARCH_INCLUSIONS.c.condition.is_(None))
    return or_(is_for_everybody, among(key_of(SEARCH_SECTIONS.c.id, SEARCH_INCLUSIONS.c.id), "holding"))


_FOUND = EachEngine(_statement)


async def holding(
    cx: Context, organization_id: str, spaces: Sequence[str], places: Places, claims: Mapping[str, Any]
) -> list[str]:
    """Return the sections of these spaces, by their keys, that match and stand under conditions which hold
    for these claims: their own, and those of the places where pages include them."""
    if not spaces or not places:
        return []
    asked = matching(cx, f"o{organization_id}", places)
    values = {**asked, "spaces": list(spaces)}
    found = await cx.db.read_inline(_FOUND(full_text_engines.name(cx)), **values)
    size = sum(map(len, map(_condition, found)))
    try:
        return await workers.run(size, _holding, found, dict(claims), seconds=SECONDS) if found else []
    except OverBudget:
        return []


class ConditionalRow(Protocol):
    """A section with the conditions that it stands under."""

    include_condition: str | None
    condition: str | None


def _condition(row: ConditionalRow) -> str:
    """Return all that must hold, one expression to a line."""
    return "\n".join(filter(None, (row.include_condition, row.condition)))


def _holding(found: Sequence[Any], claims: dict[str, Any]) -> list[str]:
    from app.formats.markdown.evaluation import holds

    verdicts: dict[tuple[str, str, str], bool] = {}
    seen = []
    for row in found:
        condition = _condition(row)
        page = row.page_id if "page" in condition else ""  # else it is the same for all pages
        asked = (condition, row.space_id, page)
        if asked not in verdicts:
            deadlines.check()
            scope = {
                "space": {"vars": row.space_variables or {}},
                "page": {"vars": row.variables or {}, "title": row.title},
                "visitor": {"claims": claims},
            }
            verdicts[asked] = holds(condition, scope)
        if verdicts[asked]:
            seen.append(row.key)
    return seen

"""What a search may find for a visitor of what stands under conditions: the sections whose conditions hold.

No body is read for that. The index keeps each section with its condition, so that of those that match the
conditions alone are evaluated, as many as there is time for; what is beyond that is not found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select

from app.access.context import Context
from app.content.passages import NOBODY
from app.domain.content.content import p_
from app.domain.content.search_index import x_
from app.domain.content.searching import Search, match_of
from app.kit import deadlines, workers
from app.kit.errors import OverBudget
from app.kit.predicates import among, among_numbers
from app.kit.statements import engines, rows, table
from app.models.revisions import LineProperties

MOST = 1000  # sections, the best first
SECONDS = 0.5  # of computing
Terms = list[list[str]]
_v = table(LineProperties)
_other = x_.alias("other_section")


def _statement(dialect: str) -> Any:
    conditional = and_(x_.c.condition.is_not(None), x_.c.condition != NOBODY, among(x_.c.space_id, "spaces"))
    search = Search(dialect, "organization", conditional)
    are_there = exists().where(_other.c.condition.is_not(None), among(_other.c.space_id, "spaces"))

    def found() -> Select[Any]:
        section, page = search.sections.c, and_(p_.c.line_id == x_.c.space_id, p_.c.page_id == x_.c.page_id)
        return (
            select(x_.c.id, x_.c.space_id, x_.c.page_id, x_.c.condition)
            .add_columns(p_.c.title, p_.c.variables, _v.c.variables.label("space_variables"))
            .join(search.sections, section.id == x_.c.id)
            .join(p_, and_(page, p_.c.valid_to.is_(None)))
            .join(_v, and_(_v.c.line_id == x_.c.space_id, _v.c.valid_to.is_(None)))
            .where(are_there)
            .order_by(section.score, x_.c.id)
            .limit(MOST)
        )

    return rows(found)


def for_visitors() -> ColumnElement[bool]:
    """Whether a section is for everybody, or among those that are `holding` for the visitor."""
    return or_(x_.c.condition.is_(None), among_numbers(x_.c.id, "holding"))


_FOUND = engines(_statement)


async def holding(
    cx: Context, organization_id: str, spaces: Sequence[str], terms: Terms, claims: Mapping[str, Any]
) -> list[int]:
    """The sections of these spaces that match and stand under conditions which hold for these claims."""
    if not spaces or not terms:
        return []
    match = match_of(cx, f"o{organization_id}", terms)
    values = {"match": match, "organization": organization_id, "spaces": list(spaces)}
    found = await cx.db.brief(_FOUND(cx.db.dialect), **values)
    size = sum(len(row.condition) for row in found)
    try:
        return await workers.run(size, _holding, found, dict(claims), seconds=SECONDS) if found else []
    except OverBudget:
        return []


def _holding(found: Sequence[Any], claims: dict[str, Any]) -> list[int]:
    from app.content.evaluate import holds

    verdicts: dict[tuple[str, str, str], bool] = {}
    seen = []
    for row in found:
        page = row.page_id if "page" in row.condition else ""  # else it is the same for all pages
        asked = (row.condition, row.space_id, page)
        if asked not in verdicts:
            deadlines.check()
            scope = {
                "space": {"vars": row.space_variables or {}},
                "page": {"vars": row.variables or {}, "title": row.title},
                "visitor": {"claims": claims},
            }
            verdicts[asked] = holds(row.condition, scope)
        if verdicts[asked]:
            seen.append(row.id)
    return seen

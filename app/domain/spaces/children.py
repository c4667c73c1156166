"""Children of a collection or of an organization's root: spaces and collections in the order they share."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import CTE, ColumnElement, FromClause, Select, Subquery, and_, literal, select, union_all

from app.access.context import Context
from app.access.fetch import fetch_page, permit_in, seeing, seeing_inside, visible
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, shown, table
from app.models.collections import Collection
from app.models.queries import PageQuery
from app.models.spaces import Space

SPACE_UNSEEN = ("rank", "revision_number", "comments_resolved")
COLLECTION_UNSEEN = ("rank", "created_at", "updated_at")
# Aliases, since the collection that is listed stands in the same statement.
_c, _s = table(Collection).alias("child_collection"), table(Space).alias("child_space")


@cache
def _children(in_root: bool) -> Subquery:
    """Return the children that the caller sees, each as `kind`, `id` and `rank`."""

    def of(kind: str, t: FromClause, *conditions: ColumnElement[bool]) -> Select[Any]:
        seen = visible(t) if in_root else visible(t, inside=t)
        here = t.c.parent_id == given("inside")
        if in_root:
            here = and_(t.c.organization_id == given("organization"), t.c.parent_id.is_(None))
        return select(literal(kind).label("kind"), t.c.id, t.c.rank).where(here, seen, *conditions)

    collections, spaces = of("collection", _c), of("space", _s, _s.c.deleted_at.is_(None))
    return union_all(collections, spaces).subquery("children")


def _rows_of(found: CTE) -> Select[Any]:
    """Return the children of one page with what is shown of them: one `space` or one `collection` each."""

    def row(kind: str, model: Any, unseen: tuple[str, ...]) -> Any:
        columns, here = shown(model, besides=unseen), table(model).c.id == found.c.id
        return nested(select(*columns).where(found.c.kind == kind, here).correlate(found), kind)

    collection = row("collection", Collection, COLLECTION_UNSEEN)
    return select(*found.c, collection, row("space", Space, SPACE_UNSEEN))


def _listing(name: str, *, in_root: bool) -> Listing[Any]:
    return Listing(
        name,
        Space,
        lambda: select(*_children(in_root).c).select_from(_children(in_root)),
        order=lambda: [_children(in_root).c.rank, _children(in_root).c.id],
        inside=None if in_root else Collection,
        completed=_rows_of,
    )


IN_ROOT = _listing("children of an organization", in_root=True)
IN_COLLECTION = _listing("children of a collection", in_root=False)


async def list_in_organization(cx: Context, organization_id: str, query: PageQuery) -> Page[Any]:
    """List the spaces and collections at the root of an organization, together in their order."""
    permit_in(cx, organization_id)
    sight = seeing(cx, organization_id)
    page = await IN_ROOT.page(cx.db, query.paging, cx.tokens, sight=sight, organization=organization_id)
    return page.map(_child)


async def list_in_collection(cx: Context, collection_id: str, query: PageQuery) -> Page[Any]:
    """List the spaces and collections that are directly in a collection, together in their order."""
    sight = seeing_inside(cx)
    _, page = await fetch_page(cx, Collection, collection_id, IN_COLLECTION, query.paging, sight=sight)
    return page.map(_child)


def _child(row: Any) -> tuple[str, Any]:
    """Return the kind of a child, and its row."""
    return row.kind, getattr(row, row.kind)[0]

"""The place of a new page: behind its siblings, which are not read for it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, func, null, select

from app.domain.content.views import View
from app.domain.revisions.branch import on_branch
from app.domain.revisions.drafts import PAGE_VERSIONS, Draft
from app.kit.database.statements import given
from app.kit.ids import rank_after


def _taken(view: View) -> Select[Any]:
    """Return the page that has the path, if one does."""
    return select(PAGE_VERSIONS.c.page_id.label("taken_by"), null().label("rank")).where(
        view.valid(PAGE_VERSIONS), PAGE_VERSIONS.c.path == given("path")
    )


def _last(view: View) -> Select[Any]:
    columns: list[Any] = [null(), func.max(PAGE_VERSIONS.c.rank)]
    return select(*columns).where(view.valid(PAGE_VERSIONS))


def _last_root(view: View) -> Select[Any]:
    return _last(view).where(PAGE_VERSIONS.c.parent_id.is_(None))


def _last_child(view: View) -> Select[Any]:
    return _last(view).where(PAGE_VERSIONS.c.parent_id == given("parent"))


_BEHIND_ROOTS, _BEHIND_CHILDREN = on_branch(_taken, _last_root), on_branch(_taken, _last_child)


async def rank_behind(draft: Draft, parent_id: str | None, slug: str) -> str | None:
    """Return the rank of a new page with this slug behind all pages under a parent (None: at the root).

    None where the slug may be taken, or the draft says itself what is under the parent: then the siblings
    must be read.
    """
    if draft.knows_under(parent_id):
        return None
    if parent_id is None:
        found = await draft.line.all(draft.cx, _BEHIND_ROOTS, path=slug)
    elif (parent := draft.held.get(parent_id)) is not None:
        path = f"{parent.path}/{slug}"
        found = await draft.line.all(draft.cx, _BEHIND_CHILDREN, path=path, parent=parent_id)
    else:
        return None
    if any(row.taken_by is not None for row in found):
        return None
    return rank_after(found[0].rank)

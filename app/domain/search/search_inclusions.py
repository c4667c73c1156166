"""Which pages show which reusable contents, so that a search finds the text of these on those pages.

It follows from the links by which texts include reusable contents, and is kept where these change: an edit of
a reusable content alone changes nothing here, however many pages show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Integer, delete, insert, select, union

from app.access.context import Context
from app.domain.content.content import p_
from app.formats.markdown.passages import DEEPEST_INCLUDED, Include, included
from app.kit import workers
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import command, given, rows, table
from app.models.links import Link
from app.models.searches import SearchInclusion
from app.models.spaces import Space

n_, _l = table(SearchInclusion), table(Link)
INCLUDE = 20  # characters that an inclusion counts for
_INCLUDES = rows(
    lambda: (
        select(_l.c.holder_id, _l.c.target_id, _l.c.shown_if)
        .where(
            _l.c.line_id == given("space"),
            _l.c.valid_to.is_(None),
            among(_l.c.holder_id, "ids"),
            _l.c.shown_if.is_not(None),
            _l.c.target_kind == "reusable-content",
            _l.c.status == "ok",
        )
        .distinct()
    )
)
_AFFECTED = rows(
    lambda: union(
        select(p_.c.page_id).where(
            p_.c.line_id == given("space"), p_.c.valid_to.is_(None), among(p_.c.page_id, "ids")
        ),
        select(n_.c.page_id).where(n_.c.space_id == given("space"), among(n_.c.reusable_id, "ids")),
    )
)
_INCLUDED = rows(
    lambda: (
        select(_l.c.holder_id)
        .where(
            _l.c.line_id == given("space"),
            among(_l.c.holder_id, "ids"),
            _l.c.valid_to == given("number", Integer()),
            _l.c.shown_if.is_not(None),
        )
        .distinct()
    )
)
_REMOVE = command(lambda: delete(n_).where(n_.c.space_id == given("space"), among(n_.c.page_id, "pages")))
_REMOVE_ALL = command(lambda: delete(n_).where(n_.c.space_id == given("space")))
_COPIED = ("page_id", "reusable_id", "condition")
_COPY = command(
    lambda: insert(n_).from_select(
        ["space_id", *_COPIED],
        select(given("to", Key), *(n_.c[name] for name in _COPIED)).where(n_.c.space_id == given("space")),
    )
)


async def follow(cx: Context, space: Space, including: Collection[str]) -> None:
    """Follow pages and reusable contents that may include something else than they did, by their ids."""
    if not including:
        return
    affected = await cx.tx.all(_AFFECTED, space=space.id, ids=sorted(including))
    pages = {row.page_id for row in affected}
    if not pages:
        return
    includes = await _includes(cx, space, pages)
    size = INCLUDE * sum(map(len, includes.values()))
    made = await workers.run(size, _shown, space.id, pages, includes) if includes else []
    await forget(cx, space, pages)
    await cx.tx.add_many(SearchInclusion, made)


async def included_something(cx: Context, space: Space, ids: Collection[str], number: int) -> set[str]:
    """Those of these holders of links whose links closed at a revision's number included something."""
    closed = await cx.tx.all(_INCLUDED, space=space.id, ids=sorted(ids), number=number) if ids else []
    return {row.holder_id for row in closed}


async def forget(cx: Context, space: Space, pages: Collection[str]) -> None:
    """Forget what these pages show, which include nothing any more."""
    if pages:
        await cx.tx.run(_REMOVE, space=space.id, pages=sorted(pages))


async def remove_space(cx: Context, space: Space) -> None:
    """Forget what is kept of a whole space."""
    await cx.tx.run(_REMOVE_ALL, space=space.id)


async def copy(cx: Context, source: Space, target: Space) -> None:
    """Keep of the copy of a space what is kept of the space itself."""
    await cx.tx.run(_COPY, space=source.id, to=target.id)


async def _includes(cx: Context, space: Space, pages: Collection[str]) -> dict[str, list[Include]]:
    """Return what these pages include, and what is included there, by the ids of what includes it."""
    found: defaultdict[str, list[Include]] = defaultdict(list)
    asked: set[str] = set()
    level = {*pages}
    for _ in range(DEEPEST_INCLUDED):
        asked |= level
        for row in await cx.tx.all(_INCLUDES, space=space.id, ids=sorted(level)):
            found[row.holder_id].append(Include(row.target_id, row.shown_if))
        level = {each.target_id for holder_id in level for each in found.get(holder_id, ())} - asked
        if not level:
            break
    return found


def _shown(space_id: str, pages: Collection[str], includes: dict[str, list[Include]]) -> list[dict[str, Any]]:
    return [
        {
            "space_id": space_id,
            "page_id": page_id,
            "reusable_id": each.target_id,
            "condition": each.condition or None,
        }
        for page_id in sorted(pages)
        if page_id in includes
        for each in included(page_id, includes)
    ]

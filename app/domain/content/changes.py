"""What a revision changed of its parent, and a change request of the main content at its base.

Every page, file and block that was touched is read as it was and as it is: that grows with the change, and
finding them is a walk through indexes. What differs makes the items, so a page that moved and was edited
makes two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Label, Select, literal, select, true, union

from app.access.context import Context
from app.domain.content.sides import SIDES, after_, comparing, from_space, on_side, pairs, touched, versions
from app.domain.content.views import Where, at, find
from app.kit.database.sql import nested
from app.kit.database.statements import table
from app.models.changes import ChangesQuery
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion

Pair = tuple[Any, Any]
_p, _f = table(PageVersion), table(FileVersion)
_u, _v = table(ReusableVersion), table(LineProperties)
TOLD = ("title", "description", "slug", "document_id", "cover", "emoji", "layout", "variables")
_ALSO_SHOWN = (
    "kind", "link_title", "icon", "hidden", "no_index", "no_robots_index", "condition", "href", "computed",
)  # fmt: skip
_EDITED = (*TOLD, *_ALSO_SHOWN)
FILE_TOLD = ("name", "blob_id", "size", "content_type", "width", "height")
REUSABLE_TOLD = ("title", "document_id")


class ChangedPage(Protocol):
    """What is told of a page that changed."""

    id: str
    kind: str
    title: str
    path: str


class ChangedFile(Protocol):
    """What is told of a file that changed."""

    id: str
    name: str
    content_type: str
    blob_id: str


@dataclass(slots=True, frozen=True)
class Item:
    """One change; `parents` are what a page that moved stood and stands under."""

    type: str
    before: Any
    after: Any
    parents: Pair = (None, None)

    @property
    def row(self) -> Any:
        """What changed, as it is or was last."""
        return self.after or self.before


@dataclass(slots=True, frozen=True)
class Changes:
    """The first changes, and how many are not told; `at` is the change request or revision."""

    space: Any
    at: Any
    items: Sequence[Item]
    more: int
    merged_from: str | None


def _columns() -> Iterator[Label[Any]]:
    yield pairs("pages", _p, "page_id", _pages_and_parents(), ("path", "parent_id", "rank", *_EDITED))
    yield pairs("files", _f, "file_id", touched(FileVersion, "file_id"), FILE_TOLD)
    yield pairs("reusable", _u, "reusable_id", touched(ReusableVersion, "reusable_id"), REUSABLE_TOLD)
    lines = versions(_v, true())
    said = (on_side(side, select(lines.c.variables), lines) for side in SIDES)
    yield nested(from_space(select(literal("").label("id"), *said)), "properties")
    yield after_.c.merged_from.label("merged_from")


def _pages_and_parents() -> list[Select[Any]]:
    """The pages that were touched, and all that they ever stood under, so that a move can name both."""
    pages = touched(PageVersion, "page_id")
    ids = union(*pages).subquery()
    theirs = versions(_p, _p.c.page_id.in_(select(ids.c.id)))
    return [*pages, from_space(select(theirs.c.parent_id).where(theirs.c.parent_id.is_not(None)))]


_READ = comparing(_columns)


async def get(cx: Context, where: Where, query: ChangesQuery) -> Changes:
    """Get what a revision changed of the one before, or a change request of the content at its base.

    Pages come first in the order of their paths, then files, variables and reusable contents.
    """
    row = await find(cx, where, _READ)
    items = [
        *_pages(_both(row.pages), computed=query.computed),
        *_things("file", _both(row.files), FILE_TOLD),
        *_variables(*_both(row.properties)),
        *_things("reusable_content", _both(row.reusable), REUSABLE_TOLD),
    ]
    shown = items[: query.limit]
    return Changes(row, at(row), shown, len(items) - len(shown), row.merged_from)


def _both(rows: Sequence[Any]) -> list[Pair]:
    """What was and is of each, where there was or is anything."""
    return [(_one(row.before), _one(row.after)) for row in rows if row.before or row.after]


def _one(rows: Sequence[Any]) -> Any:
    return rows[0] if rows else None


def _pages(found: list[Pair], *, computed: bool) -> Iterator[Item]:
    before = {was.id: was for was, _ in found if was}
    after = {now.id: now for _, now in found if now}
    for was, now in sorted(found, key=lambda pair: (_row(pair).path, _row(pair).id)):
        if _row((was, now)).computed is not None and not computed:
            continue
        if was is None or now is None:
            yield _coming_or_going("page", was, now)
            continue
        if is_moved(was, now):
            yield Item("page_moved", was, now, (before.get(was.parent_id), after.get(now.parent_id)))
        if is_edited(was, now):
            yield Item("page_edited", was, now)


def is_moved(was: Any, now: Any) -> bool:
    """Whether a page stands elsewhere among the others."""
    return bool((was.parent_id, was.rank) != (now.parent_id, now.rank))


def is_edited(was: Any, now: Any) -> bool:
    """Whether a page says or shows something else."""
    return _differ(was, now, _EDITED)


def _things(kind: str, found: list[Pair], told: Sequence[str]) -> Iterator[Item]:
    for was, now in sorted(found, key=lambda pair: str(_row(pair).id)):
        if was is None or now is None:
            yield _coming_or_going(kind, was, now)
        elif _differ(was, now, told):
            yield Item(f"{kind}_edited", was, now)


def _variables(said: Pair) -> Iterator[Item]:
    was, now = (side.variables if side else {} for side in said)
    if was != now:
        yield Item("variables_edited", was, now)


def _coming_or_going(kind: str, was: Any, now: Any) -> Item:
    return Item(f"{kind}_{'created' if was is None else 'deleted'}", was, now)


def _row(pair: Pair) -> Any:
    return pair[1] or pair[0]


def _differ(was: Any, now: Any, names: Sequence[str]) -> bool:
    return any((getattr(was, name) or None) != (getattr(now, name) or None) for name in names)

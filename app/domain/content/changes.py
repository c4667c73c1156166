"""The changes of a revision against its parent, and of a change request against its base.

Each page, file and block that was touched is read before and after, found by indexes, so the cost grows with
the size of the change. A page that was both moved and edited gives two items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from sqlalchemy import FromClause, Label, Select, Subquery, and_, case, func, literal, select, true, union
from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.content.views import (
    CHANGE_REQUESTS,
    REQUEST,
    REVISION,
    REVISIONS,
    SPACES,
    Reading,
    View,
    Where,
    at,
    find,
)
from app.kit.database.sql import nested
from app.kit.database.statements import given, query, table
from app.models.change_requests import ChangeRequest
from app.models.changes import ChangesQuery
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion
from app.models.spaces import Space

after_, before_ = REVISIONS.alias("this"), REVISIONS.alias("parent")
SIDES = {"before": before_, "after": after_}
Columns = Callable[[], Iterable[Any]]


def comparing(columns: Columns) -> Reading:
    """Return the statements that read a space with `columns` beside it, which may refer to both sides."""

    def built(view: View) -> Select[Any]:
        found = select(*SPACES.c, *view.beside(), *columns()).select_from(_source(view))
        return found.where(SPACES.c.id == given("id"))

    return {view: query(Space, partial(built, view)) for view in (REQUEST, REVISION)}


def _source(view: View) -> FromClause:
    base = CHANGE_REQUESTS.c.base_revision_id if view is REQUEST else _parent()
    both = view.source().outerjoin(after_, after_.c.id == view.revision())
    return both.outerjoin(before_, before_.c.id == base)


def _parent() -> Any:
    """Return the revision before on the line; before the first of a change request,
    the one that this left from.
    """
    same, request = REVISIONS.alias(), table(ChangeRequest).alias()
    is_before = and_(same.c.line_id == after_.c.line_id, same.c.number == after_.c.number - 1)
    left = select(request.c.revision_initial).where(request.c.id == after_.c.line_id)
    return func.coalesce(select(same.c.id).where(is_before).scalar_subquery(), left.scalar_subquery())


def versions(t: Any, is_meant: Any, *others: FromClause) -> Subquery:
    """Return all that a table has of what is meant on the lines of both sides.

    They are found first (OFFSET 0), and then it is asked which are valid: the other way round a database
    might go through everything that was closed since.
    """
    on_their_lines = t.c.line_id.in_([after_.c.line_id, SPACES.c.id])
    return from_space(select(*t.c).where(on_their_lines, is_meant), *others).offset(0).subquery()


def on_side(side: str, found: Select[Any], t: Any, *others: FromClause) -> Label[Any]:
    """Return the rows that `found` selects of versions as they are on a side; it may refer to `others`."""
    here = found.where(REVISIONS.c.id == SIDES[side].c.id, REVISION.valid(t))
    return nested(from_space(here, *others), side)


def before_and_after(
    name: str, t: Any, key: str, seen: Sequence[Select[Any]], told: Sequence[str]
) -> Label[Any]:
    """Return the columns `told` of each id `seen` (see `touched`): rows `before` and `after`, one or none."""
    ids = union(*seen).subquery()
    of_one = versions(t, t.c[key] == ids.c.id, ids)
    found = select(of_one.c[key].label("id"), *(of_one.c[each] for each in told))
    both = (on_side(side, found, of_one, ids) for side in SIDES)
    return nested(from_space(select(ids.c.id, *both)), name)


def from_space(found: Select[Any], *others: FromClause) -> Select[Any]:
    """Return a selection inside the statement, of which it may refer to the space,
    both sides and `others`.
    """
    return found.correlate(SPACES, before_, after_, *others)


def touched(model: type[SQLModel], key: str) -> list[Select[Any]]:
    """Return the ids of what opened or closed between the sides, in several selections to be united."""
    t = table(model).alias()
    own = _between(t, t.c[key], after_.c.line_id, *_own_numbers())
    main = _between(t, t.c[key], SPACES.c.id, *_main_numbers())
    moved = [found.where(after_.c.line_id != SPACES.c.id) for found in main]
    return [from_space(found) for found in [*own, *moved]]


def _own_numbers() -> tuple[Any, Any]:
    is_same_line = before_.c.line_id == after_.c.line_id
    return case((is_same_line, before_.c.number), else_=0), after_.c.number


def _main_numbers() -> tuple[Any, Any]:
    """Return the numbers of the main line that the sides stand on."""
    return func.coalesce(before_.c.base_number, before_.c.number), after_.c.base_number


def _between(t: Any, key: Any, line: Any, low: Any, high: Any) -> list[Select[Any]]:
    steps = (t.c.valid_from, t.c.valid_to)
    return [select(key.label("id")).where(t.c.line_id == line, step > low, step <= high) for step in steps]


Pair = tuple[Any, Any]
PAGE_VERSIONS, FILE_VERSIONS = table(PageVersion), table(FileVersion)
REUSABLE_VERSIONS, LINE_PROPERTIES = table(ReusableVersion), table(LineProperties)
PAGE_FIELDS = ("title", "description", "slug", "document_id", "cover", "emoji", "layout", "variables")
_ALSO_SHOWN = (
    "kind", "link_title", "icon", "hidden", "no_index", "no_robots_index", "condition", "href", "computed",
)  # fmt: skip
_EDITED = (*PAGE_FIELDS, *_ALSO_SHOWN)
FILE_FIELDS = ("name", "blob_id", "size", "content_type", "width", "height")
REUSABLE_FIELDS = ("title", "document_id")


class PageDifference(Protocol):
    """The columns of a page that changed."""

    id: str
    kind: str
    title: str
    path: str


class ChangedFile(Protocol):
    """The columns of a file that changed."""

    id: str
    name: str
    content_type: str
    blob_id: str


@dataclass(slots=True, frozen=True)
class ContentDifference:
    """One change; `parents` are what a page that moved stood and stands under."""

    type: str
    before: Any
    after: Any
    parents: Pair = (None, None)

    @property
    def row(self) -> Any:
        """Return the row of what changed, as it is or was last."""
        return self.after or self.before


@dataclass(slots=True, frozen=True)
class Changes:
    """The first changes, and how many are not told; `at` is the change request or revision."""

    space: Any
    at: Any
    items: Sequence[ContentDifference]
    more: int
    merged_from: str | None


def _columns() -> Iterator[Label[Any]]:
    yield before_and_after(
        "pages", PAGE_VERSIONS, "page_id", _pages_and_parents(), ("path", "parent_id", "rank", *_EDITED)
    )
    yield before_and_after("files", FILE_VERSIONS, "file_id", touched(FileVersion, "file_id"), FILE_FIELDS)
    yield before_and_after(
        "reusable", REUSABLE_VERSIONS, "reusable_id", touched(ReusableVersion, "reusable_id"), REUSABLE_FIELDS
    )
    lines = versions(LINE_PROPERTIES, true())
    said = (on_side(side, select(lines.c.variables), lines) for side in SIDES)
    yield nested(from_space(select(literal("").label("id"), *said)), "properties")
    yield after_.c.merged_from.label("merged_from")


def _pages_and_parents() -> list[Select[Any]]:
    """Return the pages that were touched, and all that they ever stood under,
    so that a move can name both.
    """
    pages = touched(PageVersion, "page_id")
    ids = union(*pages).subquery()
    theirs = versions(PAGE_VERSIONS, PAGE_VERSIONS.c.page_id.in_(select(ids.c.id)))
    return [*pages, from_space(select(theirs.c.parent_id).where(theirs.c.parent_id.is_not(None)))]


_READ = comparing(_columns)


async def get(cx: Context, where: Where, query: ChangesQuery) -> Changes:
    """Get what a revision changed of the one before, or a change request of the content at its base.

    Pages come first in the order of their paths, then files, variables and reusable contents.
    """
    row = await find(cx, where, _READ)
    items = [
        *_pages(_both(row.pages), computed=query.computed),
        *_things("file", _both(row.files), FILE_FIELDS),
        *_variables(*_both(row.properties)),
        *_things("reusable_content", _both(row.reusable), REUSABLE_FIELDS),
    ]
    shown = items[: query.limit]
    return Changes(row, at(row), shown, len(items) - len(shown), row.merged_from)


def _both(rows: Sequence[Any]) -> list[Pair]:
    """Return what was and is of each, where there was or is anything."""
    return [(_one(row.before), _one(row.after)) for row in rows if row.before or row.after]


def _one(rows: Sequence[Any]) -> Any:
    return rows[0] if rows else None


def _pages(found: list[Pair], *, computed: bool) -> Iterator[ContentDifference]:
    before = {was.id: was for was, _ in found if was}
    after = {now.id: now for _, now in found if now}
    for was, now in sorted(found, key=lambda pair: (_row(pair).path, _row(pair).id)):
        if _row((was, now)).computed is not None and not computed:
            continue
        if was is None or now is None:
            yield _coming_or_going("page", was, now)
            continue
        if is_moved(was, now):
            yield ContentDifference(
                "page_moved", was, now, (before.get(was.parent_id), after.get(now.parent_id))
            )
        if is_edited(was, now):
            yield ContentDifference("page_edited", was, now)


def is_moved(was: Any, now: Any) -> bool:
    """Tell whether a page stands elsewhere among the others."""
    return bool((was.parent_id, was.rank) != (now.parent_id, now.rank))


def is_edited(was: Any, now: Any) -> bool:
    """Tell whether a page says or shows something else."""
    return _differ(was, now, _EDITED)


def _things(kind: str, found: list[Pair], told: Sequence[str]) -> Iterator[ContentDifference]:
    for was, now in sorted(found, key=lambda pair: str(_row(pair).id)):
        if was is None or now is None:
            yield _coming_or_going(kind, was, now)
        elif _differ(was, now, told):
            yield ContentDifference(f"{kind}_edited", was, now)


def _variables(said: Pair) -> Iterator[ContentDifference]:
    was, now = (side.variables if side else {} for side in said)
    if was != now:
        yield ContentDifference("variables_edited", was, now)


def _coming_or_going(kind: str, was: Any, now: Any) -> ContentDifference:
    return ContentDifference(f"{kind}_{'created' if was is None else 'deleted'}", was, now)


def _row(pair: Pair) -> Any:
    return pair[1] or pair[0]


def _differ(was: Any, now: Any, names: Sequence[str]) -> bool:
    return any((getattr(was, name) or None) != (getattr(now, name) or None) for name in names)

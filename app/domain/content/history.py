"""The history of a space or a change request: the revisions of its line, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Insert, Select, and_, select, union

from app.access.context import Context
from app.domain.content.content import page_of
from app.domain.content.views import NOW, REQUEST, ContentVersion, View, Where, find, r_, reading, s_, v_
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.models.change_requests import ChangeRequest, Contribution
from app.models.pages import PageVersion
from app.models.revisions import HistoryQuery, Revision
from app.models.spaces import Space
from app.models.users import User

_p, _u = table(PageVersion), table(User)
_c = table(Contribution)
MOST_CONTRIBUTORS = 50  # named of one revision
Condition = Callable[[Any], Any]


@dataclass(slots=True, frozen=True)
class HistoryEntry:
    """A revision with its author and those who wrote what it brings, as a place to read in."""

    space: Space
    revision: Revision
    author: User | None
    contributors: Sequence[User]

    @property
    def at(self) -> ContentVersion:
        """The revision."""
        return ContentVersion("revision", self.revision.id, self.revision.number)


def _rows(view: View, *conditions: Condition) -> Select[Any]:
    line = s_.c.id if view is NOW else r_.c.id
    return _with_people(v_).where(v_.c.line_id == line, *(condition(line) for condition in conditions))


def _with_people(t: Any) -> Select[Any]:
    """Return revisions with their author, and those who edited the change request that was merged."""
    author = nested(select(*_u.c).where(_u.c.id == t.c.author_id), "author")
    edited = and_(_c.c.change_request_id == t.c.merged_from, _c.c.kind == "edit", _c.c.user_id == _u.c.id)
    editors = select(*_u.c).join(_c, edited).order_by(_u.c.id).limit(MOST_CONTRIBUTORS).correlate(t)
    return select(*t.c, author, nested(editors, "editors"))


def _entry(space: Space, row: Any) -> HistoryEntry:
    author = row.author[0] if row.author else None
    if row.git is not None:
        contributors: Sequence[User] = ()
    elif row.merged_from is not None:
        contributors = row.editors
    else:
        contributors = row.author
    return HistoryEntry(space, row, author, contributors)


def _touching_the_page(line: Any) -> Any:
    """At these numbers a version of the page opened or closed."""
    steps = (_p.c.valid_from, _p.c.valid_to)
    here = (_p.c.line_id == line, _p.c.page_id == given("page_id"))
    found = (select(step).where(*here, step.is_not(None)).correlate(line.table) for step in steps)
    return v_.c.number.in_(union(*found))


def _listings(name: str, *conditions: Condition) -> dict[View, Listing[Any]]:
    def one(view: View) -> Listing[Any]:
        return Listing(
            f"{name} of a {view.noun}",
            Revision,
            lambda: _rows(view, *conditions),
            lambda: [v_.c.number],
            descending=True,
            inside=Space,
            source=view.source,
            beside=view.beside,
        )

    return {view: one(view) for view in (NOW, REQUEST)}


_ALL = _listings("revisions")
_OF_PAGE = _listings("revisions by page", _touching_the_page)


async def list_revisions(cx: Context, where: Where, query: HistoryQuery) -> Page[HistoryEntry]:
    """List the revisions of a space or a change request, newest first, without their content."""
    if query.page_id is None:
        space, page = await page_of(cx, where, _ALL, query.paging)
    else:
        space, page = await page_of(cx, where, _OF_PAGE, query.paging, page_id=query.page_id)
    return page.map(lambda row: _entry(space, row))


_entry_row = table(Revision).alias("entry_row")
_ENTRY = reading(
    lambda view: [nested(_with_people(_entry_row).where(_entry_row.c.id == view.revision()), "entry")]
)


async def get_entry(cx: Context, where: Where) -> HistoryEntry:
    """Get the revision that a space, a change request or a revision is at, without its content."""
    row = await find(cx, where, _ENTRY)
    return _entry(row, row.entry[0])


_CONTRIBUTION_KEY = ["change_request_id", "user_id", "kind"]


def _increment(engine: str) -> Insert:
    insert = insert_into(_c, engine)
    values = {name: given(name, _c.c[name].type) for name in [*_CONTRIBUTION_KEY, "updated_at"]}
    again = {"count": _c.c.count + 1, "updated_at": insert.excluded.updated_at}
    added: Insert = insert.values(**values, count=1).on_conflict_do_update(
        index_elements=_CONTRIBUTION_KEY, set_=again
    )
    return added


_INCREMENT = command(by_engine(_increment))
_EDITORS = rows(
    lambda: (
        select(_c.c.user_id)
        .where(_c.c.change_request_id == given("id"), _c.c.kind == "edit")
        .order_by(_c.c.user_id)
    )
)


async def list_editors(cx: Context, request: ChangeRequest) -> list[str]:
    """Return the ids of those who edited a change request."""
    return [row.user_id for row in await cx.db.all(_EDITORS, id=request.id)]


async def count_edit(cx: Context, request: ChangeRequest) -> None:
    """The caller edited a change request."""
    await _count_one(cx, request.id, "edit")


async def count_comment(cx: Context, request_id: str) -> None:
    """The caller commented on a change request."""
    await _count_one(cx, request_id, "comment")


async def _count_one(cx: Context, request_id: str, kind: str) -> None:
    if cx.actor.user_id:
        values = {"change_request_id": request_id, "user_id": cx.actor.user_id, "kind": kind}
        await cx.tx.run(_INCREMENT, **values, updated_at=cx.now)

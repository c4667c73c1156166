"""One page's text before and after: in a revision, or in a change request.

The history of a space or a change request: the revisions of its line, newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Insert, Label, Select, and_, select, union

from app.access.context import Context
from app.domain.content.changes import SIDES, comparing, on_side, versions
from app.domain.content.content import page_of
from app.domain.content.views import (
    CHANGE_REQUESTS,
    NOW,
    REQUEST,
    REVISIONS,
    SPACES,
    ContentVersion,
    View,
    Where,
    find,
    reading,
)
from app.kit import workers
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.kit.errors import NotFound
from app.models.change_requests import ChangeRequest, Contribution
from app.models.changes import DiffQuery
from app.models.pages import Document, PageVersion
from app.models.revisions import HistoryQuery, Revision
from app.models.spaces import Space
from app.models.users import User

if TYPE_CHECKING:
    from app.formats.text.diffs import Hunk


PAGE_VERSIONS, DOCUMENTS = table(PageVersion), table(Document)


@dataclass(slots=True, frozen=True)
class PageDiff:
    """A change of a page's text; `before` and `after` are the ids of its documents, where it had any."""

    before: str | None
    after: str | None
    unified: str
    hunks: Sequence[Hunk]


def _columns() -> Iterator[Label[Any]]:
    page = versions(PAGE_VERSIONS, PAGE_VERSIONS.c.page_id == given("page_id"))
    text = page.outerjoin(DOCUMENTS, DOCUMENTS.c.id == page.c.document_id)
    found = select(page.c.path, page.c.source, page.c.document_id, DOCUMENTS.c.markdown).select_from(text)
    return (on_side(side, found, page) for side in SIDES)


_READ = comparing(_columns)


async def of_page(cx: Context, where: Where, page_id: str, query: DiffQuery) -> PageDiff:
    """Get how the text of a page changed, line by line.

    In a revision against the one before; in a change request against the content at its base.
    """
    row = await find(cx, where, _READ, page_id=page_id)
    if not row.before and not row.after:
        raise NotFound("There is no such page.")
    was, now = (rows[0] if rows else None for rows in (row.before, row.after))
    size = sum(len(_text(page)) for page in (was, now))
    return await workers.run(size, _diff, was, now, query.context)


def _diff(was: Any, now: Any, context: int) -> PageDiff:
    from app.formats.text.diffs import hunks, unified_of

    found = hunks(_text(was), _text(now), context)
    text = unified_of(found, _name("a", was), _name("b", now))
    return PageDiff(was and was.document_id, now and now.document_id, text, found)


def _text(page: Any) -> str:
    return (page and page.markdown) or ""


def _name(prefix: str, page: Any) -> str:
    """Return what a file is called in a unified diff."""
    if page is None or page.document_id is None:
        return "/dev/null"
    return f"{prefix}/{page.source or page.path + '.md'}"


USERS = table(User)
CONTRIBUTIONS = table(Contribution)
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
        """Return the revision."""
        return ContentVersion("revision", self.revision.id, self.revision.number)


def _rows(view: View, *conditions: Condition) -> Select[Any]:
    line = SPACES.c.id if view is NOW else CHANGE_REQUESTS.c.id
    return _with_people(REVISIONS).where(
        REVISIONS.c.line_id == line, *(condition(line) for condition in conditions)
    )


def _with_people(t: Any) -> Select[Any]:
    """Return revisions with their author, and those who edited the change request that was merged."""
    author = nested(select(*USERS.c).where(USERS.c.id == t.c.author_id), "author")
    edited = and_(
        CONTRIBUTIONS.c.change_request_id == t.c.merged_from,
        CONTRIBUTIONS.c.kind == "edit",
        CONTRIBUTIONS.c.user_id == USERS.c.id,
    )
    editors = (
        select(*USERS.c)
        .join(CONTRIBUTIONS, edited)
        .order_by(USERS.c.id)
        .limit(MOST_CONTRIBUTORS)
        .correlate(t)
    )
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
    """Match revisions in which a version of the page began or ended."""
    steps = (PAGE_VERSIONS.c.valid_from, PAGE_VERSIONS.c.valid_to)
    here = (PAGE_VERSIONS.c.line_id == line, PAGE_VERSIONS.c.page_id == given("page_id"))
    found = (select(step).where(*here, step.is_not(None)).correlate(line.table) for step in steps)
    return REVISIONS.c.number.in_(union(*found))


def _listings(name: str, *conditions: Condition) -> dict[View, Listing[Any]]:
    def one(view: View) -> Listing[Any]:
        return Listing(
            f"{name} of a {view.noun}",
            Revision,
            lambda: _rows(view, *conditions),
            lambda: [REVISIONS.c.number],
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
    insert = insert_into(CONTRIBUTIONS, engine)
    values = {name: given(name, CONTRIBUTIONS.c[name].type) for name in [*_CONTRIBUTION_KEY, "updated_at"]}
    again = {"count": CONTRIBUTIONS.c.count + 1, "updated_at": insert.excluded.updated_at}
    added: Insert = insert.values(**values, count=1).on_conflict_do_update(
        index_elements=_CONTRIBUTION_KEY, set_=again
    )
    return added


_INCREMENT = command(by_engine(_increment))
_EDITORS = rows(
    lambda: (
        select(CONTRIBUTIONS.c.user_id)
        .where(CONTRIBUTIONS.c.change_request_id == given("id"), CONTRIBUTIONS.c.kind == "edit")
        .order_by(CONTRIBUTIONS.c.user_id)
    )
)


async def list_editors(cx: Context, request: ChangeRequest) -> list[str]:
    """Return the ids of those who edited a change request."""
    return [row.user_id for row in await cx.db.all(_EDITORS, id=request.id)]


async def count_edit(cx: Context, request: ChangeRequest) -> None:
    """Count an edit of a change request by the caller."""
    await _count_one(cx, request.id, "edit")


async def count_comment(cx: Context, request_id: str) -> None:
    """Count a comment on a change request by the caller."""
    await _count_one(cx, request_id, "comment")


async def _count_one(cx: Context, request_id: str, kind: str) -> None:
    if cx.actor.user_id:
        values = {"change_request_id": request_id, "user_id": cx.actor.user_id, "kind": kind}
        await cx.tx.run(_INCREMENT, **values, updated_at=cx.now)

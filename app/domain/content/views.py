"""Views of content: a space as it is now, one of its change requests, or any revision of either.

A view is a join that finds the place, and a condition for the rows that are valid there. The line of a
change request lies over the main line at its base: a row of its own hides the main line's, and a deleted one
shows nothing instead. Links and what a line says as a whole follow the same rule, links with their page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    Label,
    Select,
    and_,
    exists,
    literal,
    not_,
    or_,
    select,
)

from app.access.context import Context
from app.access.fetch import fetch
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, query, table
from app.kit.errors import NotFound
from app.models.change_requests import ChangeRequest
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space

LONGEST_NUMBER = 9  # digits; what is longer is an id
SPACES, CHANGE_REQUESTS, REVISIONS = table(Space), table(ChangeRequest), table(Revision)
PLACES = (SPACES, CHANGE_REQUESTS, REVISIONS)
"""The tables of the row that a view is read beside, which selects inside of that row correlate."""
_OVERLAYS: dict[str, list[tuple[Any, str]]] = {  # by the key of a table, the rows that hide its rows
    "page_id": [(table(PageVersion), "page_id")],
    "file_id": [(table(FileVersion), "file_id")],
    "reusable_id": [(table(ReusableVersion), "reusable_id")],
    "holder_id": [(table(PageVersion), "page_id"), (table(ReusableVersion), "reusable_id")],
    "": [(table(LineProperties), "")],
}


@dataclass(slots=True, frozen=True)
class Where:
    """A space's current content, that of one of its change requests (id or number), or that of a revision."""

    space: str
    change_request: str | None = None
    revision: str | None = None

    @property
    def view(self) -> View:
        """Return how it is read."""
        if self.revision is not None:
            return REVISION
        return NOW if self.change_request is None else REQUEST

    @property
    def values(self) -> dict[str, Any]:
        """Return what the view's join needs."""
        if self.revision is not None:
            return {"at_revision": self.revision}
        return {} if self.change_request is None else request_values(self.change_request)


class ContentVersion(NamedTuple):
    """The `changeRequest` or `revision` that content was read at."""

    kind: str
    id: str
    number: int


def request_values(name: str) -> dict[str, Any]:
    """Return the values by which `is_request` finds a change request: its number, or else its id."""
    is_number = name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER
    return {"at_request": "" if is_number else name, "at_number": int(name) if is_number else -1}


def is_request() -> ColumnElement[bool]:
    """Return the change request of the space that `request_values` name."""
    named = or_(
        CHANGE_REQUESTS.c.id == given("at_request"), CHANGE_REQUESTS.c.number == given("at_number", Integer())
    )
    return and_(CHANGE_REQUESTS.c.space_id == SPACES.c.id, named)


class Valid(Protocol):
    """Tells a table's rows that are valid somewhere. `keyed`: the few versions of one thing are looked
    through, and not what was closed since, which grows with the space's history."""

    def __call__(self, t: Any, *, keyed: bool = False) -> ColumnElement[bool]: ...


@dataclass(slots=True, frozen=True, eq=False)
class View:
    """A way to read content: `source` joins the place, `valid` are a table's rows there.

    `revision` is the id of the revision that is read, `place` the rows that say where this is.
    """

    noun: str
    source: Callable[[], FromClause]
    valid: Valid
    revision: Callable[[], ColumnElement[Any]]
    place: Callable[[], Select[Any]] | None = None

    def beside(self) -> list[Label[Any]]:
        """Return the column `at`: the change request or revision, where it is one."""
        return [nested(self.place(), "at")] if self.place else []


def _now(t: Any, *, keyed: bool = False) -> ColumnElement[bool]:
    return and_(t.c.line_id == SPACES.c.id, t.c.valid_to.is_(None))


def _overlaid(t: Any, line: Any, number: Any, base: Any, *, keyed: bool) -> ColumnElement[bool]:
    """Match the rows of a branch at its number, and the rows below, at its base, that none of them hides.

    Each in two parts, rows that are open and rows that were closed later: an index serves each.
    """
    shown = [not_(t.c.deleted)] if "deleted" in t.c else []
    hidden = _hidden(t, line, number)
    closed = t.c.valid_to + 0 if keyed else t.c.valid_to  # no index serves a sum
    own = [t.c.line_id == line, t.c.valid_from <= number, *shown]
    main = [t.c.line_id == SPACES.c.id, t.c.valid_from <= base, ~hidden]
    return or_(
        and_(*own, t.c.valid_to.is_(None)),
        and_(*own, closed > number),
        and_(*main, t.c.valid_to.is_(None)),
        and_(*main, closed > base),
    )


@cache
def _hidden(t: Any, line: Any, number: Any) -> Any:
    """Match the rows of `t` that a branch has a later version of; built once for each table and branch."""
    key = next((name for name in _OVERLAYS if name in t.c), "")
    found = []
    for rows_over, name in _OVERLAYS[key]:
        over = rows_over.alias()
        same = [over.c[name] == t.c[key]] if key else []
        valid = or_(over.c.valid_to.is_(None), over.c.valid_to > number)
        hides = exists().where(over.c.line_id == line, over.c.valid_from <= number, valid, *same)
        found.append(hides.correlate_except(over))  # nothing else is looked through for each row
    return or_(*found)


def _version_rows(kind: str, t: Any) -> Callable[[], Select[Any]]:
    def row() -> Select[Any]:
        same = t.alias()
        return select(literal(kind).label("kind"), same.c.id, same.c.number).where(same.c.id == t.c.id)

    return row


NOW = View("space", lambda: SPACES, _now, lambda: SPACES.c.revision_id)
REQUEST = View(
    "change request",
    lambda: SPACES.outerjoin(CHANGE_REQUESTS, is_request()),
    lambda t, *, keyed=False: _overlaid(
        t, CHANGE_REQUESTS.c.id, CHANGE_REQUESTS.c.revision_number, CHANGE_REQUESTS.c.base_number, keyed=keyed
    ),
    lambda: CHANGE_REQUESTS.c.revision_id,
    _version_rows("changeRequest", CHANGE_REQUESTS),
)
REVISION = View(
    "revision",
    lambda: SPACES.outerjoin(
        REVISIONS, and_(REVISIONS.c.id == given("at_revision"), REVISIONS.c.space_id == SPACES.c.id)
    ),
    lambda t, *, keyed=False: _overlaid(
        t, REVISIONS.c.line_id, REVISIONS.c.number, REVISIONS.c.base_number, keyed=keyed
    ),
    lambda: REVISIONS.c.id,
    _version_rows("revision", REVISIONS),
)
VIEWS = (NOW, REQUEST, REVISION)
Reading = Mapping[View, Statement[Any]]


def reading(columns: Callable[[View], Iterable[Label[Any]]], views: Iterable[View] = VIEWS) -> Reading:
    """Return the statements that read a space with these columns beside it, one for each view."""

    def built(view: View) -> Select[Any]:
        found = select(*SPACES.c, *view.beside(), *columns(view)).select_from(view.source())
        return found.where(SPACES.c.id == given("id"))

    return {view: query(Space, partial(built, view)) for view in views}


async def find(cx: Context, where: Where, using: Reading, *, can: str = "view", **values: Any) -> Any:
    """Return the space with the columns of `using`; raises as `fetch`,
    and NotFound where there is no such place.
    """
    row: Any = await fetch(cx, Space, where.space, can=can, using=using[where.view], **where.values, **values)
    check_place(where, row)
    if cx.notes is not None and where.view.place is not None:
        cx.notes.ids[where.view.noun] = row.at[0].id
    return row


def check_place(where: Where, row: object) -> None:
    """Refuse a change request or revision that the space does not have."""
    if where.view.place is not None and at(row) is None:
        raise NotFound(f"There is no such {where.view.noun}.")


def at(row: object) -> ContentVersion | None:
    """Return the change request or revision that a row was read at; None for the current content."""
    found: Sequence[ContentVersion] = getattr(row, "at", ())
    return found[0] if found else None

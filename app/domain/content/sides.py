"""Two revisions side by side: one and its parent, or a change request and the main line at its base.

What was touched between them is found by the numbers at which rows opened and closed, on the line itself
and, where its base moved too, on the main line. How either side reads is the rule of `views.REVISION`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import FromClause, Label, Select, Subquery, and_, case, func, select, union
from sqlmodel import SQLModel

from app.domain.content.views import REQUEST, REVISION, Reading, View, r_, s_, v_
from app.kit.database.sql import nested
from app.kit.database.statements import given, query, table
from app.models.change_requests import ChangeRequest
from app.models.spaces import Space

after_, before_ = v_.alias("this"), v_.alias("parent")
SIDES = {"before": before_, "after": after_}
Columns = Callable[[], Iterable[Any]]


def comparing(columns: Columns) -> Reading:
    """The statements that read a space with `columns` beside it, which may refer to both sides."""

    def built(view: View) -> Select[Any]:
        found = select(*s_.c, *view.beside(), *columns()).select_from(_source(view))
        return found.where(s_.c.id == given("id"))

    return {view: query(Space, partial(built, view)) for view in (REQUEST, REVISION)}


def _source(view: View) -> FromClause:
    base = r_.c.base_revision_id if view is REQUEST else _parent()
    both = view.source().outerjoin(after_, after_.c.id == view.revision())
    return both.outerjoin(before_, before_.c.id == base)


def _parent() -> Any:
    """The revision before on the line; before the first of a change request, the one that this left from."""
    same, request = v_.alias(), table(ChangeRequest).alias()
    is_before = and_(same.c.line_id == after_.c.line_id, same.c.number == after_.c.number - 1)
    left = select(request.c.revision_initial).where(request.c.id == after_.c.line_id)
    return func.coalesce(select(same.c.id).where(is_before).scalar_subquery(), left.scalar_subquery())


def versions(t: Any, is_meant: Any, *others: FromClause) -> Subquery:
    """All that a table has of what is meant on the lines of both sides.

    They are found first (OFFSET 0), and then it is asked which are valid: the other way round a database
    might go through everything that was closed since.
    """
    on_their_lines = t.c.line_id.in_([after_.c.line_id, s_.c.id])
    return from_space(select(*t.c).where(on_their_lines, is_meant), *others).offset(0).subquery()


def on_side(side: str, found: Select[Any], t: Any, *others: FromClause) -> Label[Any]:
    """The rows that `found` selects of versions as they are on a side; it may refer to `others`."""
    here = found.where(v_.c.id == SIDES[side].c.id, REVISION.valid(t))
    return nested(from_space(here, *others), side)


def pairs(name: str, t: Any, key: str, seen: Sequence[Select[Any]], told: Sequence[str]) -> Label[Any]:
    """What is `told` of every id that was `seen` (see `touched`): rows `before` and `after`, one or none."""
    ids = union(*seen).subquery()
    of_one = versions(t, t.c[key] == ids.c.id, ids)
    found = select(of_one.c[key].label("id"), *(of_one.c[each] for each in told))
    both = (on_side(side, found, of_one, ids) for side in SIDES)
    return nested(from_space(select(ids.c.id, *both)), name)


def from_space(found: Select[Any], *others: FromClause) -> Select[Any]:
    """A selection inside the statement, of which it may refer to the space, both sides and `others`."""
    return found.correlate(s_, before_, after_, *others)


def touched(model: type[SQLModel], key: str) -> list[Select[Any]]:
    """The ids of what opened or closed between the sides, in several selections to be united."""
    t = table(model).alias()
    own = _between(t, t.c[key], after_.c.line_id, *_own_numbers())
    main = _between(t, t.c[key], s_.c.id, *_main_numbers())
    moved = [found.where(after_.c.line_id != s_.c.id) for found in main]
    return [from_space(found) for found in [*own, *moved]]


def _own_numbers() -> tuple[Any, Any]:
    is_same_line = before_.c.line_id == after_.c.line_id
    return case((is_same_line, before_.c.number), else_=0), after_.c.number


def _main_numbers() -> tuple[Any, Any]:
    """The numbers of the main line that the sides stand on."""
    return func.coalesce(before_.c.base_number, before_.c.number), after_.c.base_number


def _between(t: Any, key: Any, line: Any, low: Any, high: Any) -> list[Select[Any]]:
    steps = (t.c.valid_from, t.c.valid_to)
    return [select(key.label("id")).where(t.c.line_id == line, step > low, step <= high) for step in steps]

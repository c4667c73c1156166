"""The feed in the database: changes recorded in the transactions that make them, and read in order.

A reader goes on after the last position that it has read, so a change must never appear behind it. SQLite has
one writer: ids are given in the order of commits and are the positions. PostgreSQL gives ids, of rows as of
transactions, when something begins, and commits it in any order. There, rows get their positions after their
commits: whoever reads numbers what has none yet, one after another under a lock, each after the commit of
the one before. So positions have no gaps, and what becomes visible later has a higher one.

The alternative, to read only rows of transactions older than all that run (`pg_snapshot_xmin`), costs no
update, but one long transaction anywhere on the server, such as a large import, would hold up the changes of
everybody until it ends. Numbering waits for nobody, costs writers nothing, and gives a position that is one
number.

The newest row is never pruned: the next position is one more than it, and whoever has read it goes on there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    column,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from app.access.audit_actions import ChangeNote
from app.access.context import Context
from app.kit.database.columns import Instant, Json, Key
from app.kit.database.interface import Database, Reader
from app.kit.database.sql import among
from app.kit.database.statements import Statement, by_engine, given, query, rows, table
from app.models.change_events import ChangedKind, ChangeEvent

CHANNEL = "docyard_changes"
KEPT = timedelta(days=1)
PAGE = 500  # changes that are read at once
MOST_NUMBERED = 5000  # changes that one statement numbers
MOST_PRUNED = 5000  # changes that one statement removes
_NUMBERING = "change feed"  # the lock
CHANGE_EVENTS = table(ChangeEvent)
_NOTED = tuple(field.name for field in fields(ChangeNote))
SCOPES = ("organization_id", "space_id", "change_request_id", "comment_id", "page_id", "job_id")
"""The fields of a change by which it is subscribed to."""


class RecordedChange(NamedTuple):
    """A change that was committed, at its position in the feed (see `access.audit_actions.ChangeNote`)."""

    position: int
    kind: ChangedKind
    action: str
    organization_id: str
    space_id: str | None
    change_request_id: str | None
    comment_id: str | None
    reply_id: str | None
    page_id: str | None
    job_id: str | None
    created_at: datetime


class Bounds(NamedTuple):
    """The oldest and the newest position that is kept; both 0 where nothing was ever recorded."""

    oldest: int
    newest: int


async def append(cx: Context, changes: Iterable[ChangeNote]) -> None:
    """Record what this transaction changes."""
    await cx.tx.add_inline(ChangeEvent, [{**_values(change), "created_at": cx.now} for change in changes])


def insert_beside(condition: CTE | None = None) -> CTE:
    """Return what records changes within another statement of PostgreSQL, which saves a round trip; with a
    `condition`, only where that has a row.

    The statement needs the values `created_at` and `changes`, which `as_json` makes.
    """
    columns = [CHANGE_EVENTS.c[name] for name in _NOTED]
    given_changes = func.jsonb_to_recordset(given("changes", Json()))
    noted = given_changes.table_valued(*(column(each.name, each.type) for each in columns))
    found = select(*noted.render_derived(with_types=True).c, given("created_at", Instant()))
    if condition is not None:
        found = found.where(exists(select(condition.c[0])))
    return insert(CHANGE_EVENTS).from_select([*_NOTED, "created_at"], found).cte("changed")


def as_json(changes: Iterable[ChangeNote]) -> list[dict[str, Any]]:
    """Return changes as `insert_beside` takes them."""
    return list(map(_values, changes))


def _values(change: ChangeNote) -> dict[str, Any]:
    return {name: getattr(change, name) for name in _NOTED}


async def bounds(db: Database) -> Bounds:
    """Return the positions of what was committed by now."""
    await _number(db)
    found = (await db.get_by_key(_BOUNDS))[0]
    return Bounds(found.oldest or 0, found.newest or 0)


async def read_new(db: Database, after: int) -> Sequence[RecordedChange]:
    """Return the changes after a position that were committed by now, the first `PAGE` of them."""
    await _number(db)
    return await db.read_inline(_AFTER, after=after)


async def read_missed(
    db: Reader, scope: str, id: str, kinds: Sequence[str], *, after: int, until: int
) -> Sequence[RecordedChange]:
    """Return the changes between two positions whose field `scope` is this id, the first `PAGE` of them."""
    return await db.read_inline(_MISSED[scope], id=id, kinds=kinds, after=after, until=until)


async def prune(db: Database, now: datetime) -> None:
    """Remove changes that are older than a day, from the first to the last but one."""
    await _number(db)
    while len(await db.execute(_PRUNE, before=now - KEPT, most=MOST_PRUNED)) == MOST_PRUNED:
        pass


async def _number(db: Database) -> None:
    """Give positions to what was committed by now, where rows do not have them by themselves."""
    if db.dialect == "sqlite":
        return
    while await db.all(_UNNUMBERED):
        await db.execute_locked(_NUMBERING, _NUMBER, most=MOST_NUMBERED)


def _position(engine: str) -> ColumnElement[int]:
    return CHANGE_EVENTS.c.id if engine == "sqlite" else CHANGE_EVENTS.c.position


def _changes(engine: str) -> Select[Any]:
    position = _position(engine)
    found = select(
        position.label("position"), *(CHANGE_EVENTS.c[name] for name in _NOTED), CHANGE_EVENTS.c.created_at
    )
    return found.where(position > given("after", BigInteger())).order_by(position).limit(PAGE)


def _missed(scope: str) -> Statement[RecordedChange]:
    def found(engine: str) -> Select[Any]:
        here = (CHANGE_EVENTS.c[scope] == given("id", Key), among(CHANGE_EVENTS.c.kind, "kinds"))
        return _changes(engine).where(_position(engine) <= given("until", BigInteger()), *here)

    return query(RecordedChange, by_engine(found))


def _number_statement() -> Any:
    last = select(func.coalesce(func.max(CHANGE_EVENTS.c.position), 0)).scalar_subquery()
    waiting = (
        select(
            CHANGE_EVENTS.c.id, (last + func.row_number().over(order_by=CHANGE_EVENTS.c.id)).label("position")
        )
        .where(CHANGE_EVENTS.c.position.is_(None))
        .order_by(CHANGE_EVENTS.c.id)
        .limit(given("most", Integer()))
        .subquery()
    )
    return (
        update(CHANGE_EVENTS)
        .values(position=waiting.c.position)
        .where(CHANGE_EVENTS.c.id == waiting.c.id)
        .returning(CHANGE_EVENTS.c.id)
    )


def _prune_statement(engine: str) -> Any:
    position = _position(engine)
    first_young = (
        select(position)
        .where(CHANGE_EVENTS.c.created_at >= given("before", Instant()), position.is_not(None))
        .order_by(position)
        .limit(1)
        .scalar_subquery()
    )
    newest = select(func.max(position)).scalar_subquery()
    old = select(CHANGE_EVENTS.c.id).where(position < func.coalesce(first_young, newest)).order_by(position)
    return (
        delete(CHANGE_EVENTS)
        .where(CHANGE_EVENTS.c.id.in_(old.limit(given("most", Integer()))))
        .returning(CHANGE_EVENTS.c.id)
    )


def _bounds_statement(engine: str) -> Select[Any]:
    position = _position(engine)
    # Two scalars, so that each is an end of the index.
    oldest, newest = (select(end(position)).scalar_subquery() for end in (func.min, func.max))
    return select(oldest.label("oldest"), newest.label("newest"))


_AFTER = query(RecordedChange, by_engine(_changes))
_MISSED = {scope: _missed(scope) for scope in SCOPES}
_BOUNDS = rows(by_engine(_bounds_statement))
_UNNUMBERED = rows(lambda: select(CHANGE_EVENTS.c.id).where(CHANGE_EVENTS.c.position.is_(None)).limit(1))
_NUMBER = rows(_number_statement)
_PRUNE = rows(by_engine(_prune_statement))

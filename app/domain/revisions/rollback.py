"""Going back on a space's main line: to what a revision held, or on what one revision did.

Both are new revisions of type `rollback`: what was written in between stays in the history. `revert` takes
one revision back and keeps everything that came after it, like a merge: what met is told as data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, and_, or_, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.access.fetch import permit
from app.domain.content.views import Where, find, reading, v_
from app.domain.revisions.branch import KEYS, Branch
from app.domain.revisions.commit import commit
from app.domain.revisions.drafts import Draft
from app.domain.revisions.merge import AT
from app.domain.revisions.merge_pages import MergeInput, merge_content
from app.domain.revisions.merge_states import LinkStates, MergeOutcome, MergeRows, States
from app.domain.revisions.three_way import ThreeWay
from app.formats.text.three_way_merge import Side
from app.kit.database.sql import nested
from app.kit.database.statements import Statement, given, rows, table
from app.kit.errors import Conflict, Invalid
from app.models.files import FileVersion
from app.models.merges import Revert
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision
from app.models.spaces import Space

_FAVOUR: dict[str | None, Side | None] = {None: None, "revert": "ours", "main": "theirs"}
_N = given("number", Integer())


def _whole_revision(view: Any) -> list[Any]:
    same = v_.alias()
    return [nested(select(*same.c).where(same.c.id == v_.c.id), "revision")]


_REVISION = reading(lambda view: _whole_revision(view) if view.noun == "revision" else [])


def _touched(
    model: type[SQLModel], when: Callable[[Any], tuple[ColumnElement[bool], ColumnElement[bool]]]
) -> Statement[Any]:
    """The ids of what has rows that were opened or closed then; an index serves open and closed ones each."""
    t = table(model)

    def found() -> Select[Any]:
        opened, closed = when(t)
        condition = or_(and_(t.c.valid_to.is_(None), opened), and_(t.c.valid_to.is_not(None), closed))
        return select(t.c[KEYS[model]].label("id")).distinct().where(t.c.line_id == given("line"), condition)

    return rows(found)


_MODELS: tuple[type[SQLModel], ...] = (PageVersion, FileVersion, ReusableVersion, LineProperties)
_SINCE = {model: _touched(model, lambda t: (t.c.valid_from > _N, t.c.valid_to > _N)) for model in _MODELS}
_IN = {
    model: _touched(model, lambda t: (t.c.valid_from == _N, or_(t.c.valid_to == _N, t.c.valid_from == _N)))
    for model in _MODELS
}


async def restore(cx: Context, where: Where) -> MergeOutcome:
    """Restore a space's content as it was at a revision, in a new revision."""
    space, revision = await _on_main(cx, where)
    if revision.number == space.revision_number:
        return MergeOutcome(space.revision_id, True, [])
    states = States(space.revision_number, space.revision_number, revision.number)
    return await _roll_back(cx, space, _SINCE, revision.number, states, "ours")


async def revert(cx: Context, where: Where, body: Revert) -> MergeOutcome:
    """Take back what one revision did, in a new revision, and keep everything that came after it.

    With conflicts nothing is applied, unless `onConflict` says whether they are reverted too.
    """
    space, revision = await _on_main(cx, where)
    if revision.number == 1:
        raise Invalid("Nothing was before the first revision.", path="revisionId")
    states = States(revision.number, space.revision_number, revision.number - 1)
    favour = _FAVOUR[body.on_conflict]
    return await _roll_back(cx, space, _IN, revision.number, states, favour, dry_run=body.dry_run)


async def _on_main(cx: Context, where: Where) -> tuple[Space, Revision]:
    row = await find(cx, where, _REVISION, can="edit")
    permit(cx, Space, row, can="merge")
    await cx.tx.lock(row.id)
    if row.edit_mode == "locked":
        raise Conflict("The space is locked; unlock it first.")
    revision: Revision = row.revision[0]
    if revision.line_id != row.id:
        raise Invalid("This is a revision of a change request, not of the space.", path="revisionId")
    return row, revision


async def _roll_back(
    cx: Context,
    space: Space,
    touched: dict[type[SQLModel], Statement[Any]],
    number: int,
    states: States[int],
    favour: Side | None,
    *,
    dry_run: bool = False,
) -> MergeOutcome:
    draft = Draft(cx, Branch(space))
    sides = {model: await _sides(cx, space.id, model, touched[model], number, states) for model in _MODELS}
    draft.learn(sides[PageVersion].main.values())
    coming = MergeInput(sides[PageVersion], sides[FileVersion], sides[ReusableVersion])
    properties = sides[LineProperties]
    if properties.keys and properties.ours:
        coming.properties = properties.of(space.id)
    conflicts = await merge_content(ThreeWay(draft, favour, LinkStates(cx, space.id, states)), coming)
    applies = not conflicts or favour is not None
    if dry_run or not applies:
        return MergeOutcome(space.revision_id, applies, conflicts)
    made = await commit(draft, type="rollback")
    return MergeOutcome(made.id if made else space.revision_id, True, conflicts)


async def _sides(
    cx: Context,
    line_id: str,
    model: type[SQLModel],
    touched: Statement[Any],
    number: int,
    states: States[int],
) -> MergeRows:
    key = KEYS[model]
    ids = [row.id for row in await cx.db.all(touched, line=line_id, number=number)]
    if not ids:
        return MergeRows({}, {}, {})
    found = []
    for at in states:
        held = await cx.db.all(AT[model], line=line_id, ids=ids, number=at)
        found.append({getattr(row, key): row for row in held})
    return MergeRows(*found)

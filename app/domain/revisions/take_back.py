"""Taking back what some revisions of a branch did, and keeping everything that was written afterwards.

It is a merge: what was before those revisions comes to what there is now. Where somebody changed the same
since, what there is now stays, and is told. A change request shows its own rows over those of the main
content that it stood on at the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Integer, and_, or_, select
from sqlmodel import SQLModel

from app.access.context import Context
from app.domain.revisions.branch import KEYS, Branch
from app.domain.revisions.commit import commit
from app.domain.revisions.drafts import Draft
from app.domain.revisions.merge import AT
from app.domain.revisions.merge_pages import MergeInput, merge_content
from app.domain.revisions.merge_states import NAMES, LinkStates, MergeConflict, MergeRows, States
from app.domain.revisions.three_way import ThreeWay
from app.domain.revisions.winners import Winners
from app.kit.database.statements import Statement, given, rows, table
from app.models.files import FileVersion
from app.models.pages import PageVersion
from app.models.revisions import LineProperties, ReusableVersion, Revision

_MODELS: tuple[type[SQLModel], ...] = (PageVersion, FileVersion, ReusableVersion, LineProperties)
REVISIONS = table(Revision)


def _touched(model: type[SQLModel]) -> Statement[Any]:
    """Return the ids of what has rows that were opened or closed by these revisions."""
    t = table(model)
    first, last = given("first", Integer()), given("last", Integer())
    opened = and_(t.c.valid_from >= first, t.c.valid_from <= last)
    closed = and_(t.c.valid_to >= first, t.c.valid_to <= last)
    key = t.c[KEYS[model]].label("id")
    return rows(lambda: select(key).distinct().where(t.c.line_id == given("line"), or_(opened, closed)))


_TOUCHED = {model: _touched(model) for model in _MODELS}
_BASES = rows(
    lambda: select(REVISIONS.c.number, REVISIONS.c.base_number).where(
        REVISIONS.c.line_id == given("line"),
        or_(*(REVISIONS.c.number == given(name, Integer()) for name in NAMES)),
    )
)
_INITIAL = rows(lambda: select(REVISIONS.c.number).where(REVISIONS.c.id == given("id")))


class _Moment(NamedTuple):
    """A branch at one of its revisions: of a change request also the number of the main content below."""

    number: int
    below: int | None


async def take_back(cx: Context, branch: Branch, first: int, last: int) -> Sequence[MergeConflict]:
    """Take back what the revisions from `first` to `last` did, in a new revision, if there is something to.

    Returns where what there is now stays, because it was changed since.
    """
    moments = await _moments(cx, branch, first, last)
    sides = {model: await _sides(cx, branch, model, moments, first, last) for model in _MODELS}
    draft = Draft(cx, branch)
    draft.learn(sides[PageVersion].main.values())
    coming = MergeInput(sides[PageVersion], sides[FileVersion], sides[ReusableVersion])
    properties = sides[LineProperties]
    if properties.keys:
        coming.properties = properties.of(branch.space.id)
    numbers = moments.map(lambda each: each.number if each.below is None else each.below)
    frames = LinkStates(cx, branch.space.id, numbers)
    conflicts = await merge_content(ThreeWay(draft, Winners("theirs"), frames), coming)
    await commit(draft, type="rollback")
    return conflicts


async def _moments(cx: Context, branch: Branch, first: int, last: int) -> States[_Moment]:
    numbers = States(last, branch.number - 1, first - 1)
    if branch.request is None:
        return numbers.map(lambda number: _Moment(number, None))
    found = await cx.db.all(_BASES, line=branch.id, **numbers._asdict())
    below: dict[int, int] = {row.number: row.base_number for row in found}
    if 0 not in below:
        below[0] = (await cx.db.all(_INITIAL, id=branch.request.revision_initial))[0].number
    return numbers.map(lambda number: _Moment(number, below[number]))


async def _sides(
    cx: Context, branch: Branch, model: type[SQLModel], moments: States[_Moment], first: int, last: int
) -> MergeRows:
    found = await cx.db.all(_TOUCHED[model], line=branch.id, first=first, last=last)
    ids = [row.id for row in found]
    if not ids:
        return MergeRows({}, {}, {})
    return MergeRows(*[await _rows(cx, branch, model, ids, moment) for moment in moments])


async def _rows(
    cx: Context, branch: Branch, model: type[SQLModel], ids: Sequence[str], moment: _Moment
) -> Mapping[str, Any]:
    """Return what a branch had of these at a moment, by id; properties by the id of the space."""
    space_id, key = branch.space.id, KEYS[model]
    lines = [(branch.id, moment.number)]
    if moment.below is not None:
        lines.insert(0, (space_id, moment.below))
    shown: dict[str, Any] = {}
    for line, number in lines:
        wanted = [line] if model is LineProperties else ids
        for row in await cx.db.all(AT[model], line=line, ids=wanted, number=number):
            shown[space_id if model is LineProperties else getattr(row, key)] = row
    return {id_: row for id_, row in shown.items() if not getattr(row, "deleted", False)}

"""The change request of a sync: a line that is what the repository is, with what it leaves from.

It leaves from what was synchronised last. Where that is no revision of the main line, the line begins with
what the line of an earlier sync had: rows at the number 0, which are no change of this one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Insert, Integer, insert, literal, or_, select

from app.access.context import Context
from app.domain.change_requests import change_requests
from app.domain.content.views import Where
from app.domain.git_sync.sync_state import SyncedCommit
from app.domain.revisions.branch import INITIAL_NUMBER, Branch
from app.domain.revisions.first_revision import KEPT_BY_VALIDITY
from app.kit.database.columns import Key
from app.kit.database.statements import command, given, rows, table
from app.kit.errors import Conflict
from app.models.change_requests import ChangeRequest, ChangeRequestCreate
from app.models.revisions import Revision
from app.models.spaces import Space

_v = table(Revision)
_REVISION = rows(
    lambda: select(_v.c.id).where(_v.c.line_id == given("line"), _v.c.number == given("number", Integer()))
)

_r = table(ChangeRequest)
_OPEN = rows(
    lambda: (
        select(_r.c.number)
        .where(_r.c.space_id == given("space"), _r.c.status == literal("open"))
        .where(_r.c.subject == given("subject"))
        .order_by(_r.c.number.desc())
        .limit(1)
    )
)


async def open_request(cx: Context, space: Space, synced: SyncedCommit, subject: str) -> Branch:
    """A new, open change request whose content is what was synchronised last."""
    base = await cx.db.first(_REVISION, line=space.id, number=synced.number)
    if base is None:
        raise Conflict("What was synchronised last is gone; import again with `force`.")
    made = await change_requests.create(cx, space.id, ChangeRequestCreate(subject=subject[:100]))
    await change_requests.set_status(cx, made, "open")
    standing = {
        "status": "open",
        "base_number": synced.number,
        "base_revision_id": base.id,
        "revision_initial": base.id,
        "revision_id": base.id,
    }
    request = await cx.tx.change(ChangeRequest, standing, id=made.request.id)
    if synced.line is not None:
        for statement in _BEGIN:
            await cx.tx.run(statement, from_line=synced.line, number=synced.at, to_line=request.id)
    return Branch((await change_requests.get(cx, Where(space.id, request.id))).space, request)


async def number_of_open(cx: Context, space: Space, subject: str) -> int | None:
    """Return the number of the space's open change request with this subject."""
    found = await cx.db.first(_OPEN, space=space.id, subject=subject[:100])
    return None if found is None else int(found.number)


async def set_merged(cx: Context, on: Branch) -> None:
    """Mark a change request merged whose content the main line has already."""
    found = await change_requests.get(cx, Where(on.space.id, on.id))
    await change_requests.set_status(cx, found, "merged")
    done: dict[str, Any] = {"status": "merged", "merged_by": cx.actor.user_id, "merged_at": cx.now}
    await cx.tx.change(ChangeRequest, {**done, "revision_merged": found.space.revision_id}, id=on.id)


def _begin(t: Any) -> Insert:
    """Return what a line had at one of its numbers, as what another begins with."""
    number = given("number", Integer())
    changed = {
        "line_id": given("to_line", Key),
        "valid_from": literal(INITIAL_NUMBER),
        "valid_to": literal(None, t.c.valid_to.type),
    }
    values = [changed.get(column.name, column) for column in t.c]
    valid = or_(t.c.valid_to.is_(None), t.c.valid_to > number)
    held = select(*values).where(t.c.line_id == given("from_line"), t.c.valid_from <= number, valid)
    return insert(t).from_select([column.name for column in t.c], held)


_BEGIN = [command(partial(_begin, table(model))) for model in KEPT_BY_VALIDITY]

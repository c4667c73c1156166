"""Undoing what an agent changed in an organization: all that it did with a token, or in one run.

What it posted is deleted, what it opened is archived, what it wrote is taken back by a merge that keeps what
others wrote afterwards. People have decided about what is merged: that stays, and is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Integer, or_, select, update

from app.access.context import Context
from app.access.fetch import permit
from app.domain.agents.agent_changes import AGENT_CHANGES, of_person, whose
from app.domain.change_requests import change_requests, reviews
from app.domain.comments import comments, replies
from app.domain.content.views import Where
from app.domain.revisions import branch
from app.domain.revisions.merge_states import MergeConflict
from app.domain.revisions.take_back import take_back
from app.kit.database.columns import Instant, Key
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Conflict, Forbidden, NotFound
from app.models.agents import AgentChange, AgentChangeKind, AgentUndo, KeptReason, UndoResult
from app.models.change_requests import ChangeRequestUpdate
from app.models.comments import CommentFormatQuery, CommentReply
from app.models.revisions import Revision
from app.models.spaces import Space

MOST = 500  # changes that one call undoes
REVISIONS, COMMENT_REPLIES = table(Revision), table(CommentReply)


def _asked_for() -> tuple[ColumnElement[bool], ...]:
    """Return the changes that are to be undone and are not yet."""
    return (
        AGENT_CHANGES.c.organization_id == given("organization", Key),
        AGENT_CHANGES.c.token_id == given("token", Key),
        or_(given("run", Key) == "", AGENT_CHANGES.c.run == given("run", Key)),
        AGENT_CHANGES.c.undone_at.is_(None),
        of_person(),
    )


_CHANGES = query(
    AgentChange,
    lambda: (
        select(*AGENT_CHANGES.c)
        .where(*_asked_for())
        .order_by(AGENT_CHANGES.c.id.desc())
        .limit(given("most", Integer()))
    ),
)
_UNDONE = command(
    lambda: (
        update(AGENT_CHANGES)
        .values(undone_at=given("now", Instant()))
        .where(
            *_asked_for(),
            AGENT_CHANGES.c.id >= given("oldest", BigInteger()),
            AGENT_CHANGES.c.id <= given("newest", BigInteger()),
        )
    )
)
_WRITTEN = rows(
    lambda: select(REVISIONS.c.number).where(
        REVISIONS.c.line_id == given("line"), REVISIONS.c.type != "update"
    )
)
_COMMENT_OF = rows(lambda: select(COMMENT_REPLIES.c.comment_id).where(COMMENT_REPLIES.c.id == given("reply")))


@dataclass(slots=True)
class Undone:
    """The outcome for one thing that an agent changed."""

    kind: AgentChangeKind
    result: UndoResult
    space_id: str
    change_request_id: str | None
    target: str
    reason: KeptReason | None = None
    conflicts: Sequence[MergeConflict] = ()


@dataclass(slots=True)
class UndoOutcome:
    """The outcome of an undo of an agent's changes; `remaining` tells whether there are more of them."""

    changes: list[Undone] = field(default_factory=list)
    remaining: bool = False


async def undo(cx: Context, organization_id: str, asked: AgentUndo) -> UndoOutcome:
    """Undo what an agent changed in an organization, with a token or in one of its runs.

    Its comments are deleted, its change requests archived, and what it wrote is taken back; what others wrote
    afterwards stays. Administrators undo what any agent did, others what their own did. Raises NotFound where
    there is nothing to undo.
    """
    user = whose(cx, organization_id)
    values = {"organization": organization_id, "token": asked.token, "run": asked.run or "", "user": user}
    found = await cx.db.all(_CHANGES, **values, most=MOST + 1)
    if not found:
        raise NotFound("There is nothing to undo of this token or run.")
    outcome = UndoOutcome(remaining=len(found) > MOST)
    found = found[:MOST]
    async for done in _undone(cx, found):
        outcome.changes.append(done)
    await cx.tx.run(_UNDONE, **values, oldest=found[-1].id, newest=found[0].id, now=cx.now)
    return outcome


async def _undone(cx: Context, found: Sequence[AgentChange]) -> AsyncIterator[Undone]:
    for change in found:
        if change.kind in _POSTED:
            yield await _guarded(cx, change, _POSTED[change.kind])
    written: dict[tuple[str, str | None], list[AgentChange]] = defaultdict(list)
    for change in found:
        if change.kind not in _POSTED:
            written[change.space_id, change.change_request_id].append(change)
    for changes in written.values():
        yield await _guarded(cx, changes[0], lambda cx, _first, changes=changes: _unwrite(cx, changes))


async def _guarded(cx: Context, change: AgentChange, act: Any) -> Undone:
    """Undo something; what stands in the way is told, and the rest goes on."""
    reason: KeptReason
    try:
        done: Undone = await act(cx, change)
        return done
    except NotFound:
        reason = "gone"
    except Forbidden:
        reason = "forbidden"
    except Conflict:
        reason = "locked"
    return _told(change, "kept", reason)


def _told(
    change: AgentChange,
    result: UndoResult,
    reason: KeptReason | None = None,
    conflicts: Sequence[MergeConflict] = (),
) -> Undone:
    kind: Any = change.kind
    return Undone(
        kind, result, change.space_id, change.change_request_id, change.object_id, reason, conflicts
    )


def _place(change: AgentChange) -> Where:
    return Where(change.space_id, change.change_request_id)


async def _delete_comment(cx: Context, change: AgentChange) -> Undone:
    held = await comments.get(cx, _place(change), change.object_id, CommentFormatQuery())
    if held.row.replies:
        return _told(change, "kept", "answered")
    await comments.delete_comment(cx, _place(change), change.object_id)
    return _told(change, "deleted")


async def _delete_reply(cx: Context, change: AgentChange) -> Undone:
    found = await cx.db.first(_COMMENT_OF, reply=change.object_id)
    if found is None:
        return _told(change, "kept", "gone")
    await replies.delete_reply(cx, _place(change), found.comment_id, change.object_id)
    return _told(change, "deleted")


async def _withdraw(cx: Context, change: AgentChange) -> Undone:
    await reviews.withdraw_request(cx, _place(change), change.object_id)
    return _told(change, "withdrawn")


_POSTED = {"comment": _delete_comment, "reply": _delete_reply, "review-request": _withdraw}


async def _unwrite(cx: Context, changes: Sequence[AgentChange]) -> Undone:
    """Undo what was written on one branch: that of a change request, or of a space."""
    where, newest = _place(changes[0]), changes[0]
    numbers = [each.number for each in changes if each.number is not None]
    opened = next((each for each in changes if each.kind == "change-request"), None)
    if where.change_request is not None:
        status = (await change_requests.get(cx, where)).request.status
        if status == "merged":
            return _told(newest, "kept", "merged")
        if opened is not None and await _is_alone(cx, where.change_request, numbers):
            if status != "archived":
                await change_requests.update(cx, where, ChangeRequestUpdate(status="archived"))
            return _told(opened, "archived")
    conflicts: list[MergeConflict] = []
    for first, last in _spans(numbers):
        on = await branch.writable(cx, where)
        if on.request is None:
            permit(cx, Space, on.space, can="merge")
        conflicts += await take_back(cx, on, first, last)
    stays: KeptReason | None = "changed-since" if conflicts or opened is not None else None
    return _told(opened or newest, "reverted" if numbers else "kept", stays, conflicts)


async def _is_alone(cx: Context, line: str, numbers: Sequence[int]) -> bool:
    """Tell whether nobody else wrote on a branch."""
    return {row.number for row in await cx.db.all(_WRITTEN, line=line)} <= set(numbers)


def _spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last of the numbers that follow each other, the latest first."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers), reverse=True):
        if spans and spans[-1][0] == number + 1:
            spans[-1] = (number, spans[-1][1])
        else:
            spans.append((number, number))
    return spans

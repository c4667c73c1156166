"""Replies to comments, the oldest first. The comment counts them; whoever deletes it deletes them with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Label, Select, delete, select, update

from app.access.context import Context
from app.domain import mentions
from app.domain.comments import comments, threads
from app.domain.comments.comments import NONE
from app.domain.comments.threads import COMMENTS, Around, ReplyRow, in_place
from app.domain.content import content, history
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.views import View, Where, at, find, reading
from app.kit.database.paging import Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, rows, shown, table
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.comments import (
    CommentFormatQuery,
    CommentReply,
    CommentReplyCreate,
    CommentReplyQuery,
    CommentReplyUpdate,
)

NO_REPLY = "There is no such reply."
COMMENT_REPLIES = table(CommentReply)


@dataclass(slots=True, frozen=True)
class ReplyDetails:
    """A reply in its space, with its body in the form asked for."""

    space: Any
    row: ReplyRow
    body: dict[str, Any]
    around: Around


def _rows(view: View, *conditions: ColumnElement[bool]) -> Select[Any]:
    return select(*shown(CommentReply)).where(
        in_place(view, COMMENT_REPLIES), COMMENT_REPLIES.c.comment_id == given("comment"), *conditions
    )


def _around(_view: View, page: Select[Any]) -> list[Label[Any]]:
    return threads.around(COMMENT_REPLIES, page)


def _its_comment(view: View, columns: Iterable[Any]) -> Select[Any]:
    return select(*columns).where(in_place(view, COMMENTS), COMMENTS.c.id == given("comment"))


def _comment(view: View) -> Label[Any]:
    return nested(_its_comment(view, (c for c in COMMENTS.c if c.name != "body")), "found")


_LIST = content.listing(
    "replies to a comment",
    CommentReply,
    _rows,
    lambda: [COMMENT_REPLIES.c.posted_at, COMMENT_REPLIES.c.id],
    lambda view: [_comment(view)],
    counted=lambda view: _its_comment(view, [COMMENTS.c.replies]).scalar_subquery(),
    around=_around,
)
_COMMENT = reading(lambda view: [_comment(view)])


def _one(view: View) -> list[Label[Any]]:
    found = _rows(view, COMMENT_REPLIES.c.id == given("reply"))
    return [_comment(view), nested(found, "replies"), *_around(view, found)]


_ONE = reading(_one)


def _counting(step: int) -> Any:
    return update(COMMENTS).values(replies=COMMENTS.c.replies + step).where(COMMENTS.c.id == given("comment"))


_MORE = rows(lambda: _counting(1).returning(COMMENTS.c.id))
_FEWER = rows(lambda: _counting(-1).returning(COMMENTS.c.id))
_DELETE = rows(
    lambda: (
        delete(COMMENT_REPLIES).where(COMMENT_REPLIES.c.id == given("reply")).returning(COMMENT_REPLIES.c.id)
    )
)


async def list_replies(
    cx: Context, where: Where, comment_id: str, query: CommentReplyQuery
) -> Page[ReplyDetails]:
    """List the replies to a comment, the oldest first."""
    space, page = await content.page_of(cx, where, _LIST, query.paging, comment=comment_id)
    if not space.found:
        raise NotFound(NONE)
    bodies = await threads.bodies(page.items, query.format)
    around = Around(space)
    return page.map(lambda row: ReplyDetails(space, row, bodies[row.id], around))


async def get(
    cx: Context, where: Where, comment_id: str, reply_id: str, query: CommentFormatQuery
) -> ReplyDetails:
    """Get a reply to a comment."""
    space, _, reply = await _find(cx, where, comment_id, reply_id)
    body = (await threads.bodies([reply], query.format))[reply.id]
    return ReplyDetails(space, reply, body, Around(space))


async def post(cx: Context, where: Where, comment_id: str, new: CommentReplyCreate) -> ReplyDetails:
    """Reply to a comment."""
    space = await find(cx, where, _COMMENT, can="comment", comment=comment_id)
    if not space.found:
        raise NotFound(NONE)
    text, request = await threads.words(new.body), at(space)
    await refuse_outside_pictures(cx, text, "body")
    await cx.tx.lock(comment_id)
    if not await cx.tx.all(_MORE, comment=comment_id):
        raise NotFound(NONE)
    reply = await cx.tx.add(
        CommentReply,
        id=new_id(),
        comment_id=comment_id,
        space_id=space.id,
        change_request_id=request.id if request else None,
        posted_by=cx.actor.user_id,
        posted_at=cx.now,
        edited_at=None,
        body=text,
    )
    whose = {"comment_id": comment_id, "reply_id": reply.id}
    await mentions.note_in_comment(cx, space, text, **whose, change_request_id=reply.change_request_id)
    if request:
        await history.count_comment(cx, request.id)
    threads.note_change(cx, "reply-created", space, space.found[0], reply_id=reply.id)
    cx.agent_made("reply", space, reply.id, reply.change_request_id)
    return await get(cx, where, comment_id, reply.id, CommentFormatQuery())


async def update_reply(
    cx: Context, where: Where, comment_id: str, reply_id: str, change: CommentReplyUpdate
) -> ReplyDetails:
    """Change a reply: its body, the caller's reactions; or whether its comment is resolved.

    Its author changes the body; everybody who sees it reacts.
    """
    space, comment, reply = await _find(cx, where, comment_id, reply_id, can="access")
    sent = change.sent()
    if "body" in sent:
        threads.require(cx, space, reply, "edit")
    await cx.tx.lock(space.id if "resolved" in sent else comment_id)
    if "resolved" in sent:
        await comments.settle(cx, space, comment, resolved=change.resolved)
    if "body" in sent:
        text = await threads.words(change.body)
        await refuse_outside_pictures(cx, text, "body", reply.body)
        await _rewrite(cx, space, reply, text)
    if sent.keys() - {"resolved"}:
        threads.note_change(cx, "reply-updated", space, comment, reply_id=reply_id)
    whose = {"comment_id": comment_id, "reply_id": reply_id}
    await threads.change_reaction(cx, reply, space.reactions, change, **whose)
    return await get(cx, where, comment_id, reply_id, CommentFormatQuery())


async def delete_reply(cx: Context, where: Where, comment_id: str, reply_id: str) -> None:
    """Delete a reply. Its author may, and administrators."""
    space, comment, reply = await _find(cx, where, comment_id, reply_id, can="access")
    threads.require(cx, space, reply, "delete")
    await cx.tx.lock(comment_id)
    if not await cx.tx.all(_DELETE, reply=reply_id):
        raise NotFound(NO_REPLY)
    await cx.tx.all(_FEWER, comment=comment_id)
    threads.note_change(cx, "reply-deleted", space, comment, reply_id=reply_id)


async def _find(
    cx: Context, where: Where, comment_id: str, reply_id: str, *, can: str = "view"
) -> tuple[Any, Any, Any]:
    space = await find(cx, where, _ONE, can=can, comment=comment_id, reply=reply_id)
    if not space.found:
        raise NotFound(NONE)
    if not space.replies:
        raise NotFound(NO_REPLY)
    return space, space.found[0], space.replies[0]


async def _rewrite(cx: Context, space: Any, reply: Any, text: str) -> None:
    if text != reply.body:
        await cx.tx.put(CommentReply, {"body": text, "edited_at": cx.now}, id=reply.id)
        whose = {"comment_id": reply.comment_id, "reply_id": reply.id}
        await mentions.note_in_comment(cx, space, text, **whose, change_request_id=reply.change_request_id)

"""Comments on spaces, pages, blocks of pages and change requests: listed, posted, changed, resolved, deleted.

They stay when a change request is merged or archived, and go on. Every comment is counted where it is while
it is open, in the transaction that posts, resolves or deletes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import ColumnElement, Label, Select, delete, select, update

from app.access.context import Context
from app.access.fetch import fetch_page
from app.domain import mentions
from app.domain.comments import comment_targets, threads
from app.domain.comments.comment_targets import CommentTargetRow
from app.domain.comments.threads import COMMENTS, Around, CommentRow, in_place
from app.domain.content import history
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.content.views import (
    CHANGE_REQUESTS,
    REQUEST,
    SPACES,
    View,
    Where,
    at,
    check_place,
    find,
    reading,
)
from app.kit.database.columns import Instant, Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import among, nested
from app.kit.database.statements import given, rows, shown
from app.kit.errors import NotFound
from app.kit.ids import new_id
from app.models.comments import Comment, CommentCreate, CommentFormatQuery, CommentQuery, CommentUpdate
from app.models.spaces import Space

NONE = "There is no such comment."
_BESIDES = {"page_line", "page_from"}


@dataclass(slots=True, frozen=True)
class CommentDetails:
    """A comment in its space, with what it is about, and its body in the form asked for."""

    space: Any
    row: CommentRow
    target: CommentTargetRow
    body: dict[str, Any]
    around: Around


def _rows(view: View, *conditions: ColumnElement[bool]) -> Select[Any]:
    return select(*shown(Comment, besides=_BESIDES)).where(in_place(view, COMMENTS), *conditions)


def _around(view: View, page: Select[Any]) -> list[Label[Any]]:
    """Return what is around a page of comments, and what they are about."""
    return [*threads.around(COMMENTS, page), *comment_targets.page_columns(view, page)]


@cache
def _list(view: View, order: str, status: str, *, of_page: bool, of_authors: bool) -> Listing[Any]:
    """Return the list for what is asked: each has a statement of its own, so that an index serves it."""

    def found() -> Select[Any]:
        conditions: list[tuple[bool, ColumnElement[bool]]] = [
            (status != "all", COMMENTS.c.status == status),
            (of_page, COMMENTS.c.page_id == given("page", Key)),
            (of_authors, among(COMMENTS.c.posted_by, "authors")),
        ]
        return _rows(view, *(condition for asked, condition in conditions if asked))

    def counter() -> Any:
        t = CHANGE_REQUESTS if view is REQUEST else SPACES
        counters = {"open": t.c.comments, "resolved": t.c.comments_resolved}
        return counters.get(status, t.c.comments + t.c.comments_resolved)

    return Listing(
        f"comments of a {view.noun}, {status} {order}",
        Comment,
        found,
        order=lambda: [COMMENTS.c.posted_at, COMMENTS.c.id],
        descending=order == "desc",
        inside=Space,
        source=view.source,
        beside=view.beside,
        counted=None if of_page or of_authors else counter,
        around=partial(_around, view),
    )


def _one(view: View) -> list[Label[Any]]:
    found = _rows(view, COMMENTS.c.id == given("comment"))
    return [nested(found, "found"), *_around(view, found)]


_ONE = reading(_one)
_TO_POST = reading(lambda view: [comment_targets.wanted_page(view), view.revision().label("read_revision")])
_SETTLE = rows(
    lambda: (
        update(COMMENTS)
        .values(
            status=given("status"),
            resolved_by=given("resolved_by", Key),
            resolved_at=given("resolved_at", Instant()),
        )
        .where(COMMENTS.c.id == given("comment"), COMMENTS.c.status != given("status"))
        .returning(COMMENTS.c.id)
    )
)
_DELETE = rows(lambda: delete(COMMENTS).where(COMMENTS.c.id == given("comment")).returning(COMMENTS.c.status))


async def list_comments(cx: Context, where: Where, query: CommentQuery) -> Page[CommentDetails]:
    """List the comments of a space, the latest first.

    Those of its change requests are listed with each of them.
    """
    of_page, of_authors = query.target_page is not None, bool(query.authors)
    filters: dict[str, Any] = {"page": query.target_page} if of_page else {}
    filters |= {"authors": query.authors} if of_authors else {}
    listing = _list(where.view, query.order, query.status, of_page=of_page, of_authors=of_authors)
    space: Any
    space, page = await fetch_page(cx, Space, where.space, listing, query.paging, **where.values, **filters)
    check_place(where, space)
    ids = [row.id for row in page.items]
    about = dict(zip(ids, await comment_targets.targets(cx, space, page.items), strict=True))
    bodies = await threads.bodies(page.items, query.format)
    around = Around(space)
    return page.map(lambda row: CommentDetails(space, row, about[row.id], bodies[row.id], around))


async def get(cx: Context, where: Where, comment_id: str, query: CommentFormatQuery) -> CommentDetails:
    """Get a comment."""
    space, comment = await _find(cx, where, comment_id)
    (target,) = await comment_targets.targets(cx, space, [comment])
    body = (await threads.bodies([comment], query.format))[comment.id]
    return CommentDetails(space, comment, target, body, Around(space))


async def post(cx: Context, where: Where, new: CommentCreate) -> CommentDetails:
    """Comment on a space, on a page of it, or on a block of a page."""
    page_id, node = new.page or "", new.node or ""
    space = await find(cx, where, _TO_POST, can="comment", page=page_id, node=node)
    text = await threads.words(new.body)
    await refuse_outside_pictures(cx, text, "body")
    about = await comment_targets.chosen(space.page, page_id, node)
    comment = await _add(cx, space, text, about)
    return await get(cx, where, comment.id, CommentFormatQuery())


async def post_review(cx: Context, where: Where, review_id: str, text: str) -> None:
    """Comment on a change request with what a review of it says, so that it can be answered and settled."""
    threads.check(text, "comment")
    space = await find(cx, where, _TO_POST, can="review", page="", node="")
    await _add(cx, space, text, await comment_targets.chosen(space.page, "", ""), review_id)


async def _add(
    cx: Context, space: Any, text: str, about: dict[str, Any], review_id: str | None = None
) -> Comment:
    await cx.tx.lock(space.id)
    request = at(space)
    comment = await cx.tx.add(
        Comment,
        id=new_id(),
        space_id=space.id,
        change_request_id=request.id if request else None,
        revision_id=space.read_revision,
        review_id=review_id,
        **about,
        posted_by=cx.actor.user_id,
        posted_at=cx.now,
        edited_at=None,
        body=text,
        status="open",
        resolved_by=None,
        resolved_at=None,
        replies=0,
    )
    await mentions.note_in_comment(
        cx, space, text, comment_id=comment.id, change_request_id=comment.change_request_id
    )
    await threads.count(cx, comment, open=1)
    threads.note_change(cx, "created", space, comment)
    cx.agent_made("comment", space, comment.id, comment.change_request_id)
    if request:
        await history.count_comment(cx, request.id)
    return comment


async def update_comment(cx: Context, where: Where, comment_id: str, change: CommentUpdate) -> CommentDetails:
    """Change a comment: its body, the caller's reactions, whether it is resolved.

    Its author changes the body; everybody who sees it reacts.
    """
    space, comment = await _find(cx, where, comment_id, can="access")
    sent = change.sent()
    if "body" in sent:
        threads.require(cx, space, comment, "edit")
    await cx.tx.lock(space.id if "resolved" in sent else comment.id)
    if "resolved" in sent:
        await settle(cx, space, comment, resolved=change.resolved)
    if "body" in sent:
        text = await threads.words(change.body)
        await refuse_outside_pictures(cx, text, "body", comment.body)
        await _rewrite(cx, space, comment, text)
    if sent.keys() - {"resolved"}:
        threads.note_change(cx, "updated", space, comment)
    await threads.change_reaction(cx, comment, space.reactions, change, comment_id=comment.id)
    return await get(cx, where, comment.id, CommentFormatQuery())


async def delete_comment(cx: Context, where: Where, comment_id: str) -> None:
    """Delete a comment with its replies. Its author may, and administrators."""
    space, comment = await _find(cx, where, comment_id, can="access")
    threads.require(cx, space, comment, "delete")
    await cx.tx.lock(space.id)
    deleted = await cx.tx.all(_DELETE, comment=comment.id)
    if not deleted:
        raise NotFound(NONE)
    await threads.count(cx, comment, **{deleted[0].status: -1})
    threads.note_change(cx, "deleted", space, comment)


async def settle(cx: Context, space: Any, comment: Any, *, resolved: bool) -> None:
    """Resolve a comment or open it again; one that is so already is left alone."""
    threads.require_settling(cx, space, comment)
    settled = await cx.tx.all(
        _SETTLE,
        comment=comment.id,
        status="resolved" if resolved else "open",
        resolved_by=cx.actor.user_id if resolved else None,
        resolved_at=cx.now if resolved else None,
    )
    if settled:
        step = 1 if resolved else -1
        await threads.count(cx, comment, open=-step, resolved=step)
        threads.note_change(cx, "resolved" if resolved else "reopened", space, comment)


async def _find(cx: Context, where: Where, comment_id: str, *, can: str = "view") -> tuple[Any, Any]:
    space = await find(cx, where, _ONE, can=can, comment=comment_id)
    if not space.found:
        raise NotFound(NONE)
    return space, space.found[0]


async def _rewrite(cx: Context, space: Any, comment: Any, text: str) -> None:
    if text != comment.body:
        await cx.tx.put(Comment, {"body": text, "edited_at": cx.now}, id=comment.id)
        await mentions.note_in_comment(
            cx, space, text, comment_id=comment.id, change_request_id=comment.change_request_id
        )

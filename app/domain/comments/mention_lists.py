"""Lists of the comments and replies that mention the caller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Select, func, select

from app.access.context import Context
from app.access.fetch import permit_in, seeing, visible
from app.kit.database.columns import Key
from app.kit.database.paging import Listing, Page
from app.kit.database.sql import nested
from app.kit.database.statements import given, table
from app.models.change_requests import ChangeRequest
from app.models.comments import Comment, CommentMention, CommentReply
from app.models.mentions import MentionQuery
from app.models.spaces import Space
from app.models.users import User

COMMENT_MENTIONS, COMMENTS, COMMENT_REPLIES = table(CommentMention), table(Comment), table(CommentReply)
SPACES, CHANGE_REQUESTS, USERS = table(Space), table(ChangeRequest), table(User)


class MentionRow(Protocol):
    """A mention with the comment or reply that it is in, where that is, and who wrote it."""

    subject_id: str
    comment_id: str
    organization_id: str
    space_id: str
    change_request_id: str | None
    request_number: int | None
    body: str
    author: Sequence[User]


async def list_mentions(cx: Context, organization_id: str, query: MentionQuery) -> Page[MentionRow]:
    """List the comments and replies that mention the caller, the latest first.

    Those in spaces that the caller may not see any more are left out.
    """
    permit_in(cx, organization_id)
    values: dict[str, Any] = {} if query.status == "all" else {"status": query.status}
    return await _listing(bool(values)).page(
        cx.db,
        query.paging,
        cx.tokens,
        organization=organization_id,
        user=cx.actor.user_id,
        sight=seeing(cx, organization_id),
        **values,
    )


def _rows(*, of_status: bool) -> Select[Any]:
    author = func.coalesce(COMMENT_REPLIES.c.posted_by, COMMENTS.c.posted_by)
    found = (
        select(
            COMMENT_MENTIONS.c.subject_id,
            COMMENT_MENTIONS.c.user_id,
            COMMENT_MENTIONS.c.comment_id,
            COMMENTS.c.status,
            COMMENTS.c.space_id,
            COMMENTS.c.change_request_id,
            SPACES.c.organization_id,
            CHANGE_REQUESTS.c.number.label("request_number"),
            func.coalesce(COMMENT_REPLIES.c.posted_at, COMMENTS.c.posted_at).label("posted_at"),
            func.coalesce(COMMENT_REPLIES.c.body, COMMENTS.c.body).label("body"),
            nested(
                select(*USERS.c).where(USERS.c.id == author).correlate(COMMENTS, COMMENT_REPLIES), "author"
            ),
        )
        .join_from(COMMENT_MENTIONS, COMMENTS, COMMENTS.c.id == COMMENT_MENTIONS.c.comment_id)
        .join(SPACES, SPACES.c.id == COMMENTS.c.space_id)
        .outerjoin(COMMENT_REPLIES, COMMENT_REPLIES.c.id == COMMENT_MENTIONS.c.reply_id)
        .outerjoin(CHANGE_REQUESTS, CHANGE_REQUESTS.c.id == COMMENTS.c.change_request_id)
        .where(
            COMMENT_MENTIONS.c.user_id == given("user", Key),
            SPACES.c.organization_id == given("organization", Key),
            SPACES.c.deleted_at.is_(None),
            visible(Space),
        )
    )
    return found.where(COMMENTS.c.status == given("status")) if of_status else found


@cache
def _listing(of_status: bool) -> Listing[Any]:
    return Listing(
        f"mentions of a person{' by status' if of_status else ''}",
        CommentMention,
        lambda: _rows(of_status=of_status),
        order=lambda: [COMMENT_MENTIONS.c.subject_id],  # ids are in the order of time
        descending=True,
    )

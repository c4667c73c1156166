"""GraphQL face of comments, replies and commenters: of a space and of a change request, alike."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import FIRST, Connection, Info, body, pages, read, reads, write, writes
from app.api.graphql.members import Member
from app.api.graphql.places import where_of
from app.api.graphql.shapes import enum_of, input_of, output
from app.domain.comments import commenters as commenting
from app.domain.comments import comments, replies
from app.domain.content.views import Where
from app.models import comments as models
from app.models.comment_replies import (
    CommentReplyCreate,
    CommentReplyOut,
    CommentReplyQuery,
    CommentReplyUpdate,
)
from app.models.comments import CommentCreate, CommentFormatQuery, CommentOut, CommentQuery, CommentUpdate
from app.models.queries import BodyFormat as BodyFormatValue
from app.models.queries import Order as OrderValue
from app.present.comments import comment as show_comment
from app.present.comments import reply as show_reply
from app.present.people import member as show_member

BodyFormat: Any = enum_of(BodyFormatValue)
Order: Any = enum_of(OrderValue)
CommentStatusFilter: Any = enum_of(models.CommentStatusFilter)
CommentCreateInput: Any = input_of(CommentCreate)
CommentUpdateInput: Any = input_of(CommentUpdate)
CommentReplyCreateInput: Any = input_of(CommentReplyCreate)
CommentReplyUpdateInput: Any = input_of(CommentReplyUpdate)


@output(CommentReplyOut)
class CommentReply:
    """A reply to a comment."""


@output(CommentOut)
class Comment:
    """A comment on a space, a page, a block of a page or a change request."""

    @reads(replies.list_replies)
    async def reply_list(
        self: Any, info: Info, first: int = FIRST, after: str | None = None, format: BodyFormat | None = None
    ) -> Connection[CommentReply]:
        return await pages(
            info,
            replies.list_replies,
            _where(self),
            self["id"],
            first=first,
            after=after,
            show=show_reply,
            shape=CommentReplyQuery,
            format=format,
        )

    @reads(replies.get)
    async def comment_reply(
        self: Any, info: Info, id: ID, format: BodyFormat | None = None
    ) -> CommentReply | None:
        asked = (_where(self), self["id"], id, _format(format))
        return await read(info, replies.get, *asked, show=show_reply)


@strawberry.type
class Discussed:
    """What can be asked of the discussions in a place."""

    @reads(comments.list_comments)
    async def comment_list(
        self: Any,
        info: Info,
        first: int = FIRST,
        after: str | None = None,
        order: Order | None = None,
        status: CommentStatusFilter | None = None,
        target_page: ID | None = None,
        authors: list[ID] | None = None,
        format: BodyFormat | None = None,
    ) -> Connection[Comment]:
        return await pages(
            info,
            comments.list_comments,
            where_of(self),
            first=first,
            after=after,
            show=show_comment,
            shape=CommentQuery,
            order=order,
            status=status,
            targetPage=target_page,
            authors=authors,
            format=format,
        )

    @reads(comments.get)
    async def comment(self: Any, info: Info, id: ID, format: BodyFormat | None = None) -> Comment | None:
        return await read(info, comments.get, where_of(self), id, _format(format), show=show_comment)

    @reads(commenting.list_commenters)
    async def commenters(
        self: Any, info: Info, first: int = FIRST, after: str | None = None
    ) -> Connection[Member]:
        call = commenting.list_commenters
        return await pages(info, call, where_of(self), first=first, after=after, show=show_member)


@strawberry.type
class CommentMutation:
    @writes(comments.post)
    async def post_comment(
        self, info: Info, space: ID, new: CommentCreateInput, change_request: ID | None = None
    ) -> Comment | None:
        asked = body(CommentCreate, new)
        return await write(info, comments.post, Where(space, change_request), asked, show=show_comment)

    @writes(comments.update_comment)
    async def update_comment(
        self, info: Info, space: ID, id: ID, change: CommentUpdateInput, change_request: ID | None = None
    ) -> Comment | None:
        asked = (Where(space, change_request), id, body(CommentUpdate, change))
        return await write(info, comments.update_comment, *asked, show=show_comment)

    @writes(comments.delete_comment)
    async def delete_comment(
        self, info: Info, space: ID, id: ID, change_request: ID | None = None
    ) -> bool | None:
        return await write(info, comments.delete_comment, Where(space, change_request), id)

    @writes(replies.post)
    async def post_comment_reply(
        self,
        info: Info,
        space: ID,
        comment: ID,
        new: CommentReplyCreateInput,
        change_request: ID | None = None,
    ) -> CommentReply | None:
        asked = (Where(space, change_request), comment, body(CommentReplyCreate, new))
        return await write(info, replies.post, *asked, show=show_reply)

    @writes(replies.update_reply)
    async def update_comment_reply(
        self,
        info: Info,
        space: ID,
        comment: ID,
        id: ID,
        change: CommentReplyUpdateInput,
        change_request: ID | None = None,
    ) -> CommentReply | None:
        asked = (Where(space, change_request), comment, id, body(CommentReplyUpdate, change))
        return await write(info, replies.update_reply, *asked, show=show_reply)

    @writes(replies.delete_reply)
    async def delete_comment_reply(
        self, info: Info, space: ID, comment: ID, id: ID, change_request: ID | None = None
    ) -> bool | None:
        return await write(info, replies.delete_reply, Where(space, change_request), comment, id)


def _where(comment: dict[str, Any]) -> Where:
    target = comment["target"]
    return Where(target["space"], target.get("changeRequest"))


def _format(value: Any) -> CommentFormatQuery:
    return CommentFormatQuery(**({"format": value.value} if value else {}))

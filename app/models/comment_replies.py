"""Replies to comments."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Location, Shape, Table, absent
from app.models.comments import CommentFormatQuery, CommentPermissions, CommentUpdate, ReactionOut
from app.models.documents import Body, Text
from app.models.queries import PageQuery
from app.models.users import UserOut


class CommentReply(Table, table=True):
    """A reply to a comment; it repeats where that is, so that who commented there is found without it."""

    __tablename__ = "comment_reply"
    __table_args__ = (
        Index(None, "comment_id", "posted_at", "id"),
        Index(None, "space_id", "change_request_id", "posted_by"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    comment_id: str = Field(sa_type=Key, foreign_key="comment.id", ondelete="CASCADE")
    space_id: str = Field(sa_type=Key)
    change_request_id: str | None = Field(default=None, sa_type=Key)
    posted_by: str = Field(sa_type=Key, foreign_key="user_account.id")
    posted_at: datetime = Field(sa_type=Instant)
    edited_at: datetime | None = Field(default=None, sa_type=Instant)
    body: str


class CommentReplyCreate(Change):
    """A reply to post."""

    body: Body = Field(description="Text of the reply, up to 100,000 characters. It must not be empty.")


class CommentReplyUpdate(CommentUpdate):
    """Changes to a reply. What is left out stays as it is."""

    resolved: bool = absent("True resolves the comment that it replies to, false opens that again.")


class CommentReplyQuery(PageQuery, CommentFormatQuery):
    """Which replies to return."""


class CommentReplyOut(Shape):
    """A reply to a comment (specification, CommentReply)."""

    object: Literal["comment-reply"]
    id: str
    posted_by: UserOut = Field(description="Author of the reply.")
    posted_at: datetime = Field(description="When the reply was posted.")
    edited_at: datetime | None = Field(
        default=None, description="When its body was last changed. Absent if it never was."
    )
    reactions: list[ReactionOut] = Field(
        description="Reactions to the reply by emoji, in the order in which these were first used."
    )
    body: Text = Field(description="Text of the reply.")
    mentions: list[UserOut] = Field(
        description="People whom the body mentions and who are members of the organization."
    )
    urls: Location
    permissions: CommentPermissions

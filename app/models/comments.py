"""Discussions: comments on spaces, pages, their blocks and change requests; replies, reactions, mentions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Enumeration, Location, Permissions, Shape, Table, absent
from app.models.documents import Body, Text
from app.models.queries import BodyFormat, Order, PageQuery
from app.models.users import UserOut

CommentStatus = Literal["open", "resolved"]
CommentStatusFilter = Literal["all", "open", "resolved"]
Id = Annotated[str, StringConstraints(max_length=100)]
Reactions = Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=50)]


class Comment(Table, table=True):
    """A comment in a space, or in one of its change requests.

    What it is about is kept as it was: the version of the page (its key in `page_version`), the text of it,
    and the block with its mark (see `content.block_marks`).
    """

    __table_args__ = (
        Index(None, "change_request_id", "space_id", "posted_at", "id"),
        Index(None, "space_id", "change_request_id", "status", "posted_at", "id"),
        Index(None, "space_id", "change_request_id", "page_id", "posted_at", "id"),
        Index(None, "space_id", "change_request_id", "posted_by", "posted_at", "id"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    space_id: str = Field(sa_type=Key, foreign_key="space.id")
    change_request_id: str | None = Field(default=None, sa_type=Key, foreign_key="change_request.id")
    revision_id: str = Field(sa_type=Key)
    review_id: str | None = Field(default=None, sa_type=Key)
    page_id: str | None = Field(default=None, sa_type=Key)
    page_line: str | None = Field(default=None, sa_type=Key)
    page_from: int | None = None
    document_id: str | None = Field(default=None, sa_type=Key)
    node: str | None = None
    node_mark: str | None = None
    preview: str | None = None
    posted_by: str = Field(sa_type=Key, foreign_key="user_account.id")
    posted_at: datetime = Field(sa_type=Instant)
    edited_at: datetime | None = Field(default=None, sa_type=Instant)
    body: str
    status: str = Field(sa_type=Key)
    resolved_by: str | None = Field(default=None, sa_type=Key)
    resolved_at: datetime | None = Field(default=None, sa_type=Instant)
    replies: int


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


class CommentReaction(Table, table=True):
    """Somebody's reaction to a comment or reply (`subject_id`); it goes with it."""

    __tablename__ = "comment_reaction"

    subject_id: str = Field(sa_type=Key, primary_key=True)
    emoji: str = Field(sa_type=Key, primary_key=True)
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    comment_id: str = Field(sa_type=Key, foreign_key="comment.id", ondelete="CASCADE", index=True)
    reply_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="comment_reply.id", ondelete="CASCADE", index=True
    )
    reacted_at: datetime = Field(sa_type=Instant)


class CommentMention(Table, table=True):
    """Somebody whom a comment or reply (`subject_id`) names; it goes with it."""

    __tablename__ = "comment_mention"

    subject_id: str = Field(sa_type=Key, primary_key=True)
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id")
    comment_id: str = Field(sa_type=Key, foreign_key="comment.id", ondelete="CASCADE", index=True)
    reply_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="comment_reply.id", ondelete="CASCADE", index=True
    )
    position: int


class CommentCreate(Change):
    """A new comment: on a page of the place with `page`, on a block of that page with its key as `node`."""

    body: Body
    page: Id = absent()
    node: Id = absent()


class CommentUpdate(Change):
    """Changes to a comment. Reactions are the caller's own, as emoji or as their code points (`1f44d`)."""

    resolved: bool = absent()
    body: Body = absent()
    added_reactions: Reactions = absent()
    removed_reactions: Reactions = absent()


class CommentReplyCreate(Change):
    """A new reply."""

    body: Body


class CommentReplyUpdate(Change):
    """Changes to a reply; `resolved` resolves or reopens the comment that it replies to."""

    resolved: bool = absent()
    body: Body = absent()
    added_reactions: Reactions = absent()
    removed_reactions: Reactions = absent()


class CommentFormatQuery(Shape):
    """How one comment or reply is read."""

    format: BodyFormat = Field(default="markdown", description="form of the body")


class CommentQuery(PageQuery, CommentFormatQuery):
    """Filters of comments."""

    order: Order = Field(default="desc", description="by when they were posted")
    status: CommentStatusFilter = Field(default="all", description="only open ones, or resolved ones")
    target_page: Id | None = Field(default=None, description="only those on this page")
    authors: list[Id] = Field(default=[], max_length=100, description="only those of these users")


class CommentReplyQuery(PageQuery, CommentFormatQuery):
    """How replies are listed."""


class CommentPermissions(Permissions):
    """What the caller may do with a comment or reply."""

    view: bool
    edit: bool
    reply: bool
    delete: bool


class ReactionUserOut(Shape):
    """Somebody who reacted, and when."""

    user: UserOut
    reacted_at: datetime


class ReactionOut(Shape):
    """An emoji, by its code points, with everybody who reacted by it."""

    emoji: str
    count: int
    users: list[ReactionUserOut]


class CommentNode(Shape):
    """The block that a comment is about, and how its text began then."""

    id: str
    preview: str


class CommentPage(Shape):
    """The page that a comment is about. It is outdated once that is gone or says something else there."""

    id: str
    title: str
    emoji: str | None = None
    icon: str | None = None
    created_at: datetime
    updated_at: datetime
    path: str
    outdated: bool


class CommentTarget(Shape):
    """What a comment is about, and the revision it was written on."""

    node: CommentNode | None = None
    change_request: str | None = None
    review: str | None = None
    page: CommentPage | None = None
    space: str
    revision: str


class CommentOut(Shape):
    """A comment (specification, Comment). `mentions`: the people its body names."""

    object: Literal["comment"]
    id: str
    posted_by: UserOut
    posted_at: datetime
    edited_at: datetime | None = None
    reactions: list[ReactionOut]
    replies: int
    body: Text
    mentions: list[UserOut]
    target: CommentTarget
    urls: Location
    permissions: CommentPermissions
    status: CommentStatus
    resolved_at: datetime | None = None
    resolved_by: UserOut | None = None


class CommentReplyOut(Shape):
    """A reply to a comment (specification, CommentReply)."""

    object: Literal["comment-reply"]
    id: str
    posted_by: UserOut
    posted_at: datetime
    edited_at: datetime | None = None
    reactions: list[ReactionOut]
    body: Text
    mentions: list[UserOut]
    urls: Location
    permissions: CommentPermissions


ENUMERATIONS = (
    Enumeration(
        "CommentStatus",
        CommentStatus,
        {
            "open": "",
            "resolved": "",
        },
    ),
    Enumeration(
        "CommentStatusFilter",
        CommentStatusFilter,
        {
            "all": "",
            "open": "",
            "resolved": "",
        },
    ),
)

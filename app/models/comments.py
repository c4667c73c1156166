"""Discussions: comments on spaces, pages, their blocks and change requests; replies, reactions, mentions.

Replies to comments.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Enumeration, Location, Names, Permissions, Shape, Table, absent
from app.models.documents import Body, Text
from app.models.queries import BodyFormat, Order, PageQuery
from app.models.users import UserOut

CommentStatus = Literal["open", "resolved"]
CommentStatuses = Literal["all", "open", "resolved"]
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
    posted_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    posted_at: datetime = Field(sa_type=Instant)
    edited_at: datetime | None = Field(default=None, sa_type=Instant)
    body: str
    status: str = Field(sa_type=Key)
    resolved_by: str | None = Field(default=None, sa_type=Key)
    resolved_at: datetime | None = Field(default=None, sa_type=Instant)
    replies: int


class CommentReaction(Table, table=True):
    """Somebody's reaction to a comment or reply (`subject_id`); it goes with it."""

    __tablename__ = "comment_reaction"

    subject_id: str = Field(sa_type=Key, primary_key=True)
    emoji: str = Field(sa_type=Key, primary_key=True)
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
    comment_id: str = Field(sa_type=Key, foreign_key="comment.id", ondelete="CASCADE", index=True)
    reply_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="comment_reply.id", ondelete="CASCADE", index=True
    )
    reacted_at: datetime = Field(sa_type=Instant)


class CommentMention(Table, table=True):
    """Somebody whom a comment or reply (`subject_id`) names; it goes with it."""

    __tablename__ = "comment_mention"

    subject_id: str = Field(sa_type=Key, primary_key=True)
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
    comment_id: str = Field(sa_type=Key, foreign_key="comment.id", ondelete="CASCADE", index=True)
    reply_id: str | None = Field(
        default=None, sa_type=Key, foreign_key="comment_reply.id", ondelete="CASCADE", index=True
    )
    position: int


class CommentCreate(Change):
    """A comment to post."""

    body: Body = Field(description="Text of the comment, up to 100,000 characters. It must not be empty.")
    page: Annotated[Id, Names("Page")] = absent(
        "Id of the page to comment on. The space or the change request as a whole if left out."
    )
    node: Id = absent(
        "Key of the block to comment on, in the structured document of the page. It needs `page`."
    )


class CommentUpdate(Change):
    """Changes to a comment. What is left out stays as it is."""

    resolved: bool = absent("True resolves the comment, false reopens it.")
    body: Body = absent("New text, up to 100,000 characters. It must not be empty.")
    added_reactions: Reactions = absent(
        "Reactions of the caller to add: emoji, or their code points such as `1f44d`. At most 50."
    )
    removed_reactions: Reactions = absent(
        "Reactions of the caller to take away: emoji, or their code points. At most 50."
    )


class CommentFormatQuery(Shape):
    """Options for returning a comment or a reply."""

    format: BodyFormat = Field(
        default="markdown",
        description="Form in which to return bodies. A list gives structured documents for its first "
        "500,000 characters, and Markdown after that.",
    )


class CommentQuery(PageQuery, CommentFormatQuery):
    """Filters of comments."""

    order: Order = Field(default="desc", description="Order by the time of posting.")
    status: CommentStatuses = Field(default="all", description="Status of the comments to return.")
    target_page: Annotated[Id, Names("Page")] | None = Field(
        default=None, description="Only comments on this page."
    )
    authors: Annotated[list[Id], Names("User")] = Field(
        default=[], max_length=100, description="Only comments that these users posted. At most 100."
    )


class CommentPermissions(Permissions):
    """The permissions of the caller for a comment or reply."""

    view: bool = Field(description="Whether the caller may read it.")
    edit: bool = Field(description="Whether the caller may change its body. Only its author may.")
    reply: bool = Field(description="Whether the caller may reply.")
    delete: bool = Field(description="Whether the caller may delete it. Its author and administrators may.")


class ReactionUserOut(Shape):
    """A person who reacted."""

    user: UserOut = Field(description="Person who reacted.")
    reacted_at: datetime = Field(description="When the person reacted.")


class ReactionOut(Shape):
    """An emoji that people reacted with."""

    emoji: str = Field(
        description="Code points of the emoji in hexadecimal, joined by hyphens, such as `1f44d`."
    )
    count: int = Field(description="Number of people who reacted with it.")
    users: list[ReactionUserOut] = Field(
        description="People who reacted with it, in the order in which they did."
    )


class CommentNode(Shape):
    """The block of a page that a comment is about."""

    id: str = Field(description="Key of the block, where it stands now if it moved.")
    preview: str = Field(description="Beginning of the text of the block when the comment was posted.")


class CommentPage(Shape):
    """The page that a comment is about."""

    id: Annotated[str, Names("Page")] = Field(description="Id of the page.")
    title: str = Field(description="Title of the page.")
    emoji: str | None = Field(default=None, description="Emoji of the page. Absent if it has none.")
    icon: str | None = Field(default=None, description="Icon of the page. Absent if it has none.")
    created_at: datetime = Field(description="When the page was created.")
    updated_at: datetime = Field(description="When the page was last changed.")
    path: str = Field(description="Path of the page.")
    outdated: bool = Field(
        description="Whether the comment is outdated: the page was deleted, or the commented text has "
        "changed."
    )


class CommentTarget(Shape):
    """The object that a comment is about."""

    node: CommentNode | None = Field(
        default=None, description="Block that the comment is about. Absent if it is about no single block."
    )
    change_request: Annotated[str, Names("ChangeRequest")] | None = Field(
        default=None, description="Change request that the comment is in. Absent for comments on the space."
    )
    review: Annotated[str, Names("Review")] | None = Field(
        default=None, description="Review that the comment was given with. Absent for other comments."
    )
    page: CommentPage | None = Field(
        default=None,
        description="Page that the comment is about. Absent if it is about the space or the change request "
        "as a whole.",
    )
    space: Annotated[str, Names("Space")] = Field(description="Space that the comment is in.")
    revision: Annotated[str, Names("Revision")] = Field(
        description="Revision that was active when the comment was posted."
    )


class CommentOut(Shape):
    """A comment on a space, a page, a block of a page, or a change request (specification, Comment)."""

    object: Literal["comment"]
    id: str
    posted_by: UserOut = Field(description="Author of the comment.")
    posted_at: datetime = Field(description="When the comment was posted.")
    edited_at: datetime | None = Field(
        default=None, description="When its body was last changed. Absent if it never was."
    )
    reactions: list[ReactionOut] = Field(
        description="Reactions to the comment by emoji, in the order in which these were first used."
    )
    replies: int = Field(description="Number of replies.")
    body: Text = Field(description="Text of the comment.")
    mentions: list[UserOut] = Field(
        description="People whom the body mentions and who are members of the organization."
    )
    target: CommentTarget = Field(description="What the comment is about.")
    urls: Location
    permissions: CommentPermissions
    status: CommentStatus = Field(description="State of the discussion.")
    resolved_at: datetime | None = Field(
        default=None, description="When the comment was resolved. Absent while it is open."
    )
    resolved_by: UserOut | None = Field(
        default=None, description="Person who resolved it. Absent while it is open."
    )


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
    posted_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    posted_at: datetime = Field(sa_type=Instant)
    edited_at: datetime | None = Field(default=None, sa_type=Instant)
    body: str


class CommentReplyCreate(Change):
    """A reply to post."""

    body: Body = Field(description="Text of the reply, up to 100,000 characters. It must not be empty.")


class CommentReplyUpdate(CommentUpdate):
    """Changes to a reply. What is left out stays as it is."""

    resolved: bool = absent("True resolves the comment that it replies to, false reopens it.")


class CommentReplyQuery(PageQuery, CommentFormatQuery):
    """Query parameters that select the replies to return."""


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


ENUMERATIONS = (
    Enumeration(
        "CommentStatus",
        CommentStatus,
        {
            "open": "The discussion is open.",
            "resolved": "All is said.",
        },
    ),
    Enumeration(
        "CommentStatuses",
        CommentStatuses,
        {
            "all": "Open and resolved comments.",
            "open": "Open comments only.",
            "resolved": "Resolved comments only.",
        },
        "State of the comments of a list.",
    ),
)

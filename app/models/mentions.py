"""Mentions: where comments and replies name somebody."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from sqlmodel import Field

from app.models.base import Column, Names, Shape, UrlOut
from app.models.comments import CommentStatus, CommentStatuses
from app.models.queries import PageQuery
from app.models.users import UserOut


class MentionQuery(PageQuery):
    """Filters of mentions."""

    status: CommentStatuses = Field(default="all", description="Status of the comments.")


class MentionUrls(Shape):
    """Addresses of a mention."""

    app: UrlOut


class MentionOut(Shape):
    """A comment or reply that mentions the caller."""

    object: Literal["mention"]
    id: str = Field(description="Identifier of the reply, or of the comment if it is none.")
    comment: Annotated[str, Column("comment_id")] = Field(
        description="Identifier of the comment, also of the one that was replied to."
    )
    space: Annotated[str, Column("space_id"), Names("Space")] = Field(description="Space that it is in.")
    change_request: Annotated[str | None, Column("change_request_id"), Names("ChangeRequest")] = Field(
        default=None, description="Change request that contains it. Absent if there is none."
    )
    posted_by: UserOut = Field(description="Person who wrote it.")
    posted_at: datetime = Field(description="When it was posted.")
    status: CommentStatus = Field(description="Status of the comment.")
    text: str = Field(description="Beginning of the text, at most 300 characters, without markup of names.")
    urls: MentionUrls

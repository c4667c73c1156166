"""Feedback: how visitors of a site rate its pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table, UrlOut
from app.models.queries import PageQuery

FeedbackRating = Literal["good", "ok", "bad"]
LONGEST_COMMENT = 512  # characters
FeedbackComment = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_COMMENT)
]


class PageFeedback(Table, table=True):
    """A visitor's rating of a page: once for each page and day, `visitor` being known by a hash only."""

    __tablename__ = "page_feedback"
    __table_args__ = (
        Index(None, "site_id", "id"),
        Index(None, "site_id", "page_id", "visitor", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    space_id: str = Field(sa_type=Key)
    page_id: str = Field(sa_type=Key)
    visitor: str = Field(sa_type=Key)
    rating: str
    comment: str | None = None
    url: str
    created_at: datetime = Field(sa_type=Instant)


class FeedbackGiven(Change):
    """Feedback as a visitor sends it."""

    rating: FeedbackRating = Field(description="How the visitor likes the page.")
    comment: FeedbackComment | None = Field(
        default=None, description="What the visitor adds. At most 512 characters."
    )


class FeedbackQuery(PageQuery):
    """Filters of feedback."""

    rating: FeedbackRating | None = Field(default=None, description="Lists only feedback with this rating.")
    target_page: Annotated[str, Names("Page")] | None = Field(
        default=None, max_length=100, description="Lists only feedback on the page with this id."
    )
    with_comment: bool = Field(default=False, description="Whether to list only feedback with a comment.")


class PageFeedbackOut(Shape):
    """Feedback of a visitor on a page of a site."""

    object: Literal["page-feedback"]
    id: str
    rating: FeedbackRating = Field(description="How the visitor likes the page.")
    comment: str | None = Field(default=None, description="What the visitor added. Absent without a comment.")
    space: Annotated[str, Column("space_id"), Names("Space")] = Field(description="Space of the page.")
    page: Annotated[str, Column("page_id"), Names("Page")] = Field(description="Page.")
    url: UrlOut = Field(description="Address at which the visitor read the page.")
    created_at: datetime


ENUMERATIONS = (
    Enumeration(
        "PageFeedbackRating",
        FeedbackRating,
        {
            "good": "The page helped.",
            "ok": "The page helped in part.",
            "bad": "The page did not help.",
        },
    ),
)

"""Feedback: how visitors of a site rate its pages, and what people and programs do not find there."""

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
FeedbackSource = Literal["page", "search", "not-found", "agent"]
LONGEST_COMMENT = 512  # characters
LONGEST_SEARCH = 512
LONGEST_PATH = 1000
FeedbackComment = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_COMMENT)
]


SearchedFor = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_SEARCH)]
MissedPath = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PATH, pattern="^/")]


class PageFeedback(Table, table=True):
    """A visitor's rating of a page, or report of what is missing: once for each `subject` and day.

    `visitor` is known by a hash only. The subject of a rating is its page.
    """

    __tablename__ = "page_feedback"
    __table_args__ = (
        Index(None, "site_id", "id"),
        Index(None, "site_id", "subject", "visitor", unique=True),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    site_id: str = Field(sa_type=Key, foreign_key="site.id")
    source: str
    subject: str = Field(sa_type=Key)
    space_id: str | None = Field(sa_type=Key, default=None)
    page_id: str | None = Field(sa_type=Key, default=None)
    visitor: str = Field(sa_type=Key)
    rating: str | None = None
    comment: str | None = None
    query: str | None = None
    url: str
    created_at: datetime = Field(sa_type=Instant)


class FeedbackGiven(Change):
    """Feedback as a visitor sends it."""

    rating: FeedbackRating = Field(description="How the visitor likes the page.")
    comment: FeedbackComment | None = Field(
        default=None, description="What the visitor adds. At most 512 characters."
    )


class MissingReported(Change):
    """A report of what is missing from a site, as a form or an agent sends it."""

    comment: FeedbackComment = Field(description="What is missing. At most 512 characters.")
    query: SearchedFor | None = Field(default=None, description="What was searched for.")
    path: MissedPath | None = Field(default=None, description="Path at which there was no page.")


class FeedbackQuery(PageQuery):
    """Filters of feedback."""

    source: FeedbackSource | None = Field(
        default=None, description="Lists only feedback that was given in this place."
    )
    rating: FeedbackRating | None = Field(default=None, description="Lists only feedback with this rating.")
    target_page: Annotated[str, Names("Page")] | None = Field(
        default=None, max_length=100, description="Lists only feedback on the page with this id."
    )
    with_comment: bool = Field(default=False, description="Whether to list only feedback with a comment.")


class PageFeedbackOut(Shape):
    """Feedback of a visitor: a rating of a page of a site, or a report of what is missing from the site."""

    object: Literal["page-feedback"]
    id: str
    source: FeedbackSource = Field(description="Place in which the feedback was given.")
    rating: FeedbackRating | None = Field(
        default=None, description="How the visitor likes the page. Absent from reports of what is missing."
    )
    comment: str | None = Field(
        default=None,
        description="What the visitor added to the rating, or reports as missing. Absent without a comment.",
    )
    query: str | None = Field(
        default=None, description="What was searched for. Absent if it is not known, and from ratings."
    )
    space: Annotated[str | None, Column("space_id"), Names("Space")] = Field(
        default=None, description="Space of the page. Absent if the feedback is not about a page."
    )
    page: Annotated[str | None, Column("page_id"), Names("Page")] = Field(
        default=None, description="Page. Absent if the feedback is not about a page."
    )
    url: UrlOut = Field(
        description="Address of the page, of the search, or at which there was no page. Of a report of an"
        " agent about no page, that of the site."
    )
    created_at: datetime


ENUMERATIONS = (
    Enumeration(
        "PageFeedbackSource",
        FeedbackSource,
        {
            "page": "The question below a page whether it helped.",
            "search": "A search that found nothing.",
            "not-found": "An address at which there is no page.",
            "agent": "A program that reads the site over MCP.",
        },
    ),
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

"""Reviews of change requests: asked for and given."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table, absent
from app.models.change_requests import Subject
from app.models.documents import Body, Text
from app.models.queries import BodyFormat, PageQuery, QueryBool
from app.models.texts import ID_FORM
from app.models.users import UserOut

ReviewStatus = Literal["approved", "changes-requested"]


UserId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class Review(Table, table=True):
    """The opinion of a reviewer on a change request as it was at a revision."""

    __table_args__ = (Index(None, "change_request_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    change_request_id: str = Field(sa_type=Key, foreign_key="change_request.id")
    revision_id: str = Field(sa_type=Key)
    reviewer_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    requested_by: str | None = Field(default=None, sa_type=Key)
    status: str
    comment: str | None = None
    created_at: datetime = Field(sa_type=Instant)


class RequestedReview(Table, table=True):
    """Somebody who was asked to review and has not yet."""

    __tablename__ = "requested_review"

    change_request_id: str = Field(sa_type=Key, primary_key=True, foreign_key="change_request.id")
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
    requested_by: str = Field(sa_type=Key)
    created_at: datetime = Field(sa_type=Instant)


class ReviewCreate(Change):
    """A review to give, of the change request as it is now."""

    status: ReviewStatus = Field(description="Verdict of the review.")
    comment: Body | None = Field(
        default=None,
        description="What the reviewer has to say. It becomes a comment on the change request too.",
    )


class ReviewRequest(Change):
    """People to ask for a review. A draft becomes open by that."""

    users: Annotated[list[UserId], Names("User")] = Field(
        min_length=1, max_length=50, description="Ids of 1 to 50 members of the organization who may review."
    )
    subject: Subject = absent("New subject of the change request. It stays as it is if left out.")
    description: Body | None = Field(
        default=None, description="New description of the change request. It stays as it is if left out."
    )


class ReviewQuery(PageQuery):
    """Filters of the reviews of a change request."""

    format: BodyFormat = Field(default="markdown", description="Form in which to return the comments.")
    outdated: QueryBool | None = Field(
        default=None,
        description="True returns outdated reviews only, false current ones only. All if left out.",
    )


class ReviewFormatQuery(Shape):
    """Options for returning a review."""

    format: BodyFormat = Field(default="markdown", description="Form in which to return the comment.")


class ReviewOut(Shape):
    """A review of a change request, as it was at one revision."""

    object: Literal["review"]
    id: str
    change_request: Annotated[str, Column("change_request_id"), Names("ChangeRequest")] = Field(
        description="Change request that was reviewed."
    )
    revision: Annotated[str, Column("revision_id"), Names("Revision")] = Field(
        description="Revision that was reviewed."
    )
    reviewer: UserOut = Field(description="Person who gave the review.")
    requested_by: UserOut | None = Field(
        default=None, description="Person who asked for the review. Absent if nobody did."
    )
    status: ReviewStatus = Field(description="Verdict of the review.")
    outdated: bool = Field(
        description="Whether the change request has a newer revision than the reviewed one."
    )
    comment: Text | None = Field(
        default=None, description="Comment of the reviewer. Absent if there is none."
    )
    created_at: datetime


class RequestedReviewersOut(Shape):
    """The people who are asked for a review of a change request."""

    users: list[UserOut] = Field(description="Everybody who was asked and has not reviewed yet.")


ENUMERATIONS = (
    Enumeration(
        "ReviewStatus",
        ReviewStatus,
        {
            "approved": "The reviewer agrees with the changes.",
            "changes-requested": "The reviewer asks for other changes.",
        },
    ),
)

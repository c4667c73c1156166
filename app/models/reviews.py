"""Who looks at a change request: reviews, people asked for one, and everybody who had a hand in it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Shape, Table, absent
from app.models.bodies import Body
from app.models.change_requests import Subject
from app.models.documents import Text
from app.models.queries import BodyFormat, PageQuery, QueryBool
from app.models.texts import ID_FORM
from app.models.users import UserOut

ReviewStatus = Literal["approved", "changes-requested"]
ContributionKind = Literal["edit", "comment"]
UserId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class Review(Table, table=True):
    """What somebody thinks of a change request as it was at a revision."""

    __table_args__ = (Index(None, "change_request_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    change_request_id: str = Field(sa_type=Key, foreign_key="change_request.id")
    revision_id: str = Field(sa_type=Key)
    reviewer_id: str = Field(sa_type=Key, foreign_key="user_account.id")
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


class Contribution(Table, table=True):
    """How often somebody edited or commented on a change request, and when last."""

    change_request_id: str = Field(sa_type=Key, primary_key=True, foreign_key="change_request.id")
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
    kind: str = Field(sa_type=Key, primary_key=True)
    count: int
    updated_at: datetime = Field(sa_type=Instant)


class ReviewCreate(Change):
    """A review; of the change request as it is now."""

    status: ReviewStatus
    comment: Body | None = None


class ReviewRequest(Change):
    """Who is to review; the change request's subject and description may be set along with it."""

    users: list[UserId] = Field(min_length=1, max_length=50)
    subject: Subject = absent()
    description: Body | None = None


class ReviewQuery(PageQuery):
    """How reviews are listed."""

    format: BodyFormat = Field(default="markdown", description="form of the comments")
    outdated: QueryBool | None = Field(
        default=None, description="only outdated reviews, or only current ones"
    )


class ReviewFormatQuery(Shape):
    """How one review is read."""

    format: BodyFormat = Field(default="markdown", description="form of the comment")


class ReviewOut(Shape):
    """A review. It is outdated once the change request has another revision than the one reviewed."""

    object: Literal["review"]
    id: str
    change_request: Annotated[str, Column("change_request_id")]
    revision: Annotated[str, Column("revision_id")]
    reviewer: UserOut
    requested_by: UserOut | None = None
    status: ReviewStatus
    outdated: bool
    comment: Text | None = None
    created_at: datetime


class RequestedReviewersOut(Shape):
    """Everybody who is asked for a review now."""

    users: list[UserOut]


class ContributorOut(Shape):
    """Somebody who had a hand in a change request."""

    user: UserOut
    count: int
    updated_at: datetime
    action_type: Annotated[ContributionKind, Column("kind")]

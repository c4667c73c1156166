"""Change requests and their reviews."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Shape, Table, absent
from app.models.changes import ConflictValue
from app.models.documents import Body, JSONDocument, Text
from app.models.queries import BodyFormat, PageQuery, QueryBool
from app.models.texts import ID_FORM, Label
from app.models.users import UserOut

Status = Literal["draft", "open", "archived", "merged"]
SettableStatus = Literal["draft", "open", "archived"]
MergeResult = Literal["merge", "conflicts"]
UpdateResult = Literal["update", "conflicts"]
OnConflict = Literal["change-request", "main"]
OrderBy = Literal["updatedAt", "createdAt"]
Subject = Annotated[str, Label(100, shortest=0)]


class ChangeRequest(Table, table=True):
    """A change request. Its id is its line's; it reads the main line as it was at `base_number`."""

    __tablename__ = "change_request"
    __table_args__ = (
        Index(None, "space_id", "number", unique=True),
        Index(None, "space_id", "status", "number"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    space_id: str = Field(sa_type=Key, foreign_key="space.id")
    number: int
    status: str
    subject: str
    description: str | None = None
    agent_task_id: str | None = None
    created_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)
    revision_id: str = Field(sa_type=Key)
    revision_number: int
    base_number: int
    base_revision_id: str = Field(sa_type=Key)
    revision_initial: str = Field(sa_type=Key)
    revision_merged_ancestor: str | None = Field(default=None, sa_type=Key)
    revision_merged: str | None = Field(default=None, sa_type=Key)
    merged_by: str | None = Field(default=None, sa_type=Key)
    merged_at: datetime | None = Field(default=None, sa_type=Instant)
    comments: int
    comments_resolved: int = Field(sa_column_kwargs={"server_default": "0"})


class ChangeRequestCreate(Change):
    """A new change request; it begins as a draft."""

    subject: Subject = ""
    description: Body | None = None
    agent_task_id: str | None = Field(default=None, max_length=256)


class ChangeRequestUpdate(Change):
    """Changes to a change request. Only a merge makes it `merged`."""

    subject: Subject = absent()
    description: Body | None = None
    status: SettableStatus = absent()


class Merge(Change):
    """How to merge: whose side wins each conflict, or only what would happen."""

    on_conflict: OnConflict | None = None
    dry_run: bool = False


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) or value is None else [value]


Statuses = Annotated[list[Status], BeforeValidator(_listed)]


class ChangeRequestQuery(PageQuery):
    """Filters of a space's change requests. Without `status`: those that are open."""

    status: Statuses = Field(default=["open"], description="any of these")
    creator: str | None = Field(default=None, max_length=100, description="who created it: a user's id")
    contributor: str | None = Field(default=None, max_length=100, description="who changed or discussed it")


class OrganizationChangeRequestQuery(ChangeRequestQuery):
    """Filters of an organization's change requests."""

    requested_reviewer: str | None = Field(
        default=None, max_length=100, description="who was asked to review"
    )
    site: str | None = Field(default=None, max_length=100, description="only of spaces that this site has")
    space: str | None = Field(default=None, max_length=100, description="only this space's")
    order_by: OrderBy = Field(default="updatedAt", description="newest first by this")


class ChangeRequestUrls(Shape):
    """Addresses of a change request."""

    app: str
    location: str


class ChangeRequestOut(Shape):
    """A change request (specification, ChangeRequest)."""

    object: Literal["change-request"]
    id: str
    number: int
    status: Status
    subject: str
    description: JSONDocument | None = None
    created_by: UserOut
    created_at: datetime
    updated_at: datetime
    space: str
    revision: Annotated[str, Column("revision_id")]
    revision_initial: str
    revision_merged_ancestor: str | None = None
    revision_merged: str | None = None
    merged_by: UserOut | None = None
    merged_at: datetime | None = None
    comments: int
    outdated: bool
    agent_task_id: str | None = None
    urls: ChangeRequestUrls


class Conflict(Shape):
    """Where two sides changed the same: a field of a page, with what each side made of it."""

    page: str
    field: str
    base: ConflictValue = None
    main: ConflictValue = None
    change_request: ConflictValue = None


class MergeOut(Shape):
    """What a merge did, or would do."""

    revision: str
    result: MergeResult
    conflicts: list[Conflict] | None = None


class UpdateOut(Shape):
    """What an update from the main content did."""

    revision: str
    result: UpdateResult
    conflicts: list[Conflict] | None = None


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


ENUMERATIONS = (
    Enumeration(
        "ChangeRequestStatus",
        Status,
        {
            "draft": "",
            "open": "",
            "archived": "",
            "merged": "",
        },
    ),
    Enumeration(
        "SettableChangeRequestStatus",
        SettableStatus,
        {
            "draft": "",
            "open": "",
            "archived": "",
        },
    ),
    Enumeration(
        "ChangeRequestOrder",
        OrderBy,
        {
            "updatedAt": "",
            "createdAt": "",
        },
    ),
    Enumeration(
        "MergeResult",
        MergeResult,
        {
            "merge": "",
            "conflicts": "",
        },
    ),
    Enumeration(
        "UpdateResult",
        UpdateResult,
        {
            "update": "",
            "conflicts": "",
        },
    ),
    Enumeration(
        "ConflictWinner",
        OnConflict,
        {
            "change-request": "",
            "main": "",
        },
    ),
    Enumeration(
        "ReviewStatus",
        ReviewStatus,
        {
            "approved": "",
            "changes-requested": "",
        },
    ),
    Enumeration(
        "ContributionType",
        ContributionKind,
        {
            "edit": "",
            "comment": "",
        },
    ),
)

"""Reviews of change requests, and what merges, updates and rollbacks come to.

Reviews of change requests: asked for and given.

Merges, updates and rollbacks: how conflicts are settled, and what came of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, DescribedAs, Enumeration, Names, Shape, Table, absent
from app.models.change_requests import Subject
from app.models.documents import Body, Text
from app.models.page_layouts import Cover, Layout
from app.models.queries import BodyFormat, PageQuery, QueryBool
from app.models.texts import ID_FORM
from app.models.users import UserOut

ReviewStatus = Literal["approved", "changes-requested"]


UserId = Annotated[str, StringConstraints(max_length=100), ID_FORM]


class Review(Table, table=True):
    """What somebody thinks of a change request as it was at a revision."""

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
    """How to return a review."""

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
    outdated: bool = Field(description="Whether the change request has gone on to another revision since.")
    comment: Text | None = Field(
        default=None, description="What the reviewer had to say. Absent if that was nothing."
    )
    created_at: datetime


class RequestedReviewersOut(Shape):
    """The people who are asked for a review of a change request."""

    users: list[UserOut] = Field(description="Everybody who is asked and has not given a review yet.")


MergeResult = Literal["merge", "conflicts"]
UpdateResult = Literal["update", "conflicts"]
RollbackResult = Literal["rollback", "conflicts"]
OnConflict = Literal["change-request", "main"]
OnRevertConflict = Literal["revert", "main"]
MOST_WINNERS = 1000


class ConflictPlace(Shape):
    """The place of a page in a conflict of `position`."""

    parent: Annotated[str, Names("Page")] | None = Field(
        description="Page that it is under; null at the root."
    )


ConflictValue = (
    str
    | bool
    | int
    | float
    | Annotated[dict[str, Any], DescribedAs(Layout, partly=True)]
    | Annotated[dict[str, Any], DescribedAs(Cover)]
    | Annotated[dict[str, Any], DescribedAs(ConflictPlace)]
    | dict[str, str | bool | int | float]
    | None
)
"""What a field of a page may be: text, a flag, a layout, a cover, a place, variables."""


class _ConflictPart(Shape):
    """A part of the content that has a conflict."""

    page: Annotated[str, StringConstraints(max_length=100)] = Field(
        description="`page` of the conflict. Empty for variables and redirects of the space."
    )
    field: Annotated[str, StringConstraints(min_length=1, max_length=2048)] = Field(
        description="`field` of the conflict. All conflicts in a text are won by the same side."
    )


class MergeWinner(_ConflictPart):
    """The side that wins the conflicts of a part in a merge."""

    winner: OnConflict = Field(description="Side that wins.")


class RevertWinner(_ConflictPart):
    """The side that wins the conflicts of a part in a revert."""

    winner: OnRevertConflict = Field(description="Side that wins.")


class Merge(Change):
    """How to merge a change request."""

    on_conflict: OnConflict | None = Field(
        default=None,
        description="Side that wins every other conflict. Without it nothing is merged if there are "
        "conflicts that `winners` does not settle.",
    )
    winners: Annotated[list[MergeWinner], Len(0, MOST_WINNERS)] = Field(
        default=[],
        description="Sides that win single conflicts, up to 1,000. The others are won by `onConflict`.",
    )
    dry_run: bool = Field(
        default=False, description="True answers what the merge would do, and changes nothing."
    )


class Revert(Change):
    """How to revert a revision."""

    on_conflict: OnRevertConflict | None = Field(
        default=None,
        description="Side that wins every conflict. Without it nothing is reverted if there are conflicts "
        "that `winners` does not settle.",
    )
    winners: Annotated[list[RevertWinner], Len(0, MOST_WINNERS)] = Field(
        default=[],
        description="Sides that win single conflicts, up to 1,000. The others are won by `onConflict`.",
    )
    dry_run: bool = Field(
        default=False, description="True answers what the revert would do, and changes nothing."
    )


class ConflictOut(Shape):
    """A field that both sides of a merge or an update changed to different values."""

    page: Annotated[str, Names("Page")] = Field(
        description="Id of the page, the file or the reusable content that the conflict is in. Empty for "
        "variables and redirects of the space."
    )
    field: str = Field(
        description="Field that both sides changed: a field of the page such as `title`; `document` for "
        "lines of the text; `position`; `page` if one side deleted it; `variables.NAME`; "
        "`redirects.PATH`; `file`; `reusableContent`."
    )
    base: ConflictValue = Field(
        default=None, description="Value that both sides began with. Absent if there was none."
    )
    main: ConflictValue = Field(
        default=None, description="Value in the main content. Absent if it has none there."
    )
    change_request: ConflictValue = Field(
        default=None, description="Value in the change request. Absent if it has none there."
    )


class RollbackConflict(Shape):
    """A field that later revisions changed after the revision that is to be undone."""

    page: Annotated[str, Names("Page")] = Field(
        description="Id of the page, the file or the reusable content that the conflict is in. Empty for "
        "variables and redirects of the space."
    )
    field: str = Field(description="Field that was changed twice, named as in a conflict of a merge.")
    base: ConflictValue = Field(
        default=None, description="Value that the revision made. Absent if it made none."
    )
    main: ConflictValue = Field(
        default=None, description="Value in the content now. Absent if it has none there."
    )
    before: ConflictValue = Field(
        default=None, description="Value before the revision. Absent if there was none."
    )


class MergeOut(Shape):
    """The outcome of a merge, or of a dry run of one."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the space: the one that the merge made, or the one before if nothing "
        "was merged."
    )
    result: MergeResult = Field(description="Outcome of the merge.")
    conflicts: list[ConflictOut] | None = Field(
        default=None, description="Conflicts, settled or not. Absent if there are none."
    )


class ConflictsOut(Shape):
    """What stands in the way of merging a change request."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Revision of the space that the change request was compared with."
    )
    mergeable: bool = Field(description="Whether it can be merged without settling a conflict.")
    conflicts: list[ConflictOut] = Field(description="Conflicts. Empty if there are none.")


class UpdateOut(Shape):
    """The outcome of bringing newer main content into a change request."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the change request: the one that the update made, or the one before "
        "if it was up to date."
    )
    result: UpdateResult = Field(description="Outcome of the update.")
    conflicts: list[ConflictOut] | None = Field(
        default=None,
        description="Conflicts; the change request keeps its side in each. Absent if there are none.",
    )


class RollbackOut(Shape):
    """The outcome of restoring or reverting a revision, or of a dry run of a revert."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the space: the one that the rollback made, or the one before if "
        "nothing was changed."
    )
    result: RollbackResult = Field(description="Outcome of the rollback.")
    conflicts: list[RollbackConflict] | None = Field(
        default=None, description="Conflicts, settled or not. Absent if there are none."
    )


ENUMERATIONS = (
    Enumeration(
        "ReviewStatus",
        ReviewStatus,
        {
            "approved": "The reviewer agrees with the changes.",
            "changes-requested": "The reviewer asks for other changes.",
        },
    ),
    Enumeration(
        "MergeResult",
        MergeResult,
        {
            "merge": "The change request is merged, or would be.",
            "conflicts": "There are conflicts, and nothing is merged.",
        },
    ),
    Enumeration(
        "UpdateResult",
        UpdateResult,
        {
            "update": "The change request is up to date.",
            "conflicts": "The change request is up to date, and keeps its side in each conflict.",
        },
    ),
    Enumeration(
        "RollbackResult",
        RollbackResult,
        {
            "rollback": "The content went back, or would.",
            "conflicts": "There are conflicts, and nothing went back.",
        },
    ),
    Enumeration(
        "ConflictWinner",
        OnConflict,
        {
            "change-request": "The change request wins.",
            "main": "The main content wins.",
        },
    ),
    Enumeration(
        "RevertConflictWinner",
        OnRevertConflict,
        {
            "revert": "What later revisions changed is reverted too.",
            "main": "What later revisions changed stays.",
        },
    ),
)

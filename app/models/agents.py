"""Changes by agents, and the requests that undo them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field as ShapeField
from sqlalchemy import BigInteger, Index, Integer
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table
from app.models.queries import PageQuery
from app.models.texts import ID_FORM
from app.models.users import UserOut

AgentChangeKind = Literal["change-request", "content", "comment", "reply", "review-request"]
UndoResult = Literal["archived", "reverted", "deleted", "withdrawn", "kept"]
KeptReason = Literal["merged", "changed-since", "answered", "forbidden", "locked", "gone"]
RunName = Annotated[str, ShapeField(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._:-]+$")]
_Row = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER counts up by itself there


class AgentChange(Table, table=True):
    """Something that an agent made with a token, in one of its runs (empty: in none that it named).

    Tokens of an application are one while its authorization lasts: `token_id` is the id of that then.

    `object_id` is what was made: a change request, the branch of a revision with this `number`, a comment, a
    reply, or the person who was asked for a review. The ids outlive what they name.
    """

    __tablename__ = "agent_change"
    __table_args__ = (
        Index(None, "organization_id", "id"),
        Index(None, "organization_id", "token_id", "id"),
        Index(None, "object_id", "token_id"),
    )

    id: int | None = Field(default=None, sa_type=_Row, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    token_id: str = Field(sa_type=Key)
    run: str
    user_id: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    kind: str
    space_id: str = Field(sa_type=Key)
    change_request_id: str | None = Field(default=None, sa_type=Key)
    object_id: str = Field(sa_type=Key)
    number: int | None = None
    created_at: datetime = Field(sa_type=Instant)
    undone_at: datetime | None = Field(default=None, sa_type=Instant)


class AgentChangesQuery(PageQuery):
    """Filters of what agents changed."""

    token: Annotated[str, ID_FORM, Names("Token")] | None = ShapeField(
        default=None,
        max_length=100,
        description="Id of a token as this list shows it. Only what was changed with it.",
    )
    run: RunName | None = ShapeField(
        default=None, description="Name of a run. Only what was changed in runs of this name."
    )


class AgentChangeOut(Shape):
    """A change made by an agent."""

    object: Literal["agent-change"]
    id: str
    token: str = ShapeField(
        description="Id of the token that the agent used. Of an application that renews its tokens it "
        "is the id of its sign-in, which stays the same."
    )
    run: str | None = ShapeField(
        default=None, description="Name that the agent gave to its run. Absent if it gave none."
    )
    user: UserOut = ShapeField(description="Person whose token it is.")
    kind: AgentChangeKind = ShapeField(description="Kind of the change.")
    space: Annotated[str, Column("space_id"), Names("Space")] = ShapeField(description="Space that it is in.")
    change_request: Annotated[str | None, Column("change_request_id"), Names("ChangeRequest")] = ShapeField(
        default=None, description="Id of the change request that it is in. Absent if it is in none."
    )
    target: Annotated[str, Column("object_id")] = ShapeField(
        description="Id of what was made: of the comment, the reply, the change request or the person asked "
        "for a review. Of content the id of the change request or the space that was written in."
    )
    number: int | None = ShapeField(
        default=None, description="Number of the revision that was made. Only of content."
    )
    created_at: datetime
    undone_at: datetime | None = ShapeField(
        default=None, description="When it was undone. Absent if it was not."
    )


class AgentUndo(Change):
    """The changes of an agent in the organization to undo."""

    token: Annotated[str, ID_FORM, Names("Token")] = ShapeField(
        min_length=1,
        max_length=100,
        description="Id of the token that the agent used, as the list of changes shows it.",
    )
    run: RunName | None = ShapeField(
        default=None, description="Run to undo. All that was changed with the token if left out."
    )


class UndoConflict(Shape):
    """A field that somebody else changed after the agent; it keeps the value that it has now."""

    page: Annotated[str, Names("Page")] = ShapeField(
        description="Id of the page or file. Empty for variables of the space."
    )
    field: str = ShapeField(description="Field that both changed, named as in a conflict of a merge.")


class UndoneChange(Shape):
    """The outcome for one thing that an agent changed."""

    kind: AgentChangeKind = ShapeField(description="Kind of what was changed.")
    result: UndoResult = ShapeField(description="What was done about it.")
    reason: KeptReason | None = ShapeField(
        default=None, description="Why all or a part of it stays. Absent if nothing does."
    )
    space: Annotated[str, Names("Space")] = ShapeField(description="Space that it is in.")
    change_request: Annotated[str | None, Names("ChangeRequest")] = ShapeField(
        default=None, description="Change request that contains it. Absent if there is none."
    )
    target: str = ShapeField(description="Id of what was changed, as in the list of changes.")
    conflicts: list[UndoConflict] | None = ShapeField(
        default=None, description="Fields that keep what somebody else wrote. Absent if there are none."
    )


class AgentUndoOut(Shape):
    """The outcome of undoing an agent's changes."""

    changes: list[UndoneChange] = ShapeField(
        description="What was done, the latest change first; revisions of one branch together."
    )
    remaining: bool = ShapeField(
        description="Whether changes remain, because one call undoes a limited number. Call again to "
        "continue."
    )


ENUMERATIONS = (
    Enumeration(
        "AgentChangeKind",
        AgentChangeKind,
        {
            "change-request": "A change request was opened.",
            "content": "Content was written, in a change request or in a space.",
            "comment": "A comment was posted.",
            "reply": "A reply was posted.",
            "review-request": "A review was requested from somebody.",
        },
    ),
    Enumeration(
        "UndoResult",
        UndoResult,
        {
            "archived": "The change request was archived, with all that is in it.",
            "reverted": "The content was reverted, except for what was written afterwards.",
            "deleted": "It was deleted.",
            "withdrawn": "The request for a review was withdrawn.",
            "kept": "Nothing was done.",
        },
    ),
    Enumeration(
        "UndoKeptReason",
        KeptReason,
        {
            "merged": "The change request is merged: what it brought is reverted by its revision.",
            "changed-since": "Somebody else changed the same fields afterwards, or works in the change "
            "request.",
            "answered": "Somebody else replied to the comment.",
            "forbidden": "The caller may not change it.",
            "locked": "The space is locked, or the change request is archived.",
            "gone": "It is not there any more.",
        },
    ),
)

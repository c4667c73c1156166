"""Change requests and their reviews."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import Change, Column, Enumeration, Names, Shape, Table, UrlOut, absent
from app.models.documents import Body, JSONDocument
from app.models.queries import PageQuery
from app.models.texts import Label
from app.models.users import UserOut

Status = Literal["draft", "open", "archived", "merged"]
SettableStatus = Literal["draft", "open", "archived"]
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
    subject_folded: str = Field(sa_column_kwargs={"server_default": ""})  # what the filter looks in
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
    """A change request to open. It begins as a draft."""

    subject: Subject = Field(default="", description="Title of the change request, up to 100 characters.")
    description: Body | None = Field(default=None, description="What the change request is for.")
    agent_task_id: str | None = Field(
        default=None,
        max_length=256,
        description="Id of the task that the change request implements, in a system of yours. It is "
        "returned as it was sent.",
    )


class ChangeRequestUpdate(Change):
    """Changes to a change request. What is left out stays as it is."""

    subject: Subject = absent("Title of the change request, up to 100 characters.")
    description: Body | None = Field(
        default=None, description="What the change request is for. Null removes it."
    )
    status: SettableStatus = absent(
        "New status. Only a merge makes a change request `merged`, and that is final."
    )


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) or value is None else [value]


Statuses = Annotated[list[Status], BeforeValidator(_listed)]


class ChangeRequestQuery(PageQuery):
    """Filters of the change requests of a space."""

    status: Statuses = Field(
        default=["open"],
        description="Only change requests with one of these statuses.",
    )
    creator: Annotated[str, Names("User")] | None = Field(
        default=None, max_length=100, description="Only change requests that this user created."
    )
    contributor: Annotated[str, Names("User")] | None = Field(
        default=None,
        max_length=100,
        description="Only change requests that this user edited or commented on.",
    )
    search: str | None = Field(
        default=None,
        max_length=128,
        description="Only change requests whose subject contains this text, in any case, or that have this "
        "number (`12` or `#12`).",
    )


class OrganizationChangeRequestQuery(ChangeRequestQuery):
    """Filters of the change requests of an organization."""

    requested_reviewer: Annotated[str, Names("User")] | None = Field(
        default=None,
        max_length=100,
        description="Only change requests that this user was asked to review and has not reviewed yet.",
    )
    site: Annotated[str, Names("Site")] | None = Field(
        default=None, max_length=100, description="Only change requests of spaces that this site has."
    )
    space: Annotated[str, Names("Space")] | None = Field(
        default=None, max_length=100, description="Only change requests of this space."
    )
    order_by: OrderBy = Field(default="updatedAt", description="Time by which to sort, the newest first.")


class ChangeRequestUrls(Shape):
    """Addresses of a change request."""

    app: UrlOut
    location: UrlOut


class ChangeRequestOut(Shape):
    """Edits of a space that are reviewed, discussed and merged as one (specification, ChangeRequest)."""

    object: Literal["change-request"]
    id: str
    number: int = Field(
        description="Number of the change request in its space, from 1. It is accepted wherever an address "
        "takes the id."
    )
    status: Status = Field(description="State of the change request.")
    subject: str = Field(description="Title of the change request. It may be empty.")
    description: JSONDocument | None = Field(
        default=None, description="What the change request is for. Absent if nothing was written."
    )
    created_by: UserOut = Field(description="Person who opened it.")
    created_at: datetime
    updated_at: datetime
    space: Annotated[str, Names("Space")] = Field(description="Space whose content it changes.")
    revision: Annotated[str, Column("revision_id"), Names("Revision")] = Field(
        description="Active revision of the change request. Until something is written in it, that is a "
        "revision of the space."
    )
    revision_initial: Annotated[str, Names("Revision")] = Field(
        description="Revision of the space from which it was opened."
    )
    revision_merged_ancestor: Annotated[str, Names("Revision")] | None = Field(
        default=None,
        description="Revision of the space up to which it was last updated. Absent if it never was.",
    )
    revision_merged: Annotated[str, Names("Revision")] | None = Field(
        default=None, description="Revision of the space that the merge made. Absent until it is merged."
    )
    merged_by: UserOut | None = Field(
        default=None, description="Person who merged it. Absent until it is merged."
    )
    merged_at: datetime | None = Field(default=None, description="When it was merged. Absent until then.")
    comments: int = Field(description="Number of open comments on it.")
    outdated: bool = Field(
        description="Whether the space has newer content than the change request is based on. False once "
        "it is merged."
    )
    agent_task_id: str | None = Field(
        default=None, description="Id of the task that it implements, as it was sent. Absent if none was."
    )
    urls: ChangeRequestUrls


ContributionKind = Literal["edit", "comment"]


class Contribution(Table, table=True):
    """The number of edits and comments by one person on a change request, and the time of the last."""

    change_request_id: str = Field(sa_type=Key, primary_key=True, foreign_key="change_request.id")
    user_id: str = Field(sa_type=Key, primary_key=True, foreign_key="user_account.id", index=True)
    kind: str = Field(sa_type=Key, primary_key=True)
    count: int
    updated_at: datetime = Field(sa_type=Instant)


class ContributorOut(Shape):
    """A person who edited or discussed a change request."""

    user: UserOut = Field(description="Person who contributed.")
    count: int = Field(description="How often the person did so.")
    updated_at: datetime = Field(description="When the person last did so.")
    action_type: Annotated[ContributionKind, Column("kind")] = Field(
        description="Kind of the contribution. A person who did both is listed once for each."
    )


ENUMERATIONS = (
    Enumeration(
        "ChangeRequestStatus",
        Status,
        {
            "draft": "It is being written. Every change request begins so.",
            "open": "It is ready for review.",
            "archived": "It is set aside: nothing can be written or merged.",
            "merged": "It is part of the content of the space. This is final.",
        },
    ),
    Enumeration(
        "SettableChangeRequestStatus",
        SettableStatus,
        {
            "draft": "It is being written.",
            "open": "It is ready for review.",
            "archived": "It is set aside: nothing can be written or merged.",
        },
    ),
    Enumeration(
        "ChangeRequestOrderField",
        OrderBy,
        {
            "updatedAt": "The time of the last change.",
            "createdAt": "The time of creation.",
        },
    ),
    Enumeration(
        "ContributionType",
        ContributionKind,
        {
            "edit": "The person changed the content.",
            "comment": "The person commented.",
        },
    ),
)

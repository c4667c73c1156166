"""Lines and revisions: a revision is a numbered step on a line, which is a space or a change request.

Everything that a revision holds is kept by validity: a row is valid from one revision number of its line
until (not including) another; open rows are the current content.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field as ShapeField
from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Shape, Table
from app.models.changes import ConflictValue
from app.models.files import FileOut
from app.models.pages import PageOut
from app.models.queries import PageQuery
from app.models.users import UserOut

RollbackResult = Literal["rollback", "conflicts"]
OnRevertConflict = Literal["revert", "main"]
RevisionType = Literal["edits", "merge", "update", "rollback", "computed"]


class Revision(Table, table=True):
    """A step on a line. Revisions never change. A change request's stand on a number of the main line."""

    __table_args__ = (Index(None, "line_id", "number", unique=True),)

    id: str = Field(sa_type=Key, primary_key=True)
    space_id: str = Field(sa_type=Key, foreign_key="space.id", index=True)
    line_id: str = Field(sa_type=Key)
    number: int
    base_number: int | None = None
    parents: list[str] = Field(sa_type=Json)
    type: str
    author_id: str | None = Field(default=None, sa_type=Key)
    merged_from: str | None = Field(default=None, sa_type=Key)
    git: dict[str, Any] | None = Field(default=None, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)


class LineProperties(Table, table=True):
    """What a line says as a whole: variables, and the structure files its repository came with."""

    __tablename__ = "line_properties"

    line_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    valid_to: int | None = None
    variables: dict[str, Any] = Field(sa_type=Json)
    redirects: dict[str, str] = Field(sa_type=Json)
    summary_source: str | None = None
    settings_source: str | None = None
    variables_source: str | None = None


class ReusableVersion(Table, table=True):
    """A block of content that pages include, by validity."""

    __tablename__ = "reusable_version"

    line_id: str = Field(sa_type=Key, primary_key=True)
    reusable_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    valid_to: int | None = None
    title: str
    source: str = Field(sa_type=Key)
    front_matter: str
    document_id: str = Field(sa_type=Key, foreign_key="document.id", index=True)
    deleted: bool = Field(sa_column_kwargs={"server_default": false()})


class GitOrigin(Shape):
    """Where in a repository something came from."""

    oid: str | None = None
    path: str | None = None


class ReusableContentOut(Shape):
    """A reusable block (specification, Revision)."""

    id: str
    title: str
    document: str
    git: GitOrigin | None = None


class RevisionGit(Shape):
    """The commit that a revision was made from."""

    oid: str
    message: str | None = None
    created_by_service: bool | None = None
    url: str | None = None
    ref: str | None = None


class RevisionUrls(Shape):
    """Addresses of a revision; `published` and `public` while it is what a site shows (see SpaceUrls)."""

    app: str
    published: str | None = None
    public: str | None = None


class RevisionOut(Shape):
    """A revision with the tree of its pages and its files (specification, Revision)."""

    object: Literal["revision"]
    id: str
    parents: list[str]
    pages: list[PageOut]
    files: list[FileOut]
    reusable_contents: list[ReusableContentOut]
    variables: dict[str, str | int | float | bool]
    created_at: datetime
    git: RevisionGit | None = None
    urls: RevisionUrls
    type: RevisionType
    merged_from: str | None = None
    source_revision: str | None = None


class SnapshotOut(Shape):
    """A revision of a space as a place to read in (GraphQL)."""

    object: Literal["snapshot"]
    space: str
    revision: str


class Revert(Change):
    """How to take a revision back: what becomes of conflicts, or only what would happen."""

    on_conflict: OnRevertConflict | None = None
    dry_run: bool = False


class RollbackConflict(Shape):
    """Where later revisions changed the same: what the revision made, what it is now, what it was."""

    page: str
    field: str
    base: ConflictValue = None
    main: ConflictValue = None
    before: ConflictValue = None


class RollbackOut(Shape):
    """What going back did, or would do."""

    revision: str
    result: RollbackResult
    conflicts: list[RollbackConflict] | None = None


class PagesOut(Shape):
    """The pages of a revision as a tree."""

    pages: list[PageOut]


class ImportOut(Shape):
    """What an import did (specification, Content reference lists)."""

    revision: Annotated[str, Column("revision_id")]
    imported_resources: Annotated[int, Column("imported")]
    total_resources: Annotated[int, Column("total")]


class HistoryQuery(PageQuery):
    """Which revisions are told."""

    page_id: str | None = ShapeField(
        default=None, max_length=100, description="only those that changed this page"
    )


class HistoryEntryOut(Shape):
    """A revision without its content: when it was made, by whom, and out of what.

    `author` made the revision; of a merge that is who merged. `contributors` wrote what it brings: of a merge
    those who edited its change request, at most fifty. What came from a
    repository names its commit instead.
    """

    object: Literal["revision"]
    id: str
    number: int
    type: RevisionType
    parents: list[str]
    merged_from: str | None = None
    author: UserOut | None = None
    contributors: list[UserOut]
    created_at: datetime
    git: RevisionGit | None = None
    urls: RevisionUrls


ENUMERATIONS = (
    Enumeration(
        "RevisionType",
        RevisionType,
        {
            "edits": "",
            "merge": "",
            "update": "",
            "rollback": "",
            "computed": "",
        },
    ),
    Enumeration(
        "RollbackResult",
        RollbackResult,
        {
            "rollback": "",
            "conflicts": "",
        },
    ),
    Enumeration(
        "RevertConflictWinner",
        OnRevertConflict,
        {
            "revert": "",
            "main": "",
        },
    ),
)

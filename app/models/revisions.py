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
from app.models.base import Enumeration, Names, Shape, Table, UrlOut
from app.models.files import FileOut
from app.models.pages import PageOut, Variables
from app.models.queries import PageQuery
from app.models.users import UserOut

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
    author_id: str | None = Field(default=None, sa_type=Key, index=True)
    merged_from: str | None = Field(default=None, sa_type=Key)
    git: dict[str, Any] | None = Field(default=None, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)


class LineProperties(Table, table=True):
    """The properties of a line as a whole: variables, and the structure files its repository came with."""

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
    """Place of a reusable content in a Git repository."""

    oid: str | None = ShapeField(default=None, description="Object id of the Git blob.")
    path: str | None = ShapeField(default=None, description="Path of the file in the repository.")


class ReusableContentOut(Shape):
    """A reusable content: a text that several pages include (specification, Revision)."""

    id: str
    title: str = ShapeField(description="Title of the reusable content. Pages do not show it.")
    document: Annotated[str, Names("Document")] = ShapeField(description="Id of the document with its text.")
    git: GitOrigin | None = ShapeField(
        default=None,
        description="Place of the reusable content in a repository. Absent if it did not come from Git.",
    )


class RevisionGit(Shape):
    """The Git commit that a revision was made from."""

    oid: str = ShapeField(description="Id of the commit.")
    message: str | None = ShapeField(default=None, description="Message of the commit.")
    created_by_service: bool | None = ShapeField(default=None, description="Whether Docyard made the commit.")
    url: str | None = ShapeField(
        default=None, description="Address of the commit. Absent if the host of the repository is not known."
    )
    ref: str | None = ShapeField(default=None, description="Branch, tag or commit that was imported.")


class RevisionUrls(Shape):
    """Addresses of a revision."""

    app: UrlOut
    published: UrlOut | None = ShapeField(
        default=None,
        description="Address on a published site. Absent unless it is the active revision of a space that "
        "a site shows.",
    )
    public: UrlOut | None = ShapeField(
        default=None,
        description="Address on a published site that anybody can open. Absent if there is none.",
    )


class RevisionOut(Shape):
    """The content of a space or a change request at one moment (specification, Revision)."""

    object: Literal["revision"]
    id: str
    parents: Annotated[list[str], Names("Revision")] = ShapeField(
        description="Revisions that it followed: none for the first, two for merges and updates."
    )
    pages: list[PageOut] = ShapeField(description="Pages at the root, each with the pages below it.")
    files: list[FileOut] = ShapeField(description="All files.")
    reusable_contents: list[ReusableContentOut] = ShapeField(description="All reusable contents.")
    variables: Variables = ShapeField(description="Variables of the space, by their names.")
    created_at: datetime
    git: RevisionGit | None = ShapeField(
        default=None,
        description="Git commit that the revision was made from. Absent for other revisions.",
    )
    urls: RevisionUrls
    type: RevisionType = ShapeField(description="What made the revision.")
    merged_from: Annotated[str, Names("ChangeRequest")] | None = ShapeField(
        default=None, description="Change request that was merged. Only of merges."
    )
    source_revision: Annotated[str, Names("Revision")] | None = ShapeField(
        default=None, description="Revision before the pages were computed anew. Only of the type `computed`."
    )


class SnapshotOut(Shape):
    """A revision of a space as a place to read in."""

    object: Literal["snapshot"]
    space: Annotated[str, Names("Space")] = ShapeField(description="Space of the revision.")
    revision: Annotated[str, Names("Revision")] = ShapeField(description="The revision.")


class PagesOut(Shape):
    """The pages of a space, a change request or a revision."""

    pages: list[PageOut] = ShapeField(description="Pages at the root, each with the pages below it.")


class HistoryQuery(PageQuery):
    """Query parameters that select the revisions to return."""

    page_id: Annotated[str, Names("Page")] | None = ShapeField(
        default=None, max_length=100, description="Only revisions that changed the page with this id."
    )


class HistoryEntryOut(Shape):
    """A revision in the history of a space or a change request, without its content."""

    object: Literal["revision"]
    id: str
    number: int = ShapeField(
        description="Number of the revision in the history of its space or its change request, from 1."
    )
    type: RevisionType = ShapeField(description="What made the revision.")
    parents: Annotated[list[str], Names("Revision")] = ShapeField(
        description="Revisions that it followed: none for the first, two for merges and updates."
    )
    merged_from: Annotated[str, Names("ChangeRequest")] | None = ShapeField(
        default=None, description="Change request that was merged. Only of merges."
    )
    author: UserOut | None = ShapeField(
        default=None,
        description="Person who made the revision; of a merge, who merged. Absent if no person did.",
    )
    contributors: list[UserOut] = ShapeField(
        description="People who wrote the changes of the revision: for a merge, up to 50 people who edited "
        "the change request; otherwise the author. Empty for changes from a repository."
    )
    created_at: datetime
    git: RevisionGit | None = ShapeField(
        default=None, description="Git commit that the revision was made from. Absent for other revisions."
    )
    urls: RevisionUrls


ENUMERATIONS = (
    Enumeration(
        "RevisionType",
        RevisionType,
        {
            "edits": "A batch of changes or an import.",
            "merge": "The merge of a change request.",
            "update": "Newer content of the space, brought into a change request.",
            "rollback": "A restored or reverted revision.",
            "computed": "A new version of what pages are computed from.",
        },
    ),
)

"""Imports of content, from addresses and as runs that callers follow.

Imports in the background, as runs that callers follow.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import (
    Change,
    Choice,
    Choices,
    Column,
    Enumeration,
    Location,
    Names,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
    one_of,
)
from app.models.change_requests import Subject
from app.models.files import FILE_SOURCES, UploadId
from app.models.import_problems import ImportProblemCauseOut, ImportProblemCountOut, ImportProblemOut
from app.models.users import UserOut

ImportSource = Literal[
    "website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"
]


class ImportBody(Shape):
    """The source of an import from an address."""

    url: Url = Field(description="Public address to import from.")
    source: ImportSource = Field(
        description="What is at the address. `markdown`, `html`, `docx`, `zip` and `website` can be "
        "imported; others are refused."
    )


class ImportOut(Shape):
    """The outcome of an import (specification, Content reference lists)."""

    revision: Annotated[str, Column("revision_id"), Names("Revision")] = Field(
        description="Revision that the import created. If it changed nothing, the current revision."
    )
    imported_resources: Annotated[int, Column("imported")] = Field(
        description="Number of pages, files and reusable contents that were imported."
    )
    total_resources: Annotated[int, Column("total")] = Field(
        description="Number of those that were found, with those that were left out."
    )


ImportRunStatus = Literal["pending", "in-progress", "completed", "failed", "cancelled"]


ImportRunSourceType = Literal["website", "file"]


MOST_FILES = 100


Id = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class ImportRun(Table, table=True):
    """An import that a job does. `attempt` is the one that counts: an earlier one has lost the run.

    `space_id` and `change_request_id` are where the content goes; a run that makes its space, or opens its
    change request with `change_request_subject`, has none before it is completed.
    `agent_task_id` is the task of the agent that started it, if one did: it brings no pictures of other
    servers. `problems` is the report, of which `more_problems` were left out.
    """

    __tablename__ = "import_run"
    __table_args__ = (Index(None, "organization_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    created_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    source: dict[str, Any] = Field(sa_type=Json)
    space_id: str | None = Field(default=None, sa_type=Key, index=True)
    change_request_id: str | None = Field(default=None, sa_type=Key)
    change_request_subject: str | None = None
    agent_task_id: str | None = None
    page_id: str | None = Field(default=None, sa_type=Key)
    site_id: str | None = Field(default=None, sa_type=Key)
    status: str
    attempt: int
    pages_read: int
    pages_found: int
    result: dict[str, Any] | None = Field(default=None, sa_type=Json)
    error: str | None = None
    problems: list[dict[str, Any]] | None = Field(default=None, sa_type=Json)
    more_problems: int
    created_at: datetime = Field(sa_type=Instant)
    started_at: datetime | None = Field(default=None, sa_type=Instant)
    ended_at: datetime | None = Field(default=None, sa_type=Instant)


class ImportFile(Table, table=True):
    """A file that was sent for an import run, kept until the run ends."""

    __tablename__ = "import_file"

    run_id: str = Field(sa_type=Key, primary_key=True, foreign_key="import_run.id", ondelete="CASCADE")
    name: str = Field(sa_type=Key, primary_key=True)
    blob_id: str = Field(sa_type=Key, foreign_key="blob.id", index=True)


class ImportFileSent(Change):
    """A file to import.

    The ending of its name says what it is: `.md`, `.html`, `.docx`, `.zip`, or a file that pages show.
    """

    model_config = one_of({"url": {}}, {"base64": {}}, {"upload": {}}, only=True)
    choices = FILE_SOURCES

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)] = Field(
        description="Name of the file, from 1 to 256 characters. It may be a path, and is unique in the run."
    )
    url: Url = absent("Public address to fetch the bytes from. Not together with `base64` or `upload`.")
    base64: str = absent("The bytes in base64. Not together with `url` or `upload`.")
    upload: UploadId = absent("Id of an upload that has the bytes. Not together with `url` or `base64`.")


class ImportRunSourceSent(Change):
    """The source of an import: a website or files."""

    model_config = one_of({"type": {"const": "website"}, "url": {}}, {"type": {"const": "file"}, "files": {}})
    choices = Choices(
        {
            "website": Choice(
                "url", "Address of a website; the pages below it are imported.", {"type": "website"}
            ),
            "files": Choice("files", "Files to import, from 1 to 100.", {"type": "file"}),
        }
    )

    type: ImportRunSourceType = Field(description="Kind of the source.")
    url: Url = absent(
        "Address of the website; the pages below it are imported. Needed by the type `website`."
    )
    files: Annotated[list[ImportFileSent], Len(1, MOST_FILES)] = absent(
        "Files to import, from 1 to 100. Needed by the type `file`."
    )


class ImportTargetSent(Change):
    """The target of an import. Without a space a new one is made at the root of the organization."""

    space: Annotated[Id, Names("Space")] = absent("Id of the space to import into.")
    change_request: Annotated[Id, Names("ChangeRequest")] = absent(
        "Id or number of the change request of the space to import into. The space itself if left out."
    )
    change_request_subject: Subject = absent(
        "Opens a change request with this subject, up to 100 characters, when the content is written: a run "
        "that fails or is cancelled opens none. Needs `space`; not together with `changeRequest`."
    )
    page: Annotated[Id, Names("Page")] = absent(
        "Id of the page to put the content under; a single document becomes its text. The root if left out."
    )


class ImportRunCreate(Change):
    """An import to start."""

    source: ImportRunSourceSent = Field(description="What to import.")
    target: ImportTargetSent = Field(description="Where to put it.")
    site: Annotated[Id, Names("Site")] = absent(
        "Id of a site that is to show the space once the import is completed. Not together with a "
        "change request."
    )
    enhance: bool = Field(
        default=False, description="Only false is accepted: imported content is not rewritten."
    )


class ImportFileOut(Shape):
    """A file of an import run."""

    name: str = Field(description="Name of the file.")
    url: str | None = Field(
        default=None, description="Address that the file is fetched from. Absent if its bytes were sent."
    )


class ImportRunSourceOut(Shape):
    """The source of an import run: a website or files."""

    type: ImportRunSourceType = Field(description="Kind of the source.")
    url: UrlOut | None = Field(
        default=None, description="Address of the website. Only of the type `website`."
    )
    files: list[ImportFileOut] | None = Field(
        default=None, description="Files that are imported. Only of the type `file`."
    )


class ImportTargetOut(Shape):
    """The target of an import run."""

    space: Annotated[str, Names("Space")] | None = Field(
        default=None,
        description="Space that receives the content. Absent until the run is completed if it creates a new "
        "space.",
    )
    change_request: Annotated[str, Names("ChangeRequest")] | None = Field(
        default=None,
        description="Change request that the content goes to. Absent if it goes to the space itself, and if "
        "the run is to open it and is not completed.",
    )
    page: Annotated[str, Names("Page")] | None = Field(
        default=None, description="Page that the content goes under. Absent if it goes to the root."
    )


class ImportProgressOut(Shape):
    """The progress of an import run."""

    pages_read: int = Field(description="Number of pages read so far.")
    pages_found: int = Field(description="Number of pages found so far.")


class ImportRunOut(Shape):
    """An import that a job does in the background."""

    object: Literal["import-run"]
    id: str
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization that the run belongs to."
    )
    status: ImportRunStatus = Field(description="State of the run.")
    source: ImportRunSourceOut = Field(description="What is imported.")
    target: ImportTargetOut = Field(description="Where the content goes.")
    site: Annotated[str | None, Column("site_id"), Names("Site")] = Field(
        default=None, description="Site that is to show the space. Absent if none was named."
    )
    progress: ImportProgressOut = Field(description="How far the run is.")
    result: ImportOut | None = Field(
        default=None, description="Outcome of the import. Absent until the run is completed."
    )
    error: str | None = Field(
        default=None, description="Why the run failed, in a sentence for people. Absent unless it failed."
    )
    problems: list[ImportProblemOut] | None = Field(
        default=None, description="The first 200 problems. Absent until the run is completed, and in lists."
    )
    more_problems: int = Field(
        description="Number of problems beyond those that are returned for a single run."
    )
    problem_counts: list[ImportProblemCountOut] = Field(
        description="Number of problems by kind, the most frequent first. Empty until the run is completed."
    )
    problem_causes: list[ImportProblemCauseOut] = Field(
        description="The problems by their cause, the most frequent first, at most 100 causes. Empty until"
        " the run is completed."
    )
    created_by: UserOut = Field(description="Person who started the run.")
    created_at: datetime
    started_at: datetime | None = Field(
        default=None, description="When the job began with it. Absent until then."
    )
    ended_at: datetime | None = Field(default=None, description="When it ended. Absent until then.")
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "ImportSource",
        ImportSource,
        {
            "website": "A website: the pages below the address.",
            "docx": "One word processor document (.docx).",
            "markdown": "One Markdown file.",
            "html": "One HTML page.",
            "zip": "An archive with a folder of Markdown files.",
            "confluence": "A Confluence space. Not supported.",
            "github-wiki": "A GitHub wiki. Not supported.",
            "notion": "A Notion workspace. Not supported.",
            "google-docs": "A Google Docs document. Not supported.",
        },
    ),
    Enumeration(
        "ImportRunStatus",
        ImportRunStatus,
        {
            "pending": "It waits for its turn.",
            "in-progress": "The source is being read.",
            "completed": "It has written the content as one revision.",
            "failed": "The import failed and wrote nothing; `error` says why.",
            "cancelled": "It was cancelled and has written nothing.",
        },
    ),
    Enumeration(
        "ImportRunSourceType",
        ImportRunSourceType,
        {
            "website": "The pages of a website.",
            "file": "Files.",
        },
    ),
)

"""Imports of content, from addresses and as runs that callers follow."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Len
from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Location, Shape, Table, Url, absent, one_of
from app.models.revisions import ImportOut
from app.models.users import UserOut

ImportSource = Literal[
    "website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"
]


class ImportBody(Shape):
    """What to import: an address, and what is found there."""

    url: Url
    source: ImportSource


ImportRunStatus = Literal["pending", "in-progress", "completed", "failed", "cancelled"]
ImportRunSourceType = Literal["website", "file"]
ImportProblemKind = Literal[
    "broken-link", "condition", "missing-file", "duplicate", "navigation", "unsupported", "undecodable",
    "skipped",
]  # fmt: skip
MOST_FILES = 100
Id = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class ImportRun(Table, table=True):
    """An import that a job does. `attempt` is the one that counts: an earlier one has lost the run.

    `space_id` is where the content goes; a run that makes its space has none before it is completed.
    `problems` is the report, of which `more_problems` were left out.
    """

    __tablename__ = "import_run"
    __table_args__ = (Index(None, "organization_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    created_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    source: dict[str, Any] = Field(sa_type=Json)
    space_id: str | None = Field(default=None, sa_type=Key, index=True)
    change_request_id: str | None = Field(default=None, sa_type=Key)
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
    """A file to import: its path, and its bytes as `base64` or where they can be fetched.

    The ending of the name says what it is: `.md`, `.html`, `.docx`, `.zip`, or a file that pages show.
    """

    model_config = one_of({"url": {}}, {"base64": {}}, only=True)

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    url: Url = absent()
    base64: str = absent()


class ImportRunSourceSent(Change):
    """What to import: the pages of a website, or files."""

    model_config = one_of({"type": {"const": "website"}, "url": {}}, {"type": {"const": "file"}, "files": {}})

    type: ImportRunSourceType
    url: Url = absent()
    files: Annotated[list[ImportFileSent], Len(1, MOST_FILES)] = absent()


class ImportTargetSent(Change):
    """Where to put the content: in a space, one of its change requests, or below a page of either.

    Without a space a new one is made at the root of the organization.
    """

    space: Id = absent()
    change_request: Id = absent()
    page: Id = absent()


class ImportRunCreate(Change):
    """An import to start. `site` shows the space when the import is completed.

    `enhance` may only be false: nothing here rewrites content.
    """

    source: ImportRunSourceSent
    target: ImportTargetSent
    site: Id = absent()
    enhance: bool = False


class ImportFileOut(Shape):
    """A file of an import run by its name, with its address where it is fetched."""

    name: str
    url: str | None = None


class ImportRunSourceOut(Shape):
    """What an import run imports."""

    type: ImportRunSourceType
    url: str | None = None
    files: list[ImportFileOut] | None = None


class ImportTargetOut(Shape):
    """Where the content goes. A run that makes its space names it when it is completed."""

    space: str | None = None
    change_request: str | None = None
    page: str | None = None


class ImportProgressOut(Shape):
    """How many pages an import run has read, of those that it has found."""

    pages_read: int
    pages_found: int


class ImportProblemOut(Shape):
    """Something that an import could not keep as it was: a page left out, a link that leads nowhere.

    `file` is a file, or the address of a page.
    """

    kind: ImportProblemKind
    file: str
    message: str
    line: int | None = None


class ImportRunOut(Shape):
    """An import run. Lists leave `problems` out; `moreProblems` counts those that are not told."""

    object: Literal["import-run"]
    id: str
    organization: Annotated[str, Column("organization_id")]
    status: ImportRunStatus
    source: ImportRunSourceOut
    target: ImportTargetOut
    site: Annotated[str | None, Column("site_id")] = None
    progress: ImportProgressOut
    result: ImportOut | None = None
    error: str | None = None
    problems: list[ImportProblemOut] | None = None
    more_problems: int
    created_by: UserOut
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    urls: Location


ENUMERATIONS = (
    Enumeration(
        "ImportSource",
        ImportSource,
        {
            "website": "",
            "docx": "",
            "markdown": "",
            "html": "",
            "zip": "",
            "confluence": "",
            "github-wiki": "",
            "notion": "",
            "google-docs": "",
        },
    ),
    Enumeration(
        "ImportRunStatus",
        ImportRunStatus,
        {
            "pending": "",
            "in-progress": "",
            "completed": "",
            "failed": "",
            "cancelled": "",
        },
    ),
    Enumeration(
        "ImportRunSourceType",
        ImportRunSourceType,
        {
            "website": "",
            "file": "",
        },
    ),
    Enumeration(
        "ImportProblemKind",
        ImportProblemKind,
        {
            "broken-link": "",
            "condition": "",
            "missing-file": "",
            "duplicate": "",
            "navigation": "",
            "unsupported": "",
            "undecodable": "",
            "skipped": "",
        },
    ),
)

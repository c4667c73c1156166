"""OpenAPI specifications of an organization: where they come from, how reading them went, their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints
from sqlalchemy import Index
from sqlmodel import Field

from app.kit.database.columns import Instant, Json, Key
from app.models.base import Change, Column, Enumeration, Location, Permissions, Shape, Table, Url, absent
from app.models.texts import Form

ProcessingState = Literal["pending", "progress", "complete"]
ProcessErrorCode = Literal["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"]
SpecVisibility = Literal["private", "public"]
SpecFormat = Literal["json", "yaml"]
LONGEST_SLUG = 100
SLUG_PATTERN = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
Slug = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_SLUG),
    Form(SLUG_PATTERN, "lower-case letters and digits, with single hyphens between them"),
]


class OpenAPISpec(Table, table=True):
    """A specification. Its source is an address, or a text that is kept as a blob.

    `run` is the processing that counts: one that was asked for earlier comes too late. `last_version` is the
    newest of its versions, which failures leave as it is.
    """

    __tablename__ = "openapi_spec"
    __table_args__ = (
        Index(None, "organization_id", "slug", unique=True),
        Index(None, "organization_id", "id"),
    )

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    slug: str = Field(sa_type=Key)
    source_url: str | None = None
    text_blob_id: str | None = Field(default=None, sa_type=Key, foreign_key="blob.id", index=True)
    visibility: str
    state: str
    run: str
    last_version: str | None = Field(default=None, sa_type=Key)
    processed_at: datetime | None = Field(default=None, sa_type=Instant)
    errors: list[dict[str, str]] | None = Field(default=None, sa_type=Json)
    warnings: list[dict[str, str]] | None = Field(default=None, sa_type=Json)
    created_at: datetime = Field(sa_type=Instant)
    updated_at: datetime = Field(sa_type=Instant)


class OpenAPIVersion(Table, table=True):
    """What a specification said from some moment on. `content_hash` is over the bytes of all its files.

    `content_blob_id` are the files as data, `bundle_blob_id` all of them in one document where there are
    several, `pages_blob_id` the pages that they become; `entry` is the name of the file to begin with.
    """

    __tablename__ = "openapi_version"
    __table_args__ = (Index(None, "spec_id", "id"),)

    id: str = Field(sa_type=Key, primary_key=True)
    spec_id: str = Field(sa_type=Key, foreign_key="openapi_spec.id", ondelete="CASCADE")
    content_hash: str
    entry: str
    content_blob_id: str = Field(sa_type=Key, foreign_key="blob.id", index=True)
    bundle_blob_id: str | None = Field(default=None, sa_type=Key, foreign_key="blob.id", index=True)
    pages_blob_id: str = Field(sa_type=Key, foreign_key="blob.id", index=True)
    created_at: datetime = Field(sa_type=Instant)


class OpenAPIFile(Table, table=True):
    """A file of a version as it was fetched or sent, with what the next conditional request needs."""

    __tablename__ = "openapi_file"

    version_id: str = Field(
        sa_type=Key, primary_key=True, foreign_key="openapi_version.id", ondelete="CASCADE"
    )
    name: str = Field(sa_type=Key, primary_key=True)
    url: str | None = None
    format: str
    entrypoint: bool
    blob_id: str = Field(sa_type=Key, foreign_key="blob.id", index=True)
    size: int
    etag: str | None = None
    modified: str | None = None


class OpenAPISource(Change):
    """Where a specification comes from: an address that is read again from time to time, or a text."""

    url: Url = absent()
    text: Annotated[str, StringConstraints(min_length=1)] = absent()


class OpenAPISpecCreate(Change):
    """A new specification."""

    slug: Slug
    source: OpenAPISource


class OpenAPISpecPut(Change):
    """The source of a specification; the same one again has it read again."""

    source: OpenAPISource


class OpenAPISpecUpdate(Change):
    """Who may read the files of a specification: `public` is everybody who knows the address."""

    visibility: SpecVisibility


class OpenAPISpecPermissions(Permissions):
    """What the caller may do with a specification."""

    view: bool
    edit: bool


class OpenAPISpecUrls(Shape):
    """Addresses of a specification."""

    location: str
    app: str


class ProcessedError(Shape):
    """What was wrong with a specification, or with fetching it."""

    message: str
    code: ProcessErrorCode | None = None


class ProcessedWarning(Shape):
    """A fault of a published specification, and where in it, as names and indexes between slashes."""

    message: str
    path: str


class OpenAPISpecOut(Shape):
    """A specification (specification, OpenAPISpec)."""

    object: Literal["openapi-spec"]
    id: str
    created_at: datetime
    updated_at: datetime
    slug: str
    source_url: str | None = None
    visibility: SpecVisibility
    processing_state: Annotated[ProcessingState, Column("state")]
    last_version: str | None = None
    last_processed_at: Annotated[datetime | None, Column("processed_at")] = None
    last_process_error_code: ProcessErrorCode | None = None
    last_processed_errors: list[ProcessedError] | None = None
    last_processed_warnings: list[ProcessedWarning] | None = None
    permissions: OpenAPISpecPermissions
    urls: OpenAPISpecUrls


class OpenAPISpecVersionOut(Shape):
    """A version of a specification (specification, OpenAPISpecVersion); `url` leads to its file."""

    object: Literal["openapi-spec-version"]
    id: str
    created_at: datetime
    url: str
    urls: Location


class OpenAPIContentOut(Shape):
    """The files of a version by their names, each with `isEntrypoint` and its `specification`."""

    filesystem: dict[str, Any]
    url: str


class OpenAPIRawOut(Shape):
    """The file that a version begins with, as it came."""

    text: str
    format: SpecFormat


ENUMERATIONS = (
    Enumeration(
        "OpenAPIProcessingState",
        ProcessingState,
        {
            "pending": "",
            "progress": "",
            "complete": "",
        },
    ),
    Enumeration(
        "OpenAPIProcessErrorCode",
        ProcessErrorCode,
        {
            "FETCH_TIMEOUT": "",
            "FETCH_ERROR": "",
            "PARSE_ERROR": "",
        },
    ),
    Enumeration(
        "OpenAPISpecVisibility",
        SpecVisibility,
        {
            "private": "",
            "public": "",
        },
    ),
    Enumeration(
        "OpenAPIFormat",
        SpecFormat,
        {
            "json": "",
            "yaml": "",
        },
    ),
)

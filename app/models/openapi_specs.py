"""OpenAPI specifications of an organization: where they come from, how reading them went, their versions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

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
    Permissions,
    Shape,
    Table,
    Url,
    UrlOut,
    absent,
)
from app.models.texts import Form

ProcessingState = Literal["pending", "progress", "complete"]
ProcessErrorCode = Literal["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"]
SpecVisibility = Literal["private", "public"]
SpecFormat = Literal["json", "yaml"]
LONGEST_SLUG = 100
FILE_URL = (
    "Address of the file that the version begins with. Signed and good for one to two days, unless the"
    " specification is public."
)
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
    """The content of a specification from some moment on. `content_hash` is over the bytes of all its files.

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
    """The source of a specification: an address that is read again from time to time, or a text."""

    choices = Choices(
        {
            "url": Choice(
                "url",
                "Address of the specification, at most 2,048 characters. Files that it refers to must be on "
                "the same server.",
            ),
            "text": Choice(
                "text", "The specification itself as JSON or YAML. It must not refer to other files."
            ),
        }
    )

    url: Url = absent(
        "Address of the specification, at most 2,048 characters. Files that it refers to must be on the same"
        " server."
    )
    text: Annotated[str, StringConstraints(min_length=1)] = absent(
        "The specification itself as JSON or YAML. It must not refer to other files."
    )


class OpenAPISpecCreate(Change):
    """A new specification."""

    slug: Slug = Field(
        description="Name of the specification in URLs, unique in the organization. At most 100 lower-case "
        "letters and digits, with single hyphens between them."
    )
    source: OpenAPISource = Field(description="Where the specification comes from.")


class OpenAPISpecPut(Change):
    """The source of a specification; the same one again has it read again."""

    source: OpenAPISource = Field(description="Where the specification comes from.")


class OpenAPISpecUpdate(Change):
    """The readers of a specification's files: `public` is everybody who knows the address."""

    visibility: SpecVisibility = Field(description="Who may read the files of the specification.")


class OpenAPISpecPermissions(Permissions):
    """The permissions of the caller for a specification."""

    view: bool = Field(description="Whether the caller may see the specification and its versions.")
    edit: bool = Field(description="Whether the caller may change and delete the specification.")


class OpenAPISpecUrls(Shape):
    """Addresses of a specification."""

    location: UrlOut
    app: UrlOut


class ProcessedError(Shape):
    """A fault of a specification, or of fetching it."""

    message: str = Field(description="What was wrong, in a sentence.")
    code: ProcessErrorCode | None = Field(default=None, description="Kind of the error.")


class ProcessedWarning(Shape):
    """A fault of a published specification, and where in it."""

    message: str = Field(description="What is not valid, in a sentence.")
    path: str = Field(description="Place in the specification: names and indexes between slashes.")


class OpenAPISpecOut(Shape):
    """An OpenAPI specification of an organization (specification, OpenAPISpec)."""

    object: Literal["openapi-spec"]
    id: str
    created_at: datetime
    updated_at: datetime
    slug: str = Field(description="Name of the specification in URLs, unique in the organization.")
    source_url: UrlOut | None = Field(
        default=None,
        description="Address that the specification is read from. Absent if it was sent as a text.",
    )
    visibility: SpecVisibility = Field(description="Who may read the files of the specification.")
    processing_state: Annotated[ProcessingState, Column("state")] = Field(
        description="How far the latest reading of the source is."
    )
    last_version: Annotated[str, Names("OpenAPISpecVersion")] | None = Field(
        default=None, description="Newest version. Absent before the first."
    )
    last_processed_at: Annotated[datetime | None, Column("processed_at")] = Field(
        default=None, description="When the source was last read to the end, well or badly."
    )
    last_process_error_code: ProcessErrorCode | None = Field(
        default=None, description="Why the latest reading failed. Absent if it did not."
    )
    last_processed_errors: list[ProcessedError] | None = Field(
        default=None, description="What the latest reading failed at. Absent if it did not."
    )
    last_processed_warnings: list[ProcessedWarning] | None = Field(
        default=None, description="Faults of the newest version. Absent if it has none."
    )
    permissions: OpenAPISpecPermissions
    urls: OpenAPISpecUrls


class OpenAPISpecVersionOut(Shape):
    """A version of a specification, which never changes (specification, OpenAPISpecVersion)."""

    object: Literal["openapi-spec-version"]
    id: str
    created_at: datetime
    url: UrlOut = Field(description=FILE_URL)
    urls: Location


class OpenAPIContentFile(Shape):
    """A file of a version of a specification, as data."""

    is_entrypoint: bool = Field(description="Whether the specification begins with this file.")
    specification: Any = Field(description="Content of the file, as JSON.")


class OpenAPIContentOut(Shape):
    """The files of a version of a specification, as data."""

    filesystem: dict[str, OpenAPIContentFile] = Field(description="Files of the version by their names.")
    url: UrlOut = Field(description=FILE_URL)


class OpenAPIRawOut(Shape):
    """The file that a version begins with, as it came."""

    text: str = Field(description="Text of the file.")
    format: SpecFormat = Field(description="Format of the text.")


ENUMERATIONS = (
    Enumeration(
        "OpenAPIProcessingState",
        ProcessingState,
        {
            "pending": "The source was set; reading it has not begun.",
            "progress": "The source is being fetched and checked.",
            "complete": "The source was read, well or badly.",
        },
    ),
    Enumeration(
        "OpenAPIProcessErrorCode",
        ProcessErrorCode,
        {
            "FETCH_TIMEOUT": "The server of the source did not answer in time.",
            "FETCH_ERROR": "The server of the source refused, sent too much, or is not at a public address.",
            "PARSE_ERROR": "The specification is not valid JSON or YAML, its operations and schemas cannot be"
            " read, or it refers to what does not exist.",
        },
    ),
    Enumeration(
        "OpenAPISpecVisibility",
        SpecVisibility,
        {
            "private": "Files have signed addresses that members get and that end after two days at most.",
            "public": "Everybody who has the address of a file may read it.",
        },
    ),
    Enumeration(
        "OpenAPIFormat",
        SpecFormat,
        {
            "json": "JSON.",
            "yaml": "YAML.",
        },
    ),
)

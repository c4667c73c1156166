"""Files of a space: metadata by validity, bytes by hash.

Uploads: files that are sent by themselves, before a change of content or an import names them.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as ShapeField
from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Instant, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import WHOLE, Choice, Choices, Column, Names, Shape, Table, UrlOut


class Blob(Table, table=True):
    """Bytes by the hash of them (SHA-256 in hexadecimal), stored once however many files hold them.

    Those of an upload that is being received have a random id until all of them are there.
    They begin in `data` and go on in `BlobPart`; or they are in the object of the bucket that `place` names,
    and `data` is empty.
    """

    id: str = Field(sa_type=Key, primary_key=True)
    data: bytes = Field(sa_type=Bytes)
    place: str | None = Field(default=None, sa_type=Key)


class BlobPart(Table, table=True):
    """A later piece of many bytes, so that none has to be read with all the others."""

    __tablename__ = "blob_part"

    blob_id: str = Field(sa_type=Key, primary_key=True, foreign_key="blob.id", ondelete="CASCADE")
    start: int = Field(primary_key=True)
    data: bytes = Field(sa_type=Bytes)


class FileVersion(Table, table=True):
    """A file from one revision of its line until another."""

    __tablename__ = "file_version"
    __table_args__ = (
        index_of_open_rows("ix_file_version_current", "line_id", "file_id", "valid_from"),
        index_of_open_rows("ix_file_version_source", "line_id", "source"),
        index_of_closed_rows("ix_file_version_closed"),
        Index("ix_file_version_blob", "blob_id"),
    )

    line_id: str = Field(sa_type=Key, primary_key=True)
    file_id: str = Field(sa_type=Key, primary_key=True)
    valid_from: int = Field(primary_key=True)
    valid_to: int | None = None
    name: str
    source: str | None = Field(default=None, sa_type=Key)
    content_type: str
    size: int
    width: int | None = None
    height: int | None = None
    blob_id: str = Field(sa_type=Key, foreign_key="blob.id")
    git_oid: str | None = None
    deleted: bool = Field(sa_column_kwargs={"server_default": false()})


class Dimensions(Shape):
    """Width and height of a picture."""

    width: int = Field(description="Width in pixels.")
    height: int = Field(description="Height in pixels.")


class FileGit(Shape):
    """Place of a file in the Git repository that it came from."""

    oid: str | None = Field(default=None, description="Object id of the Git blob.")
    path: str | None = Field(default=None, description="Path of the file in the repository.")


class FileOut(Shape):
    """A file of a space, such as a picture or an attachment (specification, File)."""

    id: Annotated[str, Column("file_id")]
    name: str = Field(description="Name of the file, with its ending.")
    content_type: str = Field(
        description="Media type, which follows from the ending of the name, such as `image/png`."
    )
    download_url: UrlOut = Field(
        description="Signed URL of the content. It needs no token and works for one to two days; read the "
        "file again for a new one. In a change request or a revision it returns exactly this "
        "content, in a space the current content of the file."
    )
    size: int = Field(description="Size in bytes.")
    dimensions: Dimensions | None = Field(
        default=None,
        description="Dimensions of an image. Absent for other files and if they are unknown.",
    )
    git: FileGit | None = Field(
        default=None,
        description="Place of the file in the Git repository that it was synchronised with. Absent for "
        "files that did not come from Git.",
    )


LARGEST_UPLOAD = 100_000_000  # bytes
_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_MEDIA_TYPE = re.compile(rf"{_TOKEN}/{_TOKEN}(?:; ?{_TOKEN}={_TOKEN})*")

FileName = Annotated[str, StringConstraints(min_length=1, max_length=256)]


def _media_type(text: str) -> str:
    if not _MEDIA_TYPE.fullmatch(text):
        raise ValueError("must be a media type such as image/png")
    return text


MediaType = Annotated[
    str,
    StringConstraints(max_length=100),
    AfterValidator(_media_type),
    ShapeField(json_schema_extra={"pattern": f"^{_MEDIA_TYPE.pattern}$"}),
]
UploadId = Annotated[str, StringConstraints(min_length=1, max_length=100), Names("Upload")]
FILE_SOURCES = Choices(
    {
        "url": Choice("url", "Public address to fetch the bytes from."),
        "base64": Choice("base64", "The bytes in base64; in a change of content at most 1,000,000 of them."),
        "upload": Choice("upload", "Id of an upload that has the bytes."),
    },
    within="source",
    description="Where the bytes of the file are.",
)


class Upload(Table, table=True):
    """A file that was announced, until a change of content or an import uses it, or for a day.

    `blob_id` is set once all bytes are there. While they arrive, they are stored as the blob `draft_id`,
    whose id is random. Where they are sent to a bucket, `place` is the object that the caller writes.
    """

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id", index=True)
    created_by: str = Field(sa_type=Key, foreign_key="user_account.id", index=True)
    name: str
    content_type: str
    size: int
    place: str | None = Field(default=None, sa_type=Key)
    draft_id: str | None = Field(default=None, sa_type=Key)
    blob_id: str | None = Field(default=None, sa_type=Key, foreign_key="blob.id", index=True)
    created_at: datetime = Field(sa_type=Instant)


class UploadCreate(Shape):
    """A file to upload."""

    name: FileName = Field(description="Name of the file. Its ending decides what kind of file it is.")
    content_type: MediaType | None = Field(
        default=None,
        description="Media type to store in a bucket, by default that of the name. What the file is served as"
        " follows from its name alone.",
    )
    size: Annotated[int, Field(ge=0, le=LARGEST_UPLOAD), WHOLE] = Field(
        description="Size of the file in bytes, at most 100 MB. Exactly as many bytes have to be sent.",
    )


class UploadHeader(Shape):
    """A header to send with the bytes of an upload."""

    name: str = Field(description="Name of the header.")
    value: str = Field(description="Value of the header.")


class UploadOut(Shape):
    """A file that is uploaded separately and then used in a content change or an import.

    It can be used once, by who created it, within a day.
    """

    object: Literal["upload"]
    id: str = Field(description="Id of the upload, for `upload` of a file in a change or an import.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization in which the upload can be used."
    )
    name: str = Field(description="Name of the file as it was announced.")
    content_type: str = Field(description="Media type of the file, as announced or by its name.")
    size: int = Field(description="Size of the file in bytes, as it was announced.")
    received: bool = Field(
        description="Whether all bytes have arrived. Of an upload to a bucket that shows at its first use."
    )
    method: Literal["PUT"] = Field(description="HTTP method to send the bytes with.")
    upload_url: UrlOut = Field(
        description="Signed address to send the bytes to. It needs no token, and whoever has it may use it."
    )
    headers: list[UploadHeader] = Field(description="Headers to send with the bytes.")
    expires_at: datetime = Field(description="Time until which the bytes have to be sent.")

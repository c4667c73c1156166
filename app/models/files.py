"""Files of a space: metadata by validity, bytes by hash."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Column, Shape, Table


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
    download_url: str = Field(
        description="Signed address of the bytes. It needs no token and works for at least a day and at "
        "most two. Read the file again for a new one. In a change request or a revision it "
        "leads to these very bytes, in a space to the file as it is then."
    )
    size: int = Field(description="Size in bytes.")
    dimensions: Dimensions | None = Field(
        default=None,
        description="Dimensions of a picture. Absent for other files, and for pictures of which they are "
        "not known.",
    )
    git: FileGit | None = Field(
        default=None,
        description="Place of the file in the Git repository that it was synchronised with. Absent for "
        "files that came otherwise, and with `metadata=false`.",
    )

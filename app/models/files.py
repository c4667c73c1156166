"""Files of a space: metadata by validity, bytes by hash."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Index, false
from sqlmodel import Field

from app.kit.database.columns import Bytes, Key, index_of_closed_rows, index_of_open_rows
from app.models.base import Column, Shape, Table


class Blob(Table, table=True):
    """Bytes by the hash of them (SHA-256 in hexadecimal), stored once however many files hold them.

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
    """Width and height of an image, in pixels."""

    width: int
    height: int


class FileGit(Shape):
    """Where in a repository a file came from."""

    oid: str | None = None
    path: str | None = None


class FileOut(Shape):
    """A file (specification, File). `downloadURL` is signed and works for a day at least."""

    id: Annotated[str, Column("file_id")]
    name: str
    content_type: str
    download_url: str
    size: int
    dimensions: Dimensions | None = None
    git: FileGit | None = None

"""Files of a space: metadata by validity, bytes by hash."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from app.kit.columns import Bytes, Key, index_of_open_rows
from app.models.base import Shape, Table


class Blob(Table, table=True):
    """Bytes by the hash of them, stored once however many files hold them."""

    id: str = Field(sa_type=Key, primary_key=True)
    data: bytes = Field(sa_type=Bytes)


class FileVersion(Table, table=True):
    """A file from one revision of its line until another."""

    __tablename__ = "file_version"
    __table_args__ = (
        index_of_open_rows(
            "ix_file_version_current",
            "line_id",
            "file_id",
        ),
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

    id: str
    name: str
    content_type: str
    download_url: str
    size: int
    dimensions: Dimensions | None = None
    git: FileGit | None = None

"""Uploads: files that are sent by themselves, before a change of content or an import names them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic import Field as ShapeField
from sqlmodel import Field

from app.kit.database.columns import Instant, Key
from app.models.base import WHOLE, Column, Names, Shape, Table

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
UploadId = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Upload(Table, table=True):
    """A file that was announced, until a change of content or an import uses it, or for a day.

    `blob_id` is set once all bytes are there. While they arrive, they are stored as the blob `draft_id`,
    whose id is random. Where they are sent to a bucket, `place` is the object that the caller writes.
    """

    id: str = Field(sa_type=Key, primary_key=True)
    organization_id: str = Field(sa_type=Key, foreign_key="organization.id")
    created_by: str = Field(sa_type=Key, foreign_key="user_account.id")
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
    """A file to be sent by itself and then used by a change of content or an import.

    It can be used once, by who created it, within a day.
    """

    object: Literal["upload"]
    id: str = Field(description="Id of the upload, for `upload` of a file in a change or an import.")
    organization: Annotated[str, Column("organization_id"), Names("Organization")] = Field(
        description="Organization in which the upload may be used."
    )
    name: str = Field(description="Name of the file as it was announced.")
    content_type: str = Field(description="Media type of the file, as announced or by its name.")
    size: int = Field(description="Size of the file in bytes, as it was announced.")
    received: bool = Field(
        description="Whether all bytes have arrived. Of an upload to a bucket that shows at its first use."
    )
    method: Literal["PUT"] = Field(description="HTTP method to send the bytes with.")
    upload_url: str = Field(
        description="Signed address to send the bytes to. It needs no token, and whoever has it may use it."
    )
    headers: list[UploadHeader] = Field(description="Headers to send with the bytes.")
    expires_at: datetime = Field(description="Time until which the bytes have to be sent.")

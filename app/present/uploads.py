"""Uploads as their creators see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.access.context import Context
from app.models.uploads import UploadOut
from app.present import links
from app.present.shape import Presenter, presenter

if TYPE_CHECKING:
    from app.domain.uploads.uploads import CreatedUpload

BYTES = "application/octet-stream"  # what no gateway in between takes for text


def _headers(_cx: Context, made: CreatedUpload) -> list[dict[str, str]]:
    kind = BYTES if made.destination.url is None else made.row.content_type
    return [{"name": "Content-Type", "value": kind}]


upload: Presenter[Context, CreatedUpload] = presenter(
    UploadOut,
    of="row",
    received=lambda _cx, made: made.row.blob_id is not None,
    upload_url=links.upload,
    headers=_headers,
    expires_at=lambda _cx, made: made.expires_at,
)

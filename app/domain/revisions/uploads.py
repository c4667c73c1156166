"""Files that callers send: decoded or fetched before the transaction, kept once by their bytes' hash."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.domain.revisions.drafts import Draft
from app.domain.revisions.paths import free_source
from app.domain.revisions.records import FileRecord
from app.formats.images import content_type, dimensions
from app.formats.repository.files import ASSETS
from app.formats.repository.names import safe_file_name
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.models.content_changes import LARGEST_FILE, ContentChanges, FileUpload

if TYPE_CHECKING:
    from app.kit.settings import Settings


@dataclass(slots=True, frozen=True)
class Upload:
    """A file as it came."""

    name: str
    data: bytes


@dataclass(slots=True)
class _Fetching:
    """What is left of the time and the bytes that all files which one batch fetches share."""

    settings: Settings
    ends: float
    room: int

    async def fetch(self, url: str, path: str) -> bytes:
        """Return the bytes at an address; raises Invalid with the reason why there are none."""
        from app.kit.http.outbound import AnswerTooLarge, Outbound, OutboundError

        settings, most = self.settings, self.settings.outbound_max_bytes
        outbound = Outbound(settings.allowed_hosts, settings.outbound_timeout, most)
        try:
            data = (await outbound.fetch(url, max_bytes=self.room, deadline=self.ends)).body
        except AnswerTooLarge:
            together = f"The files that a batch fetches may have at most {most:,} bytes together."
            raise Invalid(together, path=path) from None
        except OutboundError as error:
            raise Invalid(error.message, path=path) from None
        self.room -= len(data)
        return data


async def gather(cx: Context, body: ContentChanges) -> dict[int, list[Upload]]:
    """Return the files of a batch by the place of their change."""
    found: dict[int, list[Upload]] = {}
    settings = cx.settings
    ends = time.monotonic() + settings.import_timeout
    fetching = _Fetching(settings, ends, settings.outbound_max_bytes)
    for index, change in enumerate(body.changes):
        if change.operation == "insert_files" and "files" in change.model_fields_set:
            path = f"changes.{index}.files"
            files = enumerate(change.files)
            found[index] = [await _upload(fetching, file, f"{path}.{n}") for n, file in files]
    return found


async def _upload(fetching: _Fetching, file: FileUpload, path: str) -> Upload:
    if (file.url is None) == (file.base64 is None):
        raise Invalid("Give `url` or `base64`.", path=path)
    if file.url is not None:
        return Upload(file.name, await fetching.fetch(file.url, f"{path}.url"))
    if file.content_type is None:
        raise Invalid("`base64` needs a content type.", path=f"{path}.contentType")
    data = await blobs.decoded(file.base64 or "", f"{path}.base64")
    if len(data) > LARGEST_FILE:
        raise Invalid(f"A file in a request may have at most {LARGEST_FILE:,} bytes.", path=f"{path}.base64")
    return Upload(file.name, data)


async def file_rows(draft: Draft, uploads: Sequence[Upload]) -> list[FileRecord]:
    """Keep the bytes of new files; their rows, which the draft has now."""
    rows: list[FileRecord] = []
    for upload in uploads:
        rows.append(row := await _row(draft, upload))
        draft.files[row.file_id] = row  # so that the next one gets another place
    kept = {row.blob_id: upload.data for row, upload in zip(rows, uploads, strict=True)}
    space = draft.line.space
    await blobs.keep(draft.cx, kept, space.organization_id, space.id)
    return rows


async def _row(draft: Draft, upload: Upload) -> FileRecord:
    name = safe_file_name(upload.name)
    kind = content_type(name)
    size = dimensions(kind, upload.data)
    return FileRecord(
        file_id=new_id(),
        name=name,
        source=await free_source(draft, ASSETS + name),
        content_type=kind,
        size=len(upload.data),
        width=size[0] if size else None,
        height=size[1] if size else None,
        blob_id=sha256(upload.data).hexdigest(),
    )

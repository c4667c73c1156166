"""A batch of changes under way: its draft, what its refs mean, and the files that callers send for it.

Files that callers send: decoded, fetched or uploaded before the transaction, kept once by their hash.

A batch of changes under way: its draft, what its refs mean, and what it did so far.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.domain.revisions.drafts import Draft
from app.domain.revisions.paths import free_source
from app.domain.revisions.records import FileRecord, PageRecord
from app.domain.uploads import uploads
from app.formats.images import MOST as HEADER
from app.formats.images import content_type, dimensions
from app.formats.repository.files import ASSETS
from app.formats.repository.names import clean_title, safe_file_name
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.models.base import wire_name
from app.models.content_changes import LARGEST_FILE, ChangedKind, ContentChange, ContentChanges, FileUpload
from app.models.files import Upload

if TYPE_CHECKING:
    from app.kit.settings import Settings


@dataclass(slots=True, frozen=True)
class NewFile:
    """A file as it came. Of one that was uploaded, `data` is only the beginning, and `uploaded` has the id of
    its upload by the path that names it."""

    name: str
    data: bytes
    size: int
    blob_id: str
    uploaded: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, data: bytes) -> NewFile:
        """Return a file that is here as a whole."""
        return cls(name, data, len(data), sha256(data).hexdigest())


@dataclass(slots=True)
class FileFetching:
    """The rest of the time and the bytes that all files which one batch fetches share."""

    settings: Settings
    ends: float
    room: int

    async def fetch(self, url: str, path: str) -> bytes:
        """Return the bytes at an address; raises Invalid with the reason why there are none."""
        from app.kit.http.outbound import Outbound, OutboundError, ResponseTooLarge

        settings, most = self.settings, self.settings.outbound_max_bytes
        outbound = Outbound(settings.allowed_hosts, settings.outbound_timeout, most)
        try:
            data = (await outbound.fetch(url, max_bytes=self.room, deadline=self.ends)).body
        except ResponseTooLarge:
            together = f"The files that a batch fetches may have at most {most:,} bytes together."
            raise Invalid(together, path=path) from None
        except OutboundError as error:
            raise Invalid(error.message, path=path) from None
        self.room -= len(data)
        return data


async def gather(cx: Context, organization_id: str, body: ContentChanges) -> dict[int, list[NewFile]]:
    """Return the files of a batch by the place of their change, those with an address fetched from there.

    Raises Invalid, naming the file, for one that does not come in one way or that cannot be had, and for an
    agent that would have one fetched.
    """
    sent = {
        index: [(f"changes.{index}.files.{n}", file) for n, file in enumerate(change.files)]
        for index, change in enumerate(body.changes)
        if change.operation == "insert_files" and "files" in change.model_fields_set
    }
    uploaded: dict[str, str] = {}
    for path, file in (each for files in sent.values() for each in files):
        _check(file, path)
        if file.url is not None and cx.actor.is_agent:  # its address could carry what was read
            raise Invalid("Agents may not have anything fetched from other servers.", path=f"{path}.url")
        if file.upload is not None:
            uploaded[f"{path}.upload"] = file.upload
    found = await uploads.find(cx, organization_id, uploaded)
    ends = time.monotonic() + cx.settings.import_timeout
    fetching = FileFetching(cx.settings, ends, cx.settings.outbound_max_bytes)
    return {
        index: [await _new_file(cx, fetching, found, file, path) for path, file in files]
        for index, files in sent.items()
    }


def _check(file: FileUpload, path: str) -> None:
    """Refuse a file that does not come in one way."""
    if sum(way is not None for way in (file.url, file.base64, file.upload)) != 1:
        raise Invalid("Give one of `url`, `base64` and `upload`.", path=path)
    if file.base64 is not None and file.content_type is None:
        raise Invalid("`base64` needs a content type.", path=f"{path}.contentType")


async def _new_file(
    cx: Context, fetching: FileFetching, found: Mapping[str, Upload], file: FileUpload, path: str
) -> NewFile:
    if file.upload is not None:
        upload = found[f"{path}.upload"]
        assert upload.blob_id is not None
        beginning = await _beginning(cx, file.name, upload.blob_id, upload.size)
        return NewFile(file.name, beginning, upload.size, upload.blob_id, {f"{path}.upload": upload.id})
    if file.url is not None:
        return NewFile.of(file.name, await fetching.fetch(file.url, f"{path}.url"))
    data = await blobs.decoded(file.base64 or "", f"{path}.base64")
    if len(data) > LARGEST_FILE:
        raise Invalid(f"A file in a request may have at most {LARGEST_FILE:,} bytes.", path=f"{path}.base64")
    return NewFile.of(file.name, data)


async def _beginning(cx: Context, name: str, blob_id: str, size: int) -> bytes:
    """Return as much of an uploaded file as tells its dimensions, if it is a picture."""
    if not content_type(safe_file_name(name)).startswith("image/"):
        return b""
    pieces = blobs.pieces(cx, blob_id, 0, min(size, HEADER))
    return b"".join([piece async for piece in pieces])


async def file_rows(draft: Draft, files: Sequence[NewFile]) -> list[FileRecord]:
    """Keep the bytes of new files; their rows, which the draft has now."""
    rows: list[FileRecord] = []
    for file in files:
        rows.append(row := await row_of(draft, file))
        draft.files[row.file_id] = row  # so that the next one gets another place
    space = draft.line.space
    kept = {file.blob_id: file.data for file in files if not file.uploaded}
    if kept:
        await blobs.keep(draft.cx, kept, space.organization_id, space.id)
    used = {path: upload_id for file in files for path, upload_id in file.uploaded.items()}
    await uploads.take(draft.cx, space.organization_id, space.id, used)
    return rows


async def row_of(draft: Draft, file: NewFile) -> FileRecord:
    """Return the row of a new file, at a place that is free."""
    name = safe_file_name(file.name)
    kind = content_type(name)
    size = dimensions(kind, file.data)
    return FileRecord(
        file_id=new_id(),
        name=name,
        source=await free_source(draft, ASSETS + name),
        content_type=kind,
        size=file.size,
        width=size[0] if size else None,
        height=size[1] if size else None,
        blob_id=file.blob_id,
    )


@dataclass(slots=True)
class PageOutcome:
    """The effect of one change on a page."""

    kind: ChangedKind
    page_id: str
    ref: str | None = None


@dataclass(slots=True)
class Batch:
    """Changes that are made in their order on one draft. `new_files` are those that came, by change.

    `files` are those that it made with their refs, `reusable` what callers are told of new contents.
    """

    draft: Draft
    new_files: Mapping[int, Sequence[NewFile]]
    done: list[PageOutcome] = field(default_factory=list)
    files: list[tuple[FileRecord, str | None]] = field(default_factory=list)
    reusable: list[dict[str, str | None]] = field(default_factory=list)

    @property
    def cx(self) -> Context:
        """Return the call's surroundings."""
        return self.draft.cx

    def id_of(self, name: str) -> str:
        """Return the id that an id or a ref means."""
        return self.draft.refs.get(name, name)

    async def page(self, name: str, path: str) -> PageRecord:
        """Return the page that an id or ref names; raises Invalid where there is none (any more)."""
        page = await self.draft.page(self.id_of(name))
        if page is None:
            raise Invalid("There is no such page.", path=path)
        return page

    async def file(self, name: str, path: str) -> str:
        """Return the id of the file that an id or ref names;
        raises Invalid where there is none (any more).
        """
        draft, file_id = self.draft, self.id_of(name)
        if file_id not in draft.files:
            await draft.read_files([file_id])
        if draft.file(file_id) is None:
            raise Invalid("There is no such file.", path=path)
        return file_id

    def remember(self, ref: str | None, made_id: str, path: str) -> None:
        """Remember what a ref means; raises Invalid where it means something already."""
        if ref is None:
            return
        if ref in self.draft.refs:
            raise Invalid("Another change of this batch has the same ref.", path=f"{path}.ref")
        self.draft.refs[ref] = made_id


def needs(change: ContentChange, path: str, *names: str) -> None:
    """Refuse a change that lacks one of these fields."""
    for name in names:
        if name not in change.model_fields_set:
            where = f"{path}.{wire_name(name)}"
            raise Invalid("A change of this kind needs this field.", path=where)


def title_of(title: str, path: str) -> str:
    """Return a title as one clean line, as it is in files; raises Invalid where nothing is left of it."""
    clean = clean_title(title)
    if not clean:
        raise Invalid("A title needs at least one visible character.", path=path)
    return clean

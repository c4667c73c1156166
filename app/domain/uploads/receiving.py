"""Receiving the bytes of an upload, here or from the bucket: measured, hashed and kept.

Receiving the bytes of an upload: a piece at a time, so that no file is in memory as a whole.

The pieces are a draft in the database until all bytes are there. Of several requests to one address at the
same time, the one that began last is accepted, and the others get a conflict.

Uploads that were sent to the bucket: measured, hashed and kept when something names them first.

The signed address of an object stays valid for an hour, whatever happens to it. So its bytes are first
copied, inside of the bucket, to an object that nobody has an address of; that one is measured and hashed.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256

from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain.infrastructure import blobs
from app.domain.infrastructure.blobs import PIECE
from app.domain.jobs import NOBODY, JobRuntime
from app.kit.database.interface import Transaction
from app.kit.database.statements import given, query, table
from app.kit.errors import Conflict, Invalid, NotFound, Problem, TooLarge
from app.kit.ids import new_id
from app.kit.s3 import S3Bucket
from app.models.files import Upload

ACTION = AuditAction("upload", "receiveUpload")
_SIGNATURE = re.compile(r"([0-9]{1,12})\.([0-9A-Za-z_-]+)")
_NOT_VALID = "This address is not valid, or has expired."
_OVERTAKEN = "Another request began to send bytes to this address; these are not kept."
UPLOADS = table(Upload)
_FIND = query(Upload, lambda: select(*UPLOADS.c).where(UPLOADS.c.id == given("id")))


async def find(cx: Context, signature: str, upload_id: str) -> Upload:
    """Return the upload of a signed address; raises NotFound where that is wrong, or too old."""
    said = _SIGNATURE.fullmatch(signature)
    if said is None or not cx.signer.good("upload", f"{upload_id} {said[1]}", said[2]):
        raise NotFound(_NOT_VALID)
    if int(said[1]) < cx.now.timestamp():
        raise NotFound(_NOT_VALID)
    return await _current(cx, upload_id)


def check_length(upload: Upload, length: int) -> None:
    """Raise TooLarge where a body of this length, or with so many bytes so far, is more than announced."""
    if length > upload.size:
        raise TooLarge(f"The upload was announced with {upload.size:,} bytes; these are more.")


async def receive(runtime: JobRuntime, upload: Upload, body: AsyncIterator[bytes]) -> str:
    """Store the bytes of an upload; return their SHA-256 in hexadecimal.

    Nothing is kept of a body that is not as long as announced: raises TooLarge, or Invalid where it is too
    short. The same bytes may be sent again; raises Conflict for others, and where somebody else began to send
    meanwhile.
    """
    digest, draft = sha256(), _PartialUpload(runtime, upload.id)
    try:
        async for piece in _pieces(body, upload):
            digest.update(piece)
            if upload.blob_id is None:
                await draft.add(piece)
        if upload.blob_id is None:
            await draft.complete(digest.hexdigest())
        elif upload.blob_id != digest.hexdigest():
            raise Conflict("Other bytes were sent to this address before; create another upload.")
    except BaseException:
        with suppress(Problem):  # the caller is told what went wrong first
            await draft.remove()
        raise
    return digest.hexdigest()


async def _pieces(body: AsyncIterator[bytes], upload: Upload) -> AsyncIterator[bytes]:
    """Yield the body of an upload in pieces as they are stored; an empty body is one empty piece."""
    waiting, received, size = bytearray(), 0, upload.size
    async for part in body:
        received += len(part)
        check_length(upload, received)
        waiting += part
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    if received < size:
        raise Invalid(f"The upload was announced with {size:,} bytes; these are {received:,}.", path="body")
    if waiting or not size:
        yield bytes(waiting)


async def _current(cx: Context, upload_id: str) -> Upload:
    row = await cx.db.first(_FIND, id=upload_id)
    if row is None:
        raise NotFound(_NOT_VALID)
    return row


class _PartialUpload:
    """The bytes of an upload as far as one request has sent them."""

    def __init__(self, runtime: JobRuntime, upload_id: str) -> None:
        self._runtime = runtime
        self._upload_id = upload_id
        self._id: str | None = None
        self._size = 0

    async def add(self, piece: bytes) -> None:
        """Store the next piece; raises Conflict where another request began meanwhile."""
        if self._id is None:
            self._id = await self._runtime.write(NOBODY, lambda cx: self._begin(cx, piece), ACTION)
        else:
            await self._extend(self._id, piece)
        self._size += len(piece)

    async def complete(self, blob_id: str) -> None:
        """Keep the bytes by their hash, for the upload; raises Conflict like `add`."""

        async def keep(cx: Context) -> None:
            row = await _current(cx, self._upload_id)
            if self._id is None or row.draft_id != self._id:
                raise Conflict(_OVERTAKEN)
            await blobs.complete_draft(cx, self._id, blob_id)
            await cx.tx.put(Upload, {"blob_id": blob_id, "draft_id": None}, id=row.id)

        await self._runtime.write(NOBODY, keep, ACTION)

    async def remove(self) -> None:
        """Remove what was stored, unless another request did so."""

        async def remove(cx: Context) -> None:
            row = await cx.db.first(_FIND, id=self._upload_id)
            if row is not None and row.draft_id is not None and row.draft_id == self._id:
                await cx.tx.put(Upload, {"draft_id": None}, id=row.id)
                await blobs.remove_draft(cx, row.draft_id)

        if self._id is not None:
            await self._runtime.write(NOBODY, remove, ACTION)

    async def _begin(self, cx: Context, piece: bytes) -> str:
        row = await _current(cx, self._upload_id)
        if row.blob_id is not None:
            raise Conflict(_OVERTAKEN)
        if row.draft_id is not None:
            await blobs.remove_draft(cx, row.draft_id)
        draft_id = await blobs.begin_draft(cx, piece)
        await cx.tx.put(Upload, {"draft_id": draft_id}, id=row.id)
        return draft_id

    async def _extend(self, draft_id: str, piece: bytes) -> None:
        try:
            await self._runtime.write(
                NOBODY, lambda cx: blobs.extend_draft(cx, draft_id, self._size, piece), ACTION
            )
        except Conflict:
            raise Conflict(_OVERTAKEN) from None


RANGE = 4 << 20  # bytes that are read at a time


async def accept(cx: Context, upload: Upload, path: str) -> Upload | None:
    """Return an upload whose object is in the bucket, with its bytes kept by their hash.

    One without an object is returned as it is; None where the upload is gone meanwhile. Raises Invalid,
    naming the path, where the object has another size than was announced; it is removed then.
    """
    assert upload.place is not None
    bucket = blobs.bucket(cx.settings)
    sent = await bucket.size(upload.place)
    if sent is None:
        return upload
    if sent != upload.size:
        await bucket.remove([upload.place])
        raise _differs(upload, sent, path)
    place = f"uploaded/{upload.id}.{new_id()}"
    try:
        await bucket.copy(upload.place, place)
        copied = await bucket.size(place)
        if copied != upload.size:
            raise _differs(upload, copied or 0, path)
        blob_id = await _hash(bucket, place, upload.size)
    except BaseException:
        await bucket.remove([place])
        raise
    return await _keep(cx, upload, blob_id, place)


def _differs(upload: Upload, size: int, path: str) -> Invalid:
    return Invalid(f"The upload was announced with {upload.size:,} bytes; {size:,} were sent.", path=path)


async def _hash(bucket: S3Bucket, place: str, size: int) -> str:
    """Return the SHA-256 of an object in hexadecimal, read a part at a time."""
    digest = sha256()
    for start in range(0, size, RANGE):
        part = await bucket.read_range(place, start, min(start + RANGE, size))
        digest.update(part)
    return digest.hexdigest()


async def _keep(cx: Context, upload: Upload, blob_id: str, place: str) -> Upload | None:
    """Keep the bytes for the upload, whatever becomes of the call that names it."""

    async def keep(tx: Transaction) -> Upload | None:
        inside = replace(cx, db=tx)
        row = await tx.first(_FIND, id=upload.id)
        if row is None or row.blob_id is not None:  # another call was quicker
            await blobs.remove_later(inside, [place], due_at=cx.now)
            return row
        await blobs.keep_object(inside, blob_id, place)
        return await tx.change(Upload, {"blob_id": blob_id}, id=row.id)

    assert cx.home is not None
    return await cx.home.write(keep)

"""Uploads that were sent to the bucket: measured, hashed and kept when something names them first.

The signed address of an object stays valid for an hour, whatever happens to it. So its bytes are first
copied, inside of the bucket, to an object that nobody has an address of; that one is measured and hashed.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from sqlalchemy import select

from app.access.context import Context
from app.domain.infrastructure import blobs
from app.kit.database.interface import Transaction
from app.kit.database.statements import given, query, table
from app.kit.errors import Invalid
from app.kit.ids import new_id
from app.kit.s3 import S3Bucket
from app.models.uploads import Upload

RANGE = 4 << 20  # bytes that are read at a time
_u = table(Upload)
_FIND = query(Upload, lambda: select(*_u.c).where(_u.c.id == given("id")))


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

"""The bytes of files: kept once by their hash, in the database or, by setting, in a bucket.

In the database they are cut into pieces: the first is in `blob`, the others in `blob_part`. Files from before
there were pieces are whole in `blob`, and read like that.

Where there is a bucket, the row in `blob` says that the bytes exist and in which object. Every object has a
name of its own and belongs to the one row that names it, so that removing it, after the commit that removed
the row, can never take bytes that somebody has kept again meanwhile. An object is stored before the
transaction commits; one whose transaction failed is named by no row and harms nobody.

Bytes that arrive slowly are written in the database piece by piece, as a draft: a row with a random id, which
becomes the row of their hash when they are complete.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Delete, Integer, LargeBinary, Select, delete, exists, func, or_, select, update

from app.access.context import Context
from app.domain import jobs
from app.kit import workers
from app.kit.database.columns import Key
from app.kit.database.sql import among
from app.kit.database.statements import by_engine, command, given, insert_into, rows, table
from app.kit.errors import Invalid, Unavailable
from app.kit.ids import new_id
from app.kit.s3 import S3Bucket, open_bucket
from app.kit.settings import Settings
from app.models.files import Blob, BlobPart, FileVersion, Upload
from app.models.imports import ImportFile
from app.models.integrations import IntegrationAsset
from app.models.openapi_specs import OpenAPIFile, OpenAPISpec, OpenAPIVersion

REMOVE_OBJECTS = "remove_objects"
OBJECTS = 500  # removed by one job
SIGNED_FOR = timedelta(minutes=5)  # how long an address of an object is good
PIECE = 1 << 20  # bytes; what is stored is cut so, and this must never change
BLOBS, BLOB_PARTS, FILE_VERSIONS, INTEGRATION_ASSETS = (
    table(Blob),
    table(BlobPart),
    table(FileVersion),
    table(IntegrationAsset),
)
OPENAPI_SPECS, OPENAPI_VERSIONS, OPENAPI_FILES, IMPORT_FILES = (
    table(OpenAPISpec),
    table(OpenAPIVersion),
    table(OpenAPIFile),
    table(ImportFile),
)
UPLOADS = table(Upload)
_HOLDERS = (
    FILE_VERSIONS.c.blob_id,
    OPENAPI_SPECS.c.text_blob_id,
    OPENAPI_FILES.c.blob_id,
    OPENAPI_VERSIONS.c.content_blob_id,
    OPENAPI_VERSIONS.c.bundle_blob_id,
    OPENAPI_VERSIONS.c.pages_blob_id,
    INTEGRATION_ASSETS.c.blob_id,
    IMPORT_FILES.c.blob_id,
    UPLOADS.c.blob_id,
)


async def decoded(text: str, path: str) -> bytes:
    """Return the bytes that a caller sent as base64; raises Invalid, naming the field at `path`."""
    try:
        return await workers.run(len(text), partial(base64.b64decode, validate=True), text)
    except (binascii.Error, ValueError):
        raise Invalid("This is not base64.", path=path) from None


async def keep(cx: Context, blobs: Mapping[str, bytes], organization_id: str, holder_id: str) -> None:
    """Keep bytes by their SHA-256 in hexadecimal; what is kept already stays as it is.

    They count as stored for something of an organization. Raises Unavailable where the bucket cannot be
    written.
    """
    cx.stores(organization_id, holder_id, sum(map(len, blobs.values())))
    if cx.settings.blobs:
        places = await _put(cx, blobs)
        kept = [{"id": blob_id, "data": b"", "place": place} for blob_id, place in places.items()]
        await cx.tx.add_many(Blob, kept, missing=True)
        return
    begun = [{"id": blob_id, "data": data[:PIECE]} for blob_id, data in blobs.items()]
    parts = [
        {"blob_id": blob_id, "start": at, "data": data[at : at + PIECE]}
        for blob_id, data in blobs.items()
        for at in range(PIECE, len(data), PIECE)
    ]
    await cx.tx.add_many(Blob, begun, missing=True)
    await cx.tx.add_many(BlobPart, parts, missing=True)


async def _put(cx: Context, blobs: Mapping[str, bytes]) -> dict[str, str]:
    """Store what is not kept yet in the bucket; the name of each object."""
    held = {row.id for row in await cx.db.all(_HELD, ids=list(blobs))}
    places = {blob_id: f"{blob_id[:2]}/{blob_id}.{new_id()}" for blob_id in blobs if blob_id not in held}
    await bucket(cx.settings).write({place: blobs[blob_id] for blob_id, place in places.items()})
    return places


async def begin_draft(cx: Context, data: bytes) -> str:
    """Store the first piece of bytes that are arriving, and return the id of their draft."""
    draft_id = secrets.token_hex(32)
    await cx.tx.add_many(Blob, [{"id": draft_id, "data": data}])
    return draft_id


async def extend_draft(cx: Context, draft_id: str, start: int, data: bytes) -> None:
    """Store another piece of a draft; the transaction fails with Clash where the draft is gone."""
    part = {"blob_id": draft_id, "start": start, "data": data}
    await cx.tx.add_many(BlobPart, [part], missing=True)


async def complete_draft(cx: Context, draft_id: str, blob_id: str) -> None:
    """Keep the bytes of a draft by their SHA-256; where they are kept already, the draft only goes."""
    if await cx.tx.all(_COPY_HEAD, draft=draft_id, id=blob_id):
        await cx.tx.run(_MOVE_PARTS, draft=draft_id, id=blob_id)
    await remove_draft(cx, draft_id)


async def remove_draft(cx: Context, draft_id: str) -> None:
    """Remove a draft with its pieces."""
    await cx.tx.remove(Blob, id=draft_id)


async def keep_object(cx: Context, blob_id: str, place: str) -> None:
    """Keep bytes that are in the bucket already; where they are kept elsewhere, this object is removed."""
    await cx.tx.add_many(Blob, [{"id": blob_id, "data": b"", "place": place}], missing=True)
    row = await cx.tx.first(_PLACE, id=blob_id)
    if row is not None and row.place != place:
        await remove_later(cx, [place], due_at=cx.now)


async def read(cx: Context, blob_id: str) -> bytes:
    """Return all the bytes. Raises Unavailable where they cannot be read."""
    row = await cx.db.first(_WHOLE, id=blob_id)
    if row is None:
        raise _missing()
    return await whole(cx, blob_id, row.data, row.place)


async def whole(cx: Context, blob_id: str, data: bytes, place: str | None) -> bytes:
    """Return all the bytes of a row of `Blob` that was read with something else; raises like `read`."""
    if place is not None:
        return await bucket(cx.settings).read(place)
    parts = await cx.db.all(_PARTS, id=blob_id) if len(data) == PIECE else []
    return b"".join([data, *(part.data for part in parts)])


async def held_ids(cx: Context) -> list[str]:
    """Return the ids of all bytes that something holds."""
    return [row.id for row in await cx.db.all(_HELD_BY_ANY)]


async def row_of(cx: Context, blob_id: str) -> Any | None:
    """Return the first piece of bytes, and where they are if they are in the bucket."""
    return await cx.db.first(_WHOLE, id=blob_id)


async def pieces(cx: Context, blob_id: str, start: int, end: int) -> AsyncIterator[bytes]:
    """Yield the bytes from `start` until before `end`, a bounded piece at a time; raises like `read`."""
    place: str | None = None
    for begin in range(start - start % PIECE, end, PIECE):
        at, until = max(begin, start), min(begin + PIECE, end)
        if place is None:
            row = await cx.db.first(_PIECE, id=blob_id, begin=begin, start=at, length=until - at)
            if row is None:
                raise _missing()
            piece, place = row.piece, row.place
        if place is not None:
            piece = await bucket(cx.settings).read_range(place, at, until)
        yield piece


async def signed_address(cx: Context, blob_id: str, headers: Mapping[str, str]) -> str | None:
    """Return an address at which the bucket sends the bytes with these headers, if it has them."""
    row = await cx.db.first(_PIECE, id=blob_id, begin=0, start=0, length=0)
    if row is None or row.place is None:
        return None
    return await bucket(cx.settings).signed_get(row.place, SIGNED_FOR, headers)


async def remove_unused(cx: Context, ids: Sequence[str]) -> None:
    """Remove those of the bytes that nothing holds any more; objects are removed after the commit."""
    removed = await cx.db.all(_REMOVE_UNUSED, ids=ids)
    await remove_later(cx, [row.place for row in removed if row.place is not None], due_at=cx.now)


async def remove_later(cx: Context, places: Sequence[str], *, due_at: datetime) -> None:
    """Have objects of the bucket removed after this transaction, at a time."""
    for start in range(0, len(places), OBJECTS):
        some = {"places": places[start : start + OBJECTS]}
        await jobs.enqueue(
            cx, REMOVE_OBJECTS, some["places"][0], jobs.INSTALLATION, due_at=due_at, payload=some
        )


async def remove_objects(settings: Settings, places: Sequence[str]) -> None:
    """Remove the objects of rows that are gone; raises Unavailable where the bucket does not do it."""
    await bucket(settings).remove(places)


def bucket(settings: Settings) -> S3Bucket:
    """Return the bucket of this installation; raises Unavailable where there is none any more."""
    if not settings.blobs:
        raise Unavailable("The bytes of a file are in a bucket that DOCYARD_BLOBS does not name any more.")
    return open_bucket(settings.blobs)


def _missing() -> Unavailable:
    return Unavailable("The bytes of a file are gone; it may have been removed just now.")


def _piece() -> Select[tuple[bytes, str | None]]:
    """Return so many bytes from a start, of the piece that begins there or before; and where else they
    are."""
    begin, start, length = (given(name, Integer()) for name in ("begin", "start", "length"))
    later = select(func.substr(BLOB_PARTS.c.data, start - begin + 1, length))
    of_part = later.where(BLOB_PARTS.c.blob_id == BLOBS.c.id, BLOB_PARTS.c.start == begin).scalar_subquery()
    piece = func.coalesce(of_part, func.substr(BLOBS.c.data, start + 1, length), type_=LargeBinary())
    return select(piece.label("piece"), BLOBS.c.place).where(BLOBS.c.id == given("id"))


def _unused() -> Delete:
    used = [exists().where(column == BLOBS.c.id) for column in _HOLDERS]
    return delete(BLOBS).where(among(BLOBS.c.id, "ids"), *(~each for each in used))


def _copy_head(dialect: str) -> Any:
    head = select(given("id", Key), BLOBS.c.data).where(BLOBS.c.id == given("draft"))
    copied = insert_into(BLOBS, dialect).from_select(["id", "data"], head)
    return copied.on_conflict_do_nothing().returning(BLOBS.c.id)


def _held() -> Select[tuple[str]]:
    # What is found stays until the transaction ends: whoever removes it at the same time has to wait, or has
    # this one start again. (SQLite has one writer anyway.)
    return select(BLOBS.c.id).where(among(BLOBS.c.id, "ids")).with_for_update(read=True, key_share=True)


_HELD = rows(_held)
_HELD_BY_ANY = rows(
    lambda: (
        select(BLOBS.c.id)
        .where(or_(*(exists().where(column == BLOBS.c.id) for column in _HOLDERS)))
        .order_by(BLOBS.c.id)
    )
)
_WHOLE = rows(lambda: select(BLOBS.c.data, BLOBS.c.place).where(BLOBS.c.id == given("id")))
_PARTS = rows(
    lambda: select(BLOB_PARTS.c.data).where(BLOB_PARTS.c.blob_id == given("id")).order_by(BLOB_PARTS.c.start)
)
_PIECE = rows(_piece)
_PLACE = rows(lambda: select(BLOBS.c.place).where(BLOBS.c.id == given("id")))
_COPY_HEAD = rows(by_engine(_copy_head))
_MOVE_PARTS = command(
    lambda: (
        update(BLOB_PARTS).values(blob_id=given("id", Key)).where(BLOB_PARTS.c.blob_id == given("draft", Key))
    )
)
_REMOVE_UNUSED = rows(lambda: _unused().returning(BLOBS.c.place))

"""Uploads: announced here, sent to an address of their own, taken over by a change of content or an import.

Without a bucket the bytes are sent to this server, with one to the bucket itself (see `receiving`). An
upload is used once, by who created it: its row goes, and its bytes, which are stored by their hash by then,
belong to what used it. One that nobody uses is removed with its bytes after a day. From the beginning it
counts with its announced size for the organization's quota.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select

from app.access.context import Context
from app.access.fetch import permit_content_in
from app.domain import jobs
from app.domain.infrastructure import blobs
from app.domain.organizations import quotas
from app.formats.images import content_type
from app.kit.database.columns import Instant
from app.kit.database.sql import among
from app.kit.database.statements import given, query, rows, table
from app.kit.errors import Invalid, NotFound
from app.kit.ids import new_id
from app.models.files import Upload, UploadCreate

REMOVE = "remove_upload"  # the job
KEPT = timedelta(days=1)
VALID = timedelta(hours=1)
"""The time in which bytes may be sent: shorter than the credentials last that a machine's role has."""
UNKNOWN = "There is no such upload. One can be used once, by who created it, within a day."
UPLOADS = table(Upload)


@dataclass(slots=True, frozen=True)
class Destination:
    """The target of a new upload's bytes: this server, or the object `place` of the bucket at `url`."""

    upload_id: str
    place: str | None = None
    url: str | None = None


@dataclass(slots=True, frozen=True)
class CreatedUpload:
    """An upload and where to send its bytes, until when."""

    row: Upload
    destination: Destination
    expires_at: datetime


async def choose_destination(cx: Context, organization_id: str, new: UploadCreate) -> Destination:
    """Return where the bytes of a new upload go; raises Invalid where they are too many for this server."""
    permit_content_in(cx, organization_id)
    upload_id = new_id()
    if cx.settings.blobs:
        place = f"uploads/{upload_id}"
        return Destination(upload_id, place, await blobs.bucket(cx.settings).signed_put(place, VALID))
    most = cx.settings.upload_limit
    if new.size > most:
        needed = "larger ones need a bucket, which the server's operator names in DOCYARD_BLOBS"
        raise Invalid(f"This server receives files of at most {most:,} bytes; {needed}.", path="size")
    return Destination(upload_id)


async def create(
    cx: Context, organization_id: str, new: UploadCreate, destination: Destination
) -> CreatedUpload:
    """Create an upload: announce a file of up to 100 MB, and get the signed address to send its bytes to.

    Send exactly as many bytes as announced, with the method and the headers of the answer, within an hour.
    Then name the upload's id as `upload` of a file in a change of content or an import, within a day. It
    needs the right to edit some content of the organization.
    """
    permit_content_in(cx, organization_id)
    row = await cx.tx.add(
        Upload,
        id=destination.upload_id,
        organization_id=organization_id,
        created_by=cx.actor.user_id,
        name=new.name,
        content_type=new.content_type or content_type(new.name),
        size=new.size,
        place=destination.place,
        draft_id=None,
        blob_id=None,
        created_at=cx.now,
    )
    cx.stores(organization_id, row.id, new.size)
    await jobs.enqueue(cx, REMOVE, row.id, organization_id, due_at=cx.now + KEPT)
    if row.place is not None:  # also where the upload was used: until it expires, its object can be written
        await blobs.remove_later(cx, [row.place], due_at=cx.now + KEPT)
    return CreatedUpload(row, destination, (cx.now + VALID).replace(microsecond=0))


async def get(cx: Context, organization_id: str, upload_id: str) -> CreatedUpload:
    """Get an upload that the caller created and has not used yet, with an address to send its bytes to."""
    row = await cx.db.first(_FIND, **_values(cx, organization_id, {"": upload_id}))
    if row is None:
        raise NotFound(UNKNOWN)
    permit_content_in(cx, organization_id)
    url = await blobs.bucket(cx.settings).signed_put(row.place, VALID) if row.place else None
    expires_at = min(cx.now + VALID, row.created_at + KEPT).replace(microsecond=0)
    return CreatedUpload(row, Destination(row.id, row.place, url), expires_at)


async def find(cx: Context, organization_id: str, named: Mapping[str, str]) -> dict[str, Upload]:
    """Return the uploads that a body names, by the path of each; all bytes of them are there.

    Raises Invalid, naming the path, for one that the caller may not use, that has no bytes yet, or that was
    named before.
    """
    if not named:
        return {}
    known = {row.id: row for row in await cx.db.all(_FIND, **_values(cx, organization_id, named))}
    found: dict[str, Upload] = {}
    for path, upload_id in named.items():
        row = known.pop(upload_id, None)
        if row is not None and row.blob_id is None and row.place is not None:
            from app.domain.uploads import receiving

            row = await receiving.accept(cx, row, path)
        if row is None:
            raise Invalid(UNKNOWN, path=path)
        if row.blob_id is None:
            raise Invalid("The content of this upload has not been sent yet.", path=path)
        found[path] = row
    return found


async def take(cx: Context, organization_id: str, holder_id: str, named: Mapping[str, str]) -> dict[str, str]:
    """Use uploads that `find` has found; return the ids of their blobs, by those of the uploads.

    The bytes count for another holder in the organization from now on, which stores their ids in the same
    transaction. Raises Invalid like `find`.
    """
    if not named:
        return {}
    taken = {row.id: row.blob_id for row in await cx.tx.all(_TAKE, **_values(cx, organization_id, named))}
    for path, upload_id in named.items():
        if upload_id not in taken:
            raise Invalid(UNKNOWN, path=path)
    await quotas.reassign(cx, list(taken), organization_id, holder_id)
    return taken


async def remove_unused(cx: Context, upload_id: str) -> None:
    """Remove an upload that nobody used, with its bytes."""
    row = await cx.tx.first(_REMOVE, id=upload_id)
    if row is None:
        return
    await quotas.release(cx, upload_id)
    if row.draft_id is not None:
        await blobs.remove_draft(cx, row.draft_id)
    if row.blob_id is not None:
        await blobs.remove_unused(cx, [row.blob_id])


def _values(cx: Context, organization_id: str, named: Mapping[str, str]) -> dict[str, object]:
    return {
        "ids": list(named.values()),
        "organization": organization_id,
        "user": cx.actor.user_id,
        "since": cx.now - KEPT,
    }


def _usable() -> ColumnElement[bool]:
    mine = (UPLOADS.c.organization_id == given("organization")) & (UPLOADS.c.created_by == given("user"))
    return among(UPLOADS.c.id, "ids") & mine & (UPLOADS.c.created_at > given("since", Instant()))


_FIND = query(Upload, lambda: select(*UPLOADS.c).where(_usable()))
_TAKE = rows(
    lambda: (
        delete(UPLOADS)
        .where(_usable(), UPLOADS.c.blob_id.is_not(None))
        .returning(UPLOADS.c.id, UPLOADS.c.blob_id)
    )
)
_REMOVE = query(Upload, lambda: delete(UPLOADS).where(UPLOADS.c.id == given("id")).returning(*UPLOADS.c))

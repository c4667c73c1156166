"""Uploads as the tests announce, send and use them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import select

from app.domain import lanes, worker
from app.domain.infrastructure import blobs
from app.domain.uploads import uploads
from app.kit.clock import utc_now
from app.kit.database.statements import given, query, rows, table
from app.models.files import Blob, Upload
from app.runtime import Runtime
from tests import make
from tests.cast import Cast, Person
from tests.factories import space_rows
from tests.factories.openapi import at_work
from tests.instance import Instance
from tests.timing import TIMEOUT

UPLOADS = table(Upload)
_BLOBS = rows(lambda: select(table(Blob).c.id))
_ONE = query(Upload, lambda: select(*UPLOADS.c).where(UPLOADS.c.id == given("id")))


def announced(person: Person, organization: str, name: str, size: int, **fields: Any) -> dict[str, Any]:
    """A new upload of this person's."""
    answer = person.post(f"/v1/orgs/{organization}/uploads", {"name": name, "size": size, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def sent(upload: dict[str, Any], content: Any, **headers: str) -> httpx.Response:
    """The answer to the bytes of an upload, sent as it says."""
    given = {header["name"]: header["value"] for header in upload["headers"]}
    return httpx.request(
        upload["method"],
        upload["uploadURL"],
        content=content,
        headers={**given, **headers},
        timeout=TIMEOUT,
    )


def finished(person: Person, organization: str, name: str, data: bytes) -> str:
    """The id of an upload whose bytes are there."""
    upload = announced(person, organization, name, len(data))
    answer = sent(upload, data)
    assert answer.status_code == 200, answer.text
    return str(upload["id"])


def insertion(*uploads: tuple[str, str], **fields: Any) -> dict[str, Any]:
    """A change that inserts files by name and id of their uploads."""
    files = [{"name": name, "upload": upload_id, **fields} for name, upload_id in uploads]
    return {"operation": "insert_files", "files": files}


def refused(person: Person, space: str, change: dict[str, Any], status: int = 400) -> dict[str, Any]:
    """The error of a change that must be refused; nothing of it may remain."""
    before = person.get(f"/v1/spaces/{space}").json()["revision"]
    answer = person.post(f"/v1/spaces/{space}/content", {"changes": [change]})
    assert answer.status_code == status, answer.text
    assert person.get(f"/v1/spaces/{space}").json()["revision"] == before
    error: dict[str, Any] = answer.json()["error"]
    return error


def space_of(cast: Cast) -> str:
    """An empty space of the organization's."""
    return str(make.space(cast.ada, cast.organization)["id"])


def bytes_used(cast: Cast) -> int:
    """Return how many bytes the organization stores, as its administrator is told."""
    return int(cast.ada.get(f"/v1/orgs/{cast.organization}/quotas").json()["bytes"]["used"])


def stored(instance: Instance, upload_id: str) -> Upload | None:
    """An upload as it is stored."""
    return instance.inside(lambda cx: cx.db.first(_ONE, id=upload_id))


def drafts(instance: Instance, upload_id: str) -> int:
    """Return how many drafts of bytes there are of an upload."""
    row = stored(instance, upload_id)
    return space_rows.count(instance, Blob, id=row.draft_id) if row and row.draft_id else 0


def kept(instance: Instance) -> set[str]:
    """The ids of all bytes that are kept, drafts of uploads among them."""
    return {row.id for row in instance.inside(lambda cx: cx.db.all(_BLOBS))}


def days_later(cast: Cast, days: float) -> None:
    """Do the work on uploads that is due that many days from now."""
    kinds = {uploads.REMOVE: lanes.remove_upload, blobs.REMOVE_OBJECTS: lanes.remove_objects}

    async def work(runtime: Runtime) -> None:
        runtime.clock = lambda: utc_now() + timedelta(days=days)
        while await worker.run(runtime, of=kinds):
            pass

    at_work(cast, work)

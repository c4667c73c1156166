"""The bytes of files in a bucket, against a real S3 server: kept once, read in parts, removed when unused."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import worker
from app.domain.imports import exports
from app.domain.infrastructure import blobs
from app.domain.infrastructure.blobs import PIECE
from app.domain.jobs import NOBODY
from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.statements import query, table
from app.kit.errors import Conflict, Unavailable
from app.kit.ids import new_id
from app.kit.signing import Signer
from app.models.files import Blob, BlobPart, FileVersion
from app.models.jobs import Job
from app.runtime import Runtime
from tests import make, s3
from tests.cast import Cast
from tests.factories import space_rows
from tests.instance import Instance, idle, running
from tests.timing import TIMEOUT

LARGE = os.urandom(2 * PIECE + 12_345)
BLOBS = table(Blob)
_BLOBS = query(Blob, lambda: select(*BLOBS.c))


def address(cast: Cast, space: str) -> str:
    """The address of the only file of a space."""
    (file,) = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]
    url: str = file["downloadURL"]
    return url


def got(url: str, method: str = "GET", **headers: str) -> httpx.Response:
    """The answer at an address of a file."""
    return httpx.request(method, url, headers=headers, timeout=TIMEOUT)


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def kept(instance: Instance) -> dict[str, Blob]:
    """The rows of the store."""
    return {row.id: row for row in instance.inside(lambda cx: cx.db.all(_BLOBS))}


def keep(instance: Instance, *data: bytes) -> None:
    """Keep bytes as a write does."""
    instance.inside(lambda cx: blobs.keep(cx, {hashed(one): one for one in data}, "o", "o"))


def work_is_done(instance: Instance, days: float) -> None:
    """Let a worker do what is due that many days from now."""

    async def run() -> None:
        db = open_database(instance.settings.database)
        try:
            runtime = Runtime(db, instance.settings, Signer(b""), lambda: utc_now() + timedelta(days=days))
            while await worker.run(runtime):
                pass
        finally:
            await db.close()

    asyncio.run(run())


def test_files_are_in_the_bucket_and_the_table_names_them(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    cast = cast_of_bucket
    space = make.filled_space(cast, {"README.md": "x", "files/large.bin": LARGE})
    (row,) = kept(cast.instance).values()
    assert (row.id, row.data) == (hashed(LARGE), b"")
    assert bucket.objects() == {f"files/{row.place}": LARGE}
    url = address(cast, space)
    whole = got(url)
    assert (whole.status_code, whole.content) == (200, LARGE)
    assert whole.headers["content-length"] == str(len(LARGE))
    assert got(url, "HEAD").headers["content-length"] == str(len(LARGE))
    for first, end in ((0, 1), (PIECE - 1, PIECE + 1), (5, 2 * PIECE + 5), (len(LARGE) - 1, len(LARGE))):
        part = got(url, Range=f"bytes={first}-{end - 1}")
        assert (part.status_code, part.content) == (206, LARGE[first:end])
    assert got(url, **{"If-None-Match": whole.headers["etag"]}).status_code == 304


def test_an_export_brings_the_bytes_back(cast_of_bucket: Cast, tmp_path: Path) -> None:
    instance, data = cast_of_bucket.instance, os.urandom(1000)
    space = make.filled_space(cast_of_bucket, {"README.md": "x", "files/a.bin": data, "files/b.bin": b""})

    async def run() -> None:
        db = open_database(instance.settings.database)
        try:
            cx = Runtime(db, instance.settings, Signer(b"")).context_of_nobody()
            held = await cx.db.first(space_rows.SPACE, id=space)
            assert held is not None
            await exports.to_folder(cx, held, tmp_path / "out")
        finally:
            await db.close()

    asyncio.run(run())
    assert (tmp_path / "out/files/a.bin").read_bytes() == data
    assert (tmp_path / "out/files/b.bin").read_bytes() == b""


def test_equal_bytes_are_kept_once(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    make.filled_space(cast_of_bucket, {"a.md": "x", "files/a.bin": b"same", "files/b.bin": b"same"})
    make.filled_space(cast_of_bucket, {"a.md": "x", "files/c.bin": b"same", "files/d.bin": b"other"})
    keep(cast_of_bucket.instance, b"same", b"third")
    assert sorted(bucket.objects().values()) == [b"other", b"same", b"third"]


def test_a_change_of_the_setting_moves_nothing_and_loses_nothing(
    fresh_database: str, bucket: s3.Bucket
) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        before = make.filled_space(cast, {"a.md": "x", "files/a.bin": b"before"})
    with running(fresh_database, blobs=bucket.setting) as instance:
        moved = _at(cast, instance)
        keep(instance, b"before")
        after = make.filled_space(moved, {"a.md": "x", "files/a.bin": b"after"})
        assert got(address(moved, before)).content == b"before"
        assert got(address(moved, after)).content == b"after"
    assert list(bucket.objects().values()) == [b"after"]
    with running(fresh_database) as instance:
        back = _at(cast, instance)
        assert got(address(back, before)).content == b"before"
        refused = got(address(back, after))
        assert refused.status_code == 503
        assert "DOCYARD_BLOBS" in refused.json()["error"]["message"]


def _at(cast: Cast, instance: Instance) -> Cast:
    """Return the same people, at another server on the same database."""
    people = {name: replace(getattr(cast, name), instance=instance) for name in [*make.ROLES, "sol"]}
    return replace(cast, instance=instance, **people)


def test_a_purge_empties_the_bucket_of_what_nobody_holds(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    cast = cast_of_bucket
    space = make.filled_space(cast, {"a.md": "x", "files/a.bin": b"mine", "files/b.bin": b"ours"})
    other = make.filled_space(cast, {"a.md": "x", "files/b.bin": b"ours"})
    cast.ada.delete(f"/v1/spaces/{space}")
    work_is_done(cast.instance, 7.1)
    assert list(bucket.objects().values()) == [b"ours"]
    assert list(kept(cast.instance)) == [hashed(b"ours")]
    assert space_rows.count(cast.instance, Job, kind=blobs.REMOVE_OBJECTS) == 0
    assert got(address(cast, other)).content == b"ours"


def test_bytes_that_are_kept_again_before_their_object_goes_are_not_lost(
    cast_of_bucket: Cast, bucket: s3.Bucket
) -> None:
    instance = cast_of_bucket.instance
    keep(instance, b"phoenix")
    instance.inside(lambda cx: blobs.remove_unused(cx, [hashed(b"phoenix")]))
    assert space_rows.count(instance, Job, kind=blobs.REMOVE_OBJECTS) == 1
    keep(instance, b"phoenix")
    assert list(bucket.objects().values()) == [b"phoenix", b"phoenix"]
    work_is_done(instance, 0)
    assert list(bucket.objects().values()) == [b"phoenix"]
    assert instance.inside(lambda cx: blobs.read(cx, hashed(b"phoenix"))) == b"phoenix"


def test_what_is_kept_while_it_is_being_removed_is_not_lost(cast_of_bucket: Cast) -> None:
    instance, key = cast_of_bucket.instance, hashed(b"meanwhile")
    keep(instance, b"meanwhile")

    async def both() -> None:
        db = open_database(instance.settings.database)
        runtime = Runtime(db, instance.settings, Signer(b""))
        try:
            async with db.transaction() as tx:
                cx = runtime.context(NOBODY, tx)
                await blobs.keep(cx, {key: b"meanwhile"}, "o", "o")
                remove = runtime.write(
                    NOBODY, lambda cx: blobs.remove_unused(cx, [key]), AuditAction("job", "test")
                )
                removing = asyncio.create_task(remove)
                await asyncio.sleep(0.3)
                assert not removing.done()
                file = {
                    "name": "a",
                    "content_type": "text/plain",
                    "size": 9,
                    "blob_id": key,
                    "deleted": False,
                }
                await tx.add(FileVersion, line_id=new_id(), file_id=new_id(), valid_from=1, **file)
            with suppress(Conflict):
                await removing
        finally:
            await db.close()

    asyncio.run(both())
    work_is_done(instance, 0)
    assert instance.inside(lambda cx: blobs.read(cx, key)) == b"meanwhile"


def test_objects_that_are_gone_already_are_no_failure(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    instance = cast_of_bucket.instance
    keep(instance, b"here")
    places = ["00/nowhere", *(row.place for row in kept(instance).values() if row.place)]
    for _ in range(2):
        asyncio.run(blobs.remove_objects(instance.settings, places))
    assert bucket.objects() == {}


def test_what_was_not_committed_is_not_kept_and_can_be_kept_again(
    cast_of_bucket: Cast, bucket: s3.Bucket
) -> None:
    instance = cast_of_bucket.instance

    async def fail(cx: Context) -> None:
        await blobs.keep(cx, {hashed(b"again"): b"again"}, "o", "o")
        raise InterruptedError

    with pytest.raises(InterruptedError):
        instance.inside(fail)
    assert kept(instance) == {}
    with pytest.raises(Unavailable):
        instance.inside(lambda cx: blobs.read(cx, hashed(b"again")))
    keep(instance, b"again")
    assert instance.inside(lambda cx: blobs.read(cx, hashed(b"again"))) == b"again"
    assert set(bucket.objects().values()) == {b"again"}


def test_many_files_are_stored_together(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    data = [b"%d" % number for number in range(30)]
    keep(cast_of_bucket.instance, *data)
    assert sorted(bucket.objects().values()) == sorted(data)


def test_without_the_bucket_nothing_is_written_and_nobody_learns_where_it_is(
    fresh_database: str, endpoint: str
) -> None:
    nowhere = s3.Bucket(endpoint, "no-such-bucket").setting
    with running(fresh_database, blobs=nowhere) as instance:
        cast = make.cast(instance)
        space = make.filled_space(cast, {"a.md": "x"})
        with pytest.raises(Unavailable, match="cannot be stored"):
            make.imported(cast, space, {"b.md": "y", "files/a.bin": b"a"})
        assert cast.ada.get(f"/v1/spaces/{space}/content/files").json()["items"] == []
        assert len(cast.ada.get(f"/v1/spaces/{space}/content/pages").json()["pages"]) == 1
        row = {"id": hashed(b"a"), "data": b"", "place": "00/a"}
        instance.inside(lambda cx: cx.tx.add_many(Blob, [row]))
        make.imported(cast, space, {"files/a.bin": b"a"})
        refused = got(address(cast, space))
        assert refused.status_code == 503
        assert "no-such-bucket" not in refused.text


@pytest.fixture(scope="module")
def server_of_bucket(endpoint: str, new_database: Callable[[], str]) -> Iterator[Instance]:
    """A product that keeps files in a bucket and does no work, for all tests that leave nothing behind."""
    with idle(), running(new_database(), blobs=s3.create_bucket(endpoint).setting) as instance:
        yield instance


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, len(LARGE)])
@pytest.mark.parametrize("how", ["in the bucket", "in pieces", "whole, as they once were"])
def test_bytes_are_read_a_piece_at_a_time(server_of_bucket: Instance, size: int, how: str) -> None:
    instance, data = server_of_bucket, LARGE[:size]
    if how != "in the bucket":
        instance = Instance(instance.base, instance.settings.model_copy(update={"blobs": ""}), instance.http)
    if how.startswith("whole"):
        instance.inside(lambda cx: cx.tx.add_many(Blob, [{"id": hashed(data), "data": data}]))
    keep(instance, data)
    ranges = [(0, size), (1, size), (size // 2, size // 2 + 1), (PIECE - 1, PIECE + 1), (size - 1, size)]

    async def read(cx: Context) -> None:
        assert await blobs.read(cx, hashed(data)) == data
        for start, end in [(start, end) for start, end in ranges if 0 <= start < end <= size]:
            found = [piece async for piece in blobs.pieces(cx, hashed(data), start, end)]
            assert b"".join(found) == data[start:end]
            assert max(map(len, found)) <= PIECE

    instance.inside(read)
    instance.inside(lambda cx: blobs.remove_unused(cx, [hashed(data)]))
    assert space_rows.count(instance, BlobPart, blob_id=hashed(data)) == 0
    assert kept(instance) == {}

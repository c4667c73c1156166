"""Uploads to a bucket, against a real S3 server: sent there directly, checked and taken over when used."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import httpx
import pytest

from tests import make, s3
from tests.cast import Cast
from tests.factories.imports import path, performed, started, tree
from tests.factories.uploads import (
    announced,
    bytes_used,
    days_later,
    finished,
    insertion,
    kept,
    refused,
    sent,
    space_of,
    stored,
)
from tests.instance import running
from tests.timing import TIMEOUT

LARGE = os.urandom(5 << 20)


def inserted(cast: Cast, space: str, upload_id: str, name: str = "a.bin") -> str:
    """The address of a file that a change made of an upload."""
    made = make.changes(cast.ed, space, insertion((name, upload_id)))
    return str(made["insertedFiles"][0]["downloadURL"])


def downloaded(url: str) -> bytes:
    return httpx.get(url, timeout=TIMEOUT).content


def test_the_bytes_go_to_the_bucket_and_not_through_the_server(
    cast_of_bucket: Cast, bucket: s3.Bucket
) -> None:
    cast = cast_of_bucket
    upload = announced(cast.ed, cast.organization, "a.png", len(LARGE))
    assert upload["uploadURL"].startswith(f"{bucket.endpoint}/{bucket.name}/files/uploads/{upload['id']}?")
    assert upload["headers"] == [{"name": "Content-Type", "value": "image/png"}]
    assert sent(upload, LARGE).status_code == 200
    assert bucket.objects() == {f"files/uploads/{upload['id']}": LARGE}
    assert kept(cast.instance) == set()
    url = inserted(cast, space_of(cast), upload["id"])
    assert kept(cast.instance) == {hashlib.sha256(LARGE).hexdigest()}
    assert downloaded(url) == LARGE
    days_later(cast, 1.1)
    assert list(bucket.objects().values()) == [LARGE]
    assert downloaded(url) == LARGE


@pytest.mark.parametrize("size", [0, 1])
def test_the_smallest_files(cast_of_bucket: Cast, size: int) -> None:
    cast, data = cast_of_bucket, bytes(size)
    upload_id = finished(cast.ed, cast.organization, "a.bin", data)
    assert downloaded(inserted(cast, space_of(cast), upload_id)) == data


@pytest.mark.parametrize("size", [0, 9, 11])
def test_an_object_of_another_size_is_refused_and_removed(
    cast_of_bucket: Cast, bucket: s3.Bucket, size: int
) -> None:
    cast, space = cast_of_bucket, space_of(cast_of_bucket)
    upload = announced(cast.ed, cast.organization, "a.bin", 10)
    assert sent(upload, bytes(size)).status_code == 200
    error = refused(cast.ed, space, insertion(("a.bin", upload["id"])))
    assert [found["path"] for found in error["details"]] == ["changes.0.files.0.upload"]
    assert f"10 bytes; {size} were sent" in error["message"]
    assert bucket.objects() == {}
    assert kept(cast.instance) == set()
    assert "not been sent yet" in refused(cast.ed, space, insertion(("a.bin", upload["id"])))["message"]
    assert sent(upload, b"0123456789").status_code == 200
    assert downloaded(inserted(cast, space, upload["id"])) == b"0123456789"


def test_what_is_written_to_the_address_later_changes_no_file(cast_of_bucket: Cast) -> None:
    cast, data = cast_of_bucket, b"as it was reviewed"
    upload = announced(cast.ed, cast.organization, "a.bin", len(data))
    sent(upload, data)
    ours = inserted(cast, space_of(cast), upload["id"])
    theirs = str(make.space(cast.sol, cast.elsewhere)["id"])
    make.imported(cast, theirs, {"a.md": "x", "a.bin": data})
    assert sent(upload, b"as it was not, ever").status_code == 200
    (file,) = cast.sol.get(f"/v1/spaces/{theirs}/content/files").json()["items"]
    assert downloaded(ours) == downloaded(file["downloadURL"]) == data


def test_a_change_that_fails_leaves_the_upload_as_it_was_checked(
    cast_of_bucket: Cast, bucket: s3.Bucket
) -> None:
    cast, space = cast_of_bucket, space_of(cast_of_bucket)
    upload = announced(cast.ed, cast.organization, "a.bin", 3)
    sent(upload, b"abc")
    gone: dict[str, Any] = {"operation": "delete_page", "page": "none"}
    for _ in range(2):
        batch = {"changes": [insertion(("a.bin", upload["id"])), gone]}
        assert cast.ed.post(f"/v1/spaces/{space}/content", batch).status_code == 400
    assert len(bucket.objects()) == 2
    sent(upload, b"xyz")
    assert downloaded(inserted(cast, space, upload["id"])) == b"abc"


def test_equal_bytes_are_kept_once_in_the_bucket(cast_of_bucket: Cast, bucket: s3.Bucket) -> None:
    cast, space = cast_of_bucket, space_of(cast_of_bucket)
    make.imported(cast, space, {"a.md": "x", "a.bin": b"equal"})
    first, second = (finished(cast.ed, cast.organization, "a.bin", b"equal") for _ in range(2))
    urls = [inserted(cast, space, upload_id, "b.bin") for upload_id in (first, second)]
    days_later(cast, 1.1)
    assert list(bucket.objects().values()) == [b"equal"]
    assert [downloaded(url) for url in urls] == [b"equal", b"equal"]


def test_what_nobody_uses_is_removed_from_the_bucket_after_a_day(
    cast_of_bucket: Cast, bucket: s3.Bucket
) -> None:
    cast, before = cast_of_bucket, bytes_used(cast_of_bucket)
    never = announced(cast.ed, cast.organization, "a.bin", 3)
    alone = finished(cast.ed, cast.organization, "b.bin", b"alone")
    checked = finished(cast.ed, cast.organization, "c.bin", b"checked")
    batch = [insertion(("a.bin", checked)), {"operation": "delete_page", "page": "none"}]
    assert cast.ed.post(f"/v1/spaces/{space_of(cast)}/content", {"changes": batch}).status_code == 400
    assert len(bucket.objects()) == 3
    days_later(cast, 1.1)
    assert bucket.objects() == {}
    assert kept(cast.instance) == set()
    assert not any(stored(cast.instance, upload_id) for upload_id in (never["id"], alone, checked))
    assert bytes_used(cast) == before


def test_an_import_run_reads_uploads_of_the_bucket(cast_of_bucket: Cast) -> None:
    cast, space = cast_of_bucket, space_of(cast_of_bucket)
    upload_id = finished(cast.ed, cast.organization, "a.zip", make.zipped({"a.md": "# A\n"}))
    source = {"type": "file", "files": [{"name": "a.zip", "upload": upload_id}]}
    run = started(cast, source, {"space": space})
    performed(cast, run)
    assert cast.ed.get(path(cast, run["id"])).json()["status"] == "completed"
    assert tree(cast.ria, space) == ["a"]


def test_a_bucket_takes_files_that_the_server_would_not(fresh_database: str, bucket: s3.Bucket) -> None:
    with running(fresh_database, blobs=bucket.setting, upload_limit=10) as instance:
        cast = make.cast(instance)
        upload_id = finished(cast.ed, cast.organization, "a.bin", bytes(11))
        assert downloaded(inserted(cast, space_of(cast), upload_id)) == bytes(11)


def test_a_file_that_is_too_large_for_the_server_is_sent_by_the_bucket(
    fresh_database: str, bucket: s3.Bucket
) -> None:
    with running(fresh_database, blobs=bucket.setting, download_limit=1000) as instance:
        cast = make.cast(instance)
        upload_id = finished(cast.ed, cast.organization, "Größe “1”.bin", LARGE)
        url = inserted(cast, space_of(cast), upload_id, "Größe “1”.bin")
        answer = httpx.get(url, timeout=TIMEOUT)
        assert (answer.status_code, answer.headers["cache-control"]) == (307, "private, no-store")
        assert answer.headers["location"].startswith(f"{bucket.endpoint}/{bucket.name}/files/")
        sent_by_bucket = httpx.get(answer.headers["location"], timeout=TIMEOUT)
        assert sent_by_bucket.content == LARGE
        whole = httpx.head(url, timeout=TIMEOUT).headers
        for name in ("content-type", "content-disposition"):
            assert sent_by_bucket.headers[name] == whole[name]
        part = httpx.get(url, headers={"Range": "bytes=5-1004"}, timeout=TIMEOUT)
        assert (part.status_code, part.content) == (206, LARGE[5:1005])
        larger = httpx.get(url, headers={"Range": "bytes=5-1005"}, timeout=TIMEOUT)
        assert larger.status_code == 307
        assert httpx.get(url, headers={"If-None-Match": whole["etag"]}, timeout=TIMEOUT).status_code == 304


def test_an_upload_of_a_bucket_that_is_gone_is_told_so(fresh_database: str, bucket: s3.Bucket) -> None:
    with running(fresh_database, blobs=bucket.setting) as instance:
        cast = make.cast(instance)
        upload_id = finished(cast.ed, cast.organization, "a.bin", b"abc")
        space = space_of(cast)
    with running(fresh_database) as without:
        answer = without.http.post(
            f"/v1/spaces/{space}/content",
            json={"changes": [insertion(("a.bin", upload_id))]},
            headers={"Authorization": f"Bearer {cast.ed.token}"},
        )
        assert answer.status_code == 503
        assert "DOCYARD_BLOBS" in answer.json()["error"]["message"]

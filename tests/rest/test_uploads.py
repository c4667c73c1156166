"""Uploads: who may announce them, what is received at their addresses, and how long it is kept."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from app.domain.infrastructure.blobs import PIECE
from app.domain.organizations import quotas
from app.kit.clock import utc_now
from app.models.files import LARGEST_UPLOAD, Blob, BlobPart, Upload
from app.models.quotas import StoredBytes
from tests import make
from tests.cast import Cast
from tests.factories import grants, space_rows
from tests.factories.integrations import PublishedIntegration
from tests.factories.uploads import (
    announced,
    bytes_used,
    days_later,
    drafts,
    finished,
    insertion,
    kept,
    sent,
    space_of,
    stored,
)
from tests.instance import Instance, running
from tests.timing import TIMEOUT, until

LARGE = os.urandom(2 * PIECE + 12_345)


def path(cast: Cast) -> str:
    """Return where uploads of the organization are announced."""
    return f"/v1/orgs/{cast.organization}/uploads"


def hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_an_upload_says_where_and_how_to_send_the_bytes(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "plan.png", 12)
    assert upload["object"] == "upload"
    assert upload["organization"] == cast.organization
    assert (upload["name"], upload["size"], upload["method"]) == ("plan.png", 12, "PUT")
    assert upload["contentType"] == "image/png"
    assert upload["headers"] == [{"name": "Content-Type", "value": "application/octet-stream"}]
    assert upload["uploadURL"].startswith(f"{cast.instance.base}/uploads/")
    assert upload["uploadURL"].endswith(f"/{upload['id']}/plan.png")
    assert utc_now().isoformat() < upload["expiresAt"] < (utc_now() + timedelta(hours=1.1)).isoformat()
    chosen = announced(cast.ed, cast.organization, "../a b.bin", 0, contentType="text/plain; charset=utf-8")
    assert chosen["contentType"] == "text/plain; charset=utf-8"
    assert chosen["uploadURL"].endswith("/.._a%20b.bin")


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, len(LARGE)])
def test_the_bytes_of_an_upload_become_those_of_a_file(cast: Cast, size: int) -> None:
    data, space = LARGE[:size], space_of(cast)
    upload = announced(cast.ed, cast.organization, "any.bin", size)
    answer = sent(upload, data)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["etag"] == f'"{hashed(data)}"'
    made = make.changes(cast.ed, space, insertion(("any.bin", upload["id"])))
    (file,) = made["insertedFiles"]
    assert httpx.get(file["downloadURL"], timeout=TIMEOUT).content == data
    assert stored(cast.instance, upload["id"]) is None


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"size": LARGEST_UPLOAD + 1}, "size"),
        ({"size": -1}, "size"),
        ({"size": "12"}, "size"),
        ({"size": 1.5}, "size"),
        ({"size": None}, "size"),
        ({"name": ""}, "name"),
        ({"name": "x" * 257}, "name"),
        ({"contentType": "picture"}, "contentType"),
        ({"contentType": "text/plain\r\nx: y"}, "contentType"),
        ({"contentType": "text/plain; größe=1"}, "contentType"),
        ({"base64": "AA=="}, "base64"),
    ],
)
def test_what_cannot_be_announced_is_refused_by_its_field(
    cast: Cast, fields: dict[str, Any], at: str
) -> None:
    answer = cast.ada.post(path(cast), {"name": "a.bin", "size": 1, **fields})
    assert answer.status_code == 400, answer.text
    assert [found["path"] for found in answer.json()["error"]["details"]] == [at]
    assert space_rows.count(cast.instance, Upload, organization_id=cast.organization) == 0


def test_whoever_may_edit_content_announces_uploads(cast: Cast) -> None:
    body = {"name": "a.bin", "size": 1}
    for person in (cast.ada, cast.cleo, cast.rhea, cast.ed):
        assert person.post(path(cast), body).status_code == 201
    for person in (cast.tom, cast.ria, cast.gus):
        assert person.post(path(cast), body).status_code == 403
    assert cast.sol.post(path(cast), body).status_code == 404
    assert make.token(cast.ada, read_only=True).post(path(cast), body).status_code == 403
    space = space_of(cast)
    grants.grant(cast.ada, f"/v1/spaces/{space}", "comment", users=[cast.gus])
    assert cast.gus.post(path(cast), body).status_code == 403
    grants.grant(cast.ada, f"/v1/spaces/{space}", "edit", users=[cast.gus])
    assert cast.gus.post(path(cast), body).status_code == 201


def test_an_installation_uploads_with_the_scope_that_writes_content(cast: Cast) -> None:
    space = space_of(cast)
    writing = PublishedIntegration(cast, scopes=["space:content:read", "space:content:write"])
    token = writing.token(installation := writing.install())
    assert token.post(path(cast), {"name": "a.bin", "size": 1}).status_code == 403
    writing.on_space(installation, space)
    upload_id = finished(token, cast.organization, "a.bin", b"from a script")
    make.changes(token, space, insertion(("a.bin", upload_id)))
    reading = PublishedIntegration(cast, scopes=["space:content:read"])
    reading.on_space(installation := reading.install(), space)
    assert reading.token(installation).post(path(cast), {"name": "a.bin", "size": 1}).status_code == 403


@pytest.mark.parametrize("size", [10, 2 * PIECE])
@pytest.mark.parametrize("told", [True, False], ids=["with its length", "in chunks"])
def test_more_bytes_than_announced_are_refused_and_none_kept(cast: Cast, size: int, told: bool) -> None:
    before = kept(cast.instance)
    upload = announced(cast.ed, cast.organization, "a.bin", size)
    more = LARGE[: size + 1]
    answer = sent(upload, more if told else iter([more[:size], more[size:]]))
    assert answer.status_code == 413
    assert f"{size:,} bytes" in answer.json()["error"]["message"]
    assert kept(cast.instance) == before
    assert drafts(cast.instance, upload["id"]) == 0
    assert sent(upload, more[:size]).status_code == 200


@pytest.mark.parametrize("size", [0, 10, PIECE, PIECE + 10])
def test_fewer_bytes_than_announced_are_refused_and_none_kept(cast: Cast, size: int) -> None:
    before = kept(cast.instance)
    upload = announced(cast.ed, cast.organization, "a.bin", size + 1)
    answer = sent(upload, LARGE[:size])
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["path"] == "body"
    assert kept(cast.instance) == before
    assert drafts(cast.instance, upload["id"]) == 0
    assert sent(upload, LARGE[: size + 1]).status_code == 200


def test_a_body_that_breaks_off_leaves_nothing(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", len(LARGE))
    at = urlsplit(upload["uploadURL"])
    head = f"PUT {at.path} HTTP/1.1\r\nhost: {at.netloc}\r\ncontent-length: {len(LARGE)}\r\n\r\n"
    with socket.create_connection((at.hostname or "", at.port or 80)) as caller:
        caller.sendall(head.encode() + LARGE[: PIECE + 10])
        until(lambda: drafts(cast.instance, upload["id"]), "no piece arrives")
    until(lambda: not drafts(cast.instance, upload["id"]), "what was sent is not removed")
    assert sent(upload, LARGE).status_code == 200


def test_the_same_bytes_may_be_sent_again_and_no_others(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", len(LARGE))
    for _ in range(3):
        assert sent(upload, LARGE).status_code == 200
    other = LARGE[:-1] + bytes([LARGE[-1] ^ 1])
    assert sent(upload, other).status_code == 409
    assert sent(upload, LARGE + b"x").status_code == 413
    row = stored(cast.instance, upload["id"])
    assert row is not None
    assert (row.blob_id, row.draft_id) == (hashed(LARGE), None)


def test_of_two_requests_at_the_same_time_the_later_one_is_accepted(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", len(LARGE))
    second_is_done, answers = threading.Event(), list[httpx.Response]()

    def slowly() -> Iterator[bytes]:
        yield LARGE[:PIECE]
        assert second_is_done.wait(TIMEOUT)
        yield LARGE[PIECE:]

    first = threading.Thread(target=lambda: answers.append(sent(upload, slowly())))
    first.start()
    until(lambda: drafts(cast.instance, upload["id"]), "the first does not begin")
    changed = bytes(len(LARGE))
    assert sent(upload, changed).status_code == 200
    second_is_done.set()
    first.join(TIMEOUT)
    assert [answer.status_code for answer in answers] == [409]
    row = stored(cast.instance, upload["id"])
    assert row is not None
    assert (row.blob_id, row.draft_id) == (hashed(changed), None)


def test_an_address_opens_only_what_it_was_signed_for_and_for_an_hour(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", 3)
    other = announced(cast.ed, cast.organization, "a.bin", 3)
    url = upload["uploadURL"]
    signature = urlsplit(url).path.split("/")[2]
    until_, signed = signature.split(".")
    signer, past = cast.instance.signer, int(utc_now().timestamp()) - 1
    expired = f"{past}.{signer.sign('upload', upload['id'] + f' {past}')}"
    wrong = [
        url.replace(upload["id"], other["id"]),
        url.replace(until_, str(int(until_) + 1)),
        url.replace(signed, signed[:-1] + ("A" if signed[-1] != "A" else "B")),
        url.replace(signature, expired),
        url.replace(signature, signed),
        url.replace(signature, "x"),
        url.replace(signature, f"{until_}.{signer.sign('pdf', upload['id'] + f' {until_}')}"),
    ]
    for address in wrong:
        answer = sent({**upload, "uploadURL": address}, b"abc")
        assert answer.status_code == 404, address
        assert answer.json()["error"]["code"] == 404
    assert stored(cast.instance, upload["id"]) is not None
    assert httpx.get(url, timeout=TIMEOUT).status_code == 405
    assert sent(upload, b"abc").status_code == 200


def test_an_upload_that_was_used_receives_nothing_any_more(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", 3)
    assert sent(upload, b"abc").status_code == 200
    make.changes(cast.ed, space_of(cast), insertion(("a.bin", upload["id"])))
    assert sent(upload, b"abc").status_code == 404


def test_an_upload_counts_for_the_quota_with_what_was_announced(cast: Cast) -> None:
    before, space = bytes_used(cast), space_of(cast)
    upload = announced(cast.ed, cast.organization, "a.bin", 1000)
    assert bytes_used(cast) == before + 1000
    assert sent(upload, bytes(1000)).status_code == 200
    assert bytes_used(cast) == before + 1000
    make.changes(cast.ed, space, insertion(("a.bin", upload["id"])))
    assert bytes_used(cast) == before + 1000
    assert space_rows.count(cast.instance, StoredBytes, holder_id=upload["id"]) == 0
    assert space_rows.count(cast.instance, StoredBytes, holder_id=space, bytes=1000) == 1
    cast.instance.inside(lambda cx: quotas.set_own(cx, cast.organization, {"bytes": before + 1500}))
    assert cast.ed.post(path(cast), {"name": "b.bin", "size": 501}).status_code == 429
    assert bytes_used(cast) == before + 1000
    announced(cast.ed, cast.organization, "b.bin", 500)


def test_its_creator_reads_an_upload_until_it_is_used(cast: Cast) -> None:
    made = announced(cast.ed, cast.organization, "a.bin", 3)
    at = f"{path(cast)}/{made['id']}"
    found = cast.ed.get(at).json()
    assert found["received"] is False
    assert sent(found, b"abc").status_code == 200
    assert cast.ed.get(at).json()["received"] is True
    assert cast.ada.get(at).status_code == 404
    make.changes(cast.ed, space_of(cast), insertion(("a.bin", made["id"])))
    assert cast.ed.get(at).status_code == 404


def test_what_nobody_uses_is_removed_after_a_day_with_its_bytes(cast: Cast) -> None:
    before, space, data = bytes_used(cast), space_of(cast), os.urandom(PIECE + 5)
    used = finished(cast.ed, cast.organization, "used.bin", data)
    same = finished(cast.ed, cast.organization, "same.bin", data)
    alone = finished(cast.ed, cast.organization, "alone.bin", LARGE[::-1])
    never = announced(cast.ed, cast.organization, "never.bin", 100)["id"]
    make.changes(cast.ed, space, insertion(("used.bin", used)))
    days_later(cast, 0.9)
    assert all(stored(cast.instance, upload_id) for upload_id in (same, alone, never))
    days_later(cast, 1.1)
    assert not any(stored(cast.instance, upload_id) for upload_id in (same, alone, never))
    assert space_rows.count(cast.instance, Blob, id=hashed(LARGE[::-1])) == 0
    assert space_rows.count(cast.instance, BlobPart, blob_id=hashed(LARGE[::-1])) == 0
    assert space_rows.count(cast.instance, Blob, id=hashed(data)) == 1
    assert bytes_used(cast) == before + len(data)


def test_pieces_whose_server_died_are_removed_after_a_day(cast: Cast) -> None:
    upload = announced(cast.ed, cast.organization, "a.bin", PIECE + 1)
    draft_id = "d" * 44 + upload["id"]

    async def begin(cx: Any) -> None:
        await cx.tx.add(Blob, id=draft_id, data=bytes(PIECE))
        await cx.tx.add(BlobPart, blob_id=draft_id, start=PIECE, data=b"x")
        await cx.tx.put(Upload, {"draft_id": draft_id}, id=upload["id"])

    cast.instance.inside(begin)
    days_later(cast, 1.1)
    assert stored(cast.instance, upload["id"]) is None
    assert space_rows.count(cast.instance, Blob, id=draft_id) == 0
    assert space_rows.count(cast.instance, BlobPart, blob_id=draft_id) == 0


def test_one_process_announces_another_receives_and_a_third_uses(fresh_database: str) -> None:
    with running(fresh_database) as first, running(fresh_database) as second:
        cast = make.cast(first)
        upload = announced(cast.ed, cast.organization, "a.bin", len(LARGE))
        elsewhere = upload["uploadURL"].replace(first.base, second.base)
        assert sent({**upload, "uploadURL": elsewhere}, LARGE).status_code == 200
        with running(fresh_database) as third:
            moved = Instance(third.base, third.settings, third.http)
            space = space_of(cast)
            made = moved.http.post(
                f"/v1/spaces/{space}/content",
                json={"changes": [insertion(("a.bin", upload["id"]))]},
                params={"compat": "false"},
                headers={"Authorization": f"Bearer {cast.ed.token}"},
            ).json()
            assert httpx.get(made["insertedFiles"][0]["downloadURL"], timeout=TIMEOUT).content == LARGE


def test_browsers_of_the_origins_that_may_call_send_bytes(fresh_database: str) -> None:
    ours = "https://app.example.org"
    with running(fresh_database, cors_origins=ours) as instance:
        cast = make.cast(instance)
        upload = announced(cast.ed, cast.organization, "a.bin", 3)
        asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type"}
        preflight = httpx.options(upload["uploadURL"], headers={"Origin": ours, **asked}, timeout=TIMEOUT)
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == ours
        assert "PUT" in preflight.headers["access-control-allow-methods"]
        foreign = {"Origin": "https://other.example.org", **asked}
        assert httpx.options(upload["uploadURL"], headers=foreign, timeout=TIMEOUT).status_code == 400
        answer = sent(upload, b"abc", Origin=ours)
        assert answer.headers["access-control-allow-origin"] == ours
        assert "ETag" in answer.headers["access-control-expose-headers"]


def test_a_server_without_a_bucket_says_what_larger_files_need(fresh_database: str) -> None:
    with running(fresh_database, upload_limit=1000) as instance:
        cast = make.cast(instance)
        refused = cast.ada.post(path(cast), {"name": "a.bin", "size": 1001})
        assert refused.status_code == 400
        error = refused.json()["error"]
        assert error["details"][0]["path"] == "size"
        assert "1,000 bytes" in error["message"]
        assert "bucket" in error["message"]
        assert "DOCYARD_BLOBS" in error["message"]
        announced(cast.ada, cast.organization, "a.bin", 1000)

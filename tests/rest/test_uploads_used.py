"""Uploads in changes of content and in imports: what becomes of them, and which ones are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from app.domain.infrastructure.blobs import PIECE
from app.domain.organizations import organizations
from app.kit.clock import utc_now
from app.models.files import LARGEST_UPLOAD, Upload
from app.models.imports import ImportFile
from tests import make
from tests.cast import Cast
from tests.factories import imports, space_rows
from tests.factories.imports import ended, path, performed, started, tree
from tests.factories.uploads import (
    announced,
    bytes_used,
    finished,
    insertion,
    kept,
    refused,
    space_of,
    stored,
)
from tests.timing import TIMEOUT


@pytest.fixture
def by_hand() -> Iterator[None]:
    """Here runs are done when a test says so."""
    with imports.left_alone():
        yield


def details(error: dict[str, Any]) -> list[str]:
    """The fields that an error names."""
    return [found["path"] for found in error["details"]]


def given(*uploads: tuple[str, str]) -> dict[str, Any]:
    """A source of uploads by name and id."""
    return {"type": "file", "files": [{"name": name, "upload": upload_id} for name, upload_id in uploads]}


def test_uploads_stand_beside_files_that_come_otherwise(cast: Cast) -> None:
    space, data = space_of(cast), os.urandom(PIECE + 5)
    first = finished(cast.ed, cast.organization, "announced.bin", data)
    second = finished(cast.ed, cast.organization, "page.html", b"<script>alert(1)</script>")
    files = [
        {"name": "a.bin", "upload": first, "ref": "a"},
        make.upload("b.bin", b"beside", "application/octet-stream"),
        {"name": "page.html", "upload": second, "contentType": "image/png"},
    ]
    page = {
        "operation": "insert_page",
        "title": "P",
        "document": {"markdown": "# P\n\n[a](/files/a)\n"},
    }
    made = make.changes(cast.ed, space, {"operation": "insert_files", "files": files}, page)
    answers = [httpx.get(file["downloadURL"], timeout=TIMEOUT) for file in made["insertedFiles"]]
    assert [file["name"] for file in made["insertedFiles"]] == ["a.bin", "b.bin", "page.html"]
    assert [answer.content for answer in answers] == [data, b"beside", b"<script>alert(1)</script>"]
    assert answers[2].headers["content-type"] == "text/plain; charset=utf-8"
    assert answers[2].headers["content-disposition"].startswith("attachment")
    assert cast.ria.get(f"/v1/spaces/{space}/links", params={"status": "broken"}).json()["count"] == 0


def test_the_dimensions_of_a_picture_are_told(cast: Cast) -> None:
    space, picture = space_of(cast), make.picture(30, 20) + os.urandom(2 * PIECE)
    upload_id = finished(cast.ed, cast.organization, "a.png", picture)
    make.changes(cast.ed, space, insertion(("a.png", upload_id)))
    (file,) = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]
    assert (file["contentType"], file["size"]) == ("image/png", len(picture))
    assert file["dimensions"] == {"width": 30, "height": 20}


def test_equal_bytes_are_kept_once(cast: Cast) -> None:
    space, data = space_of(cast), os.urandom(PIECE + 5)
    before = kept(cast.instance)
    ids = [finished(cast.ed, cast.organization, "a.bin", data) for _ in range(3)]
    make.changes(cast.ed, space, insertion(("a.bin", ids[0]), ("b.bin", ids[1])))
    make.changes(cast.ed, space, insertion(("c.bin", ids[2])))
    assert len(kept(cast.instance) - before) == 1
    for file in cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]:
        assert httpx.get(file["downloadURL"], timeout=TIMEOUT).content == data


@pytest.mark.parametrize(
    "ways",
    [
        {},
        {"upload": "x", "url": "https://example.org/a"},
        {"upload": "x", "base64": "AA=="},
        {"url": "https://example.org/a", "base64": "AA=="},
        {"upload": "x", "url": "https://example.org/a", "base64": "AA=="},
    ],
)
def test_a_file_comes_in_exactly_one_way(cast: Cast, ways: dict[str, str]) -> None:
    file = {"name": "a.bin", "contentType": "text/plain", **ways}
    error = refused(cast.ed, space_of(cast), {"operation": "insert_files", "files": [file]})
    assert details(error) == ["changes.0.files.0"]
    file.pop("contentType")
    answer = cast.ed.post(
        path(cast), {"source": {"type": "file", "files": [file]}, "target": {"space": space_of(cast)}}
    )
    assert answer.status_code == 400
    assert details(answer.json()["error"]) == ["source.files.0"]


def test_uploads_that_cannot_be_used_are_refused_by_their_field(cast: Cast) -> None:
    space = space_of(cast)
    ours = finished(cast.ed, cast.organization, "a.bin", b"ours")
    unfinished = announced(cast.ed, cast.organization, "a.bin", 3)["id"]
    used = finished(cast.ed, cast.organization, "a.bin", b"used")
    make.changes(cast.ed, space, insertion(("a.bin", used)))
    old = finished(cast.ed, cast.organization, "a.bin", b"old")
    day = {"created_at": utc_now() - timedelta(days=1, seconds=1)}
    cast.instance.inside(lambda cx: cx.tx.put(Upload, day, id=old))
    wrong = {
        "unknown": "0" * 20,
        "another organization's": finished(cast.sol, cast.elsewhere, "a.bin", b"theirs"),
        "another member's": finished(cast.ada, cast.organization, "a.bin", b"hers"),
        "unfinished": unfinished,
        "used": used,
        "old": old,
    }
    for why, upload_id in wrong.items():
        error = refused(cast.ed, space, insertion(("ours.bin", ours), ("a.bin", upload_id)))
        assert details(error) == ["changes.0.files.1.upload"], why
        body = {"source": given(("ours.bin", ours), ("a.bin", upload_id)), "target": {"space": space}}
        answer = cast.ed.post(path(cast), body)
        assert (answer.status_code, details(answer.json()["error"])) == (400, ["source.files.1.upload"]), why
    assert "not been sent yet" in refused(cast.ed, space, insertion(("a.bin", unfinished)))["message"]
    twice = refused(cast.ed, space, insertion(("a.bin", ours), ("b.bin", ours)))
    assert details(twice) == ["changes.0.files.1.upload"]
    make.changes(cast.ed, space, insertion(("a.bin", ours)))


def test_an_upload_of_one_organization_is_of_no_use_in_another(cast: Cast) -> None:
    """Also for who belongs to both."""
    space = str(make.space(cast.sol, cast.elsewhere)["id"])
    upload_id = finished(cast.ed, cast.organization, "a.bin", b"ours")
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ed.id, "create"))
    error = refused(cast.ed, space, insertion(("a.bin", upload_id)))
    assert details(error) == ["changes.0.files.0.upload"]


def test_a_batch_that_fails_leaves_its_uploads(cast: Cast) -> None:
    space = space_of(cast)
    upload_id = finished(cast.ed, cast.organization, "a.bin", b"abc")
    used = bytes_used(cast)
    batch = [insertion(("a.bin", upload_id)), {"operation": "delete_page", "page": "none"}]
    answer = cast.ed.post(f"/v1/spaces/{space}/content", {"changes": batch})
    assert answer.status_code == 400
    assert stored(cast.instance, upload_id) is not None
    assert bytes_used(cast) == used
    assert cast.tom.post(f"/v1/spaces/{space}/content", {"changes": batch[:1]}).status_code == 403
    make.changes(cast.ed, space, batch[0])


def test_a_retried_change_uses_its_upload_once(cast: Cast) -> None:
    space = space_of(cast)
    upload_id = finished(cast.ed, cast.organization, "a.bin", b"abc")
    body = {"changes": [insertion(("a.bin", upload_id))]}
    options = {"headers": {"Idempotency-Key": "once"}, "params": {"compat": "false"}}
    first, again = (cast.ed.post(f"/v1/spaces/{space}/content", body, **options) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert len(cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]) == 1


def test_graphql_announces_and_uses_uploads(cast: Cast) -> None:
    asked = (
        "mutation($input: CreateUploadInput!)"
        " { createUpload(input: $input) { upload { restId uploadURL } userErrors { message } } }"
    )
    given = {"organization": cast.organization, "name": "a.bin", "size": 3}
    upload = cast.ed.ask(asked, input=given)["createUpload"]["upload"]
    assert httpx.put(upload["uploadURL"], content=b"abc", timeout=TIMEOUT).status_code == 200
    make.changes(cast.ed, space_of(cast), insertion(("a.bin", upload["restId"])))


def test_an_import_run_reads_uploads(cast: Cast) -> None:
    space, picture = space_of(cast), make.picture(3, 2)
    archive = make.zipped(make.repository({"big.bin": os.urandom(PIECE)}))
    uploaded = finished(cast.ed, cast.organization, "x.zip", archive)
    done = ended(cast, started(cast, given(("main.zip", uploaded)), {"space": space}))
    assert done["status"] == "completed", done
    assert done["source"] == {"type": "file", "files": [{"name": "main.zip"}]}
    assert tree(cast.ria, space) == tree(cast.ria, make.filled_space(cast))
    other = space_of(cast)
    ids = [finished(cast.ed, cast.organization, "a", data) for data in (b"# Home\n\n![x](x.png)\n", picture)]
    source = given(("README.md", ids[0]), ("x.png", ids[1]))
    done = ended(cast, started(cast, source, {"space": other}))
    assert done["status"] == "completed", done
    assert tree(cast.ria, other) == ["readme"]


@pytest.mark.usefixtures("by_hand")
def test_an_import_run_holds_its_uploads_until_it_ends(cast: Cast) -> None:
    space, before = space_of(cast), bytes_used(cast)
    data = make.zipped({"a.md": "# A\n"})
    upload_id = finished(cast.ed, cast.organization, "a.zip", data)
    run = started(cast, given(("a.zip", upload_id)), {"space": space})
    assert stored(cast.instance, upload_id) is None
    assert space_rows.count(cast.instance, ImportFile, run_id=run["id"]) == 1
    assert bytes_used(cast) == before + len(data)
    cancelled = cast.ed.post(path(cast, run["id"], "cancel"))
    assert cancelled.status_code == 200
    assert space_rows.count(cast.instance, ImportFile, run_id=run["id"]) == 0
    assert bytes_used(cast) == before
    again = finished(cast.ed, cast.organization, "a.zip", data)
    run = started(cast, given(("a.zip", again)), {"space": space})
    performed(cast, run)
    assert tree(cast.ria, space) == ["a"]


def test_the_uploads_of_an_import_have_a_limit_together(cast: Cast) -> None:
    ids = [finished(cast.ed, cast.organization, "a.bin", b"abc") for _ in range(2)]
    cast.instance.inside(lambda cx: cx.tx.put(Upload, {"size": LARGEST_UPLOAD - 2}, id=ids[0]))
    body = {"source": given(("a.bin", ids[0]), ("b.bin", ids[1])), "target": {"space": space_of(cast)}}
    answer = cast.ed.post(path(cast), body)
    assert (answer.status_code, details(answer.json()["error"])) == (400, ["source.files"])

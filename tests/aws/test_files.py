"""Bytes of files through the Lambda handler: base64 inside, the same bytes outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.domain.infrastructure.blobs import PIECE
from app.kit.settings import Settings
from tests import make
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, SITES, function
from tests.cast import Cast
from tests.factories.uploads import announced, insertion
from tests.instance import Instance
from tests.timing import TIMEOUT

LARGEST_BODY = 4_500_000  # bytes: in base64, an event of 6 MB
LARGE = os.urandom(PIECE + 1000)
TEXT = "größe " * 100


@pytest.fixture
def client(fresh_database: str, tmp_path: Path) -> Iterator[httpx.Client]:
    """Calls that reach a cold function through its gateway."""
    with (
        function(tmp_path / "log", DOCYARD_DATABASE=fresh_database) as api,
        httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client,
    ):
        yield client


@pytest.fixture
def cast(client: httpx.Client, fresh_database: str) -> Cast:
    """People whose calls reach the function."""
    settings = Settings(database=fresh_database, base_url=BASE, sites_url=SITES)
    return make.cast(Instance(BASE, settings, client))


@pytest.fixture
def files(cast: Cast) -> dict[str, str]:
    """The addresses of some files by their names."""
    wrong = TEXT.encode("latin-1")
    space = make.filled_space(
        cast, {"a.md": "x", "f/large.bin": LARGE, "f/text.txt": TEXT, "f/wrong.txt": wrong, "f/empty.txt": ""}
    )
    listed = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]
    return {file["name"]: file["downloadURL"] for file in listed}


def test_bytes_come_out_as_they_went_in(client: httpx.Client, files: dict[str, str]) -> None:
    large = client.get(files["large.bin"])
    assert (large.status_code, large.content) == (200, LARGE)
    assert client.get(files["text.txt"]).content == TEXT.encode()
    assert client.get(files["wrong.txt"]).content == TEXT.encode("latin-1")
    assert client.get(files["empty.txt"]).content == b""
    head = client.head(files["large.bin"])
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(LARGE)))
    assert client.get(files["large.bin"], headers={"If-None-Match": large.headers["etag"]}).status_code == 304


def test_parts_are_cut_where_they_were_asked_for(client: httpx.Client, files: dict[str, str]) -> None:
    for name, data in (("large.bin", LARGE), ("text.txt", TEXT.encode())):
        for first, last in ((3, 9), (2, 2), (len(data) - 7, len(data) - 1)):  # inside of letters, too
            part = client.get(files[name], headers={"Range": f"bytes={first}-{last}"})
            assert (part.status_code, part.content) == (206, data[first : last + 1])
            assert part.headers["content-range"] == f"bytes {first}-{last}/{len(data)}"
    beyond = client.get(files["text.txt"], headers={"Range": "bytes=99999-"})
    assert (beyond.status_code, beyond.content) == (416, b"")


def test_uploads_come_in_as_they_are(client: httpx.Client, cast: Cast) -> None:
    text, space = TEXT.encode("latin-1"), str(make.space(cast.ada, cast.organization)["id"])
    for name, data in (("large.bin", LARGE), ("wrong.txt", text)):
        upload = announced(cast.ada, cast.organization, name, len(data))
        headers = {header["name"]: header["value"] for header in upload["headers"]}
        answer = client.put(upload["uploadURL"], content=data, headers=headers)
        assert answer.status_code == 200, answer.text
        made = make.changes(cast.ada, space, insertion((name, upload["id"])))
        assert client.get(made["insertedFiles"][0]["downloadURL"]).content == data


def test_what_no_event_holds_needs_a_bucket(cast: Cast) -> None:
    body = {"name": "a.bin", "size": LARGEST_BODY + 1}
    refused = cast.ada.post(f"/v1/orgs/{cast.organization}/uploads", body)
    assert refused.status_code == 400
    assert "4,500,000 bytes" in refused.json()["error"]["message"]
    assert "bucket" in refused.json()["error"]["message"]
    announced(cast.ada, cast.organization, "a.bin", LARGEST_BODY)

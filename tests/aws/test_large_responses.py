"""What is larger than a function can answer is fetched from the bucket, or refused with a sentence."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from app.kit.settings import Settings
from tests import make, s3
from tests.aws.lambda_events import Gateway
from tests.aws.lambda_runtime import BASE, SITES, function
from tests.cast import Cast
from tests.factories.changes import new_page
from tests.factories.uploads import announced, days_later, finished, insertion
from tests.instance import Instance, running
from tests.timing import TIMEOUT

MOST = 4_500_000  # bytes of a body that a function sends
PARTS = [os.urandom(2_400_000) for _ in range(2)]  # which no zip makes smaller
QUOTES = '"' * 2_100_000  # in JSON, and that in an event: four times as much
TEXT = "query($space: ID!, $page: ID!) { space(id: $space) { page(id: $page) { markdown } } }"


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    """The address of an S3 server."""
    with s3.server() as address:
        yield address


@pytest.fixture
def bucket(s3_server: str) -> s3.Bucket:
    """A bucket with nothing in it."""
    return s3.create_bucket(s3_server)


@pytest.fixture
def cast(
    bucket: s3.Bucket, fresh_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cast]:
    """People whose calls reach a function that keeps files in the bucket, as the test can, too."""
    for name, value in s3.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    yield from _cast(_settings(fresh_database, bucket.setting), tmp_path)


@pytest.fixture
def cast_without_bucket(fresh_database: str, tmp_path: Path) -> Iterator[Cast]:
    """People whose calls reach a function that keeps files in its database."""
    yield from _cast(_settings(fresh_database), tmp_path)


def _settings(database: str, blobs: str = "") -> Settings:
    return Settings(database=database, blobs=blobs, base_url=BASE, sites_url=SITES)


def _cast(settings: Settings, folder: Path) -> Iterator[Cast]:
    given = {"DOCYARD_DATABASE": settings.database, "DOCYARD_BLOBS": settings.blobs}
    with (
        function(folder / "log", **given) as api,
        httpx.Client(base_url=BASE, transport=Gateway(api), timeout=TIMEOUT) as client,
    ):
        yield make.cast(Instance(BASE, settings, client))


def space_of(cast: Cast) -> str:
    """A space with two files, which are small enough one by one."""
    space = str(make.space(cast.ada, cast.organization, title="Charts")["id"])
    uploads = []
    for number, data in enumerate(PARTS):
        upload = announced(cast.ada, cast.organization, f"{number}.bin", len(data))
        headers = {header["name"]: header["value"] for header in upload["headers"]}
        sender = cast.instance.http if upload["uploadURL"].startswith(BASE) else httpx
        assert sender.put(upload["uploadURL"], content=data, headers=headers).status_code == 200
        uploads.append((f"{number}.bin", upload["id"]))
    make.changes(cast.ada, space, insertion(*uploads))
    return space


def exported(cast: Cast, space: str) -> httpx.Response:
    """The answer at the address of an export of a space."""
    return cast.instance.http.get(cast.ria.get(f"/v1/spaces/{space}/export").json()["url"])


def test_an_export_of_any_size_is_fetched_from_the_bucket(cast: Cast, bucket: s3.Bucket) -> None:
    answer = exported(cast, space_of(cast))
    assert (answer.status_code, answer.content) == (307, b"")
    assert answer.headers["cache-control"] == "no-store"
    fetched = httpx.get(answer.headers["location"], timeout=TIMEOUT)
    assert fetched.headers["content-type"] == "application/zip"
    assert fetched.headers["content-disposition"] == "attachment; filename*=UTF-8''Charts.zip"
    assert len(fetched.content) > MOST
    with zipfile.ZipFile(io.BytesIO(fetched.content)) as archive:
        assert {archive.read(name) for name in archive.namelist() if name.endswith(".bin")} == set(PARTS)
    assert [data for name, data in bucket.objects().items() if "/responses/" in name] == [fetched.content]
    days_later(cast, 1 / 12)
    assert [name for name in bucket.objects() if "/responses/" in name] == []


def test_an_answer_of_an_api_is_fetched_from_the_bucket(cast: Cast) -> None:
    space = str(make.space(cast.ada, cast.organization)["id"])
    page = new_page(cast.ada, space, title="Marks", document={"markdown": f"```\n{QUOTES}\n```"})
    whole = {"Accept-Encoding": "identity"}
    place = f"/v1/spaces/{space}/content/page/{page}"
    rest = cast.ria.get(place, params={"format": "markdown"}, headers=whole)
    assert rest.status_code == 307
    read = httpx.get(rest.headers["location"], timeout=TIMEOUT)
    assert read.headers["content-type"] == "application/json"
    assert len(read.content) < MOST, "it is too large only as it is written in an event"
    assert QUOTES in read.json()["markdown"]
    asked = {"query": TEXT, "variables": {"space": space, "page": page}}
    graphql = cast.ria.call("POST", "/graphql", json=asked, headers=whole)
    assert graphql.status_code == 303  # to be fetched by GET
    told = httpx.get(graphql.headers["location"], timeout=TIMEOUT).json()
    assert QUOTES in told["data"]["space"]["page"]["markdown"]


def test_without_a_bucket_it_is_refused_with_a_sentence(cast_without_bucket: Cast) -> None:
    cast = cast_without_bucket
    refused = exported(cast, space_of(cast))
    assert refused.status_code == 413
    message = refused.json()["error"]["message"]
    assert "this server sends 4,500,000 at most" in message
    assert "DOCYARD_BLOBS" in message


@pytest.fixture
def large_file(fresh_database: str) -> str:
    """The path of the address of a file that a server has put into the database."""
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        space = str(make.space(cast.ada, cast.organization)["id"])
        upload = finished(cast.ada, cast.organization, "a.bin", b"".join(PARTS))
        url = make.changes(cast.ada, space, insertion(("a.bin", upload)))["insertedFiles"][0]["downloadURL"]
        return urlsplit(str(url)).path


def test_a_large_file_in_the_database_is_fetched_in_parts(large_file: str, cast_without_bucket: Cast) -> None:
    http, whole = cast_without_bucket.instance.http, b"".join(PARTS)
    refused = http.get(large_file)
    assert refused.status_code == 413
    assert refused.json()["error"]["message"].startswith("The response has 4,800,000 bytes")
    assert http.head(large_file).headers["content-length"] == str(len(whole))
    first = http.get(large_file, headers={"Range": "bytes=0-"})
    assert (first.status_code, first.content) == (206, whole[:MOST])
    assert first.headers["content-range"] == f"bytes 0-{MOST - 1}/{len(whole)}"
    rest = http.get(large_file, headers={"Range": f"bytes={MOST}-"})
    assert (rest.status_code, first.content + rest.content) == (206, whole)


def test_a_large_file_in_the_database_is_fetched_from_the_bucket(large_file: str, cast: Cast) -> None:
    answer = cast.instance.http.get(large_file)
    assert answer.status_code == 307
    fetched = httpx.get(answer.headers["location"], timeout=TIMEOUT)
    assert fetched.content == b"".join(PARTS)
    assert fetched.headers["content-disposition"] == "attachment; filename*=UTF-8''a.bin"

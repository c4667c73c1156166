"""Large files in pieces, old versions at addresses of their own, and what a name or a type may hide."""

from __future__ import annotations

import hashlib
import os
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from sqlalchemy import update

from app.access.context import Context
from app.domain.infrastructure.blobs import PIECE
from app.kit.database.statements import command, given, table
from app.kit.http.headers import FILE
from app.models.files import FileVersion
from app.present import signed_links
from tests import anonymous, make
from tests.cast import Cast
from tests.timing import TIMEOUT

LARGE = os.urandom(2 * PIECE + 777)
FILE_VERSIONS = table(FileVersion)
_RENAME = command(
    lambda: (
        update(FILE_VERSIONS)
        .values(name=given("name"), content_type=given("content_type"))
        .where(FILE_VERSIONS.c.line_id == given("space"))
    )
)


def space_with(cast: Cast, data: bytes, name: str = "data.bin") -> str:
    """A new space with one file."""
    return make.filled_space(cast, {"README.md": "x", f"files/{name}": data})


def address(cast: Cast, space: str) -> str:
    """The address of the only file of a space."""
    (file,) = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"]
    url: str = file["downloadURL"]
    return url


def version_address(cast: Cast, space: str, file: str, data: bytes) -> str:
    """The address of what a file was when it had these bytes."""

    async def make_it(cx: Context) -> str:
        return signed_links.download(cx, space, file, "data.bin", hashlib.sha256(data).hexdigest())

    return cast.instance.inside(make_it)


def file_of(url: str) -> str:
    """The id in an address."""
    return urlsplit(url).path.split("/")[4]


def test_a_large_file_is_sent_whole_and_in_parts(cast: Cast) -> None:
    url = address(cast, space_with(cast, LARGE))
    whole = anonymous.get(url)
    assert (whole.status_code, whole.content) == (200, LARGE)
    assert whole.headers["content-length"] == str(len(LARGE))
    assert "transfer-encoding" not in whole.headers
    for first, end in (
        (0, PIECE), (0, PIECE + 1), (PIECE - 1, PIECE + 1), (1, len(LARGE)), (2 * PIECE, len(LARGE)),
    ):  # fmt: skip
        part = anonymous.get(url, headers={"Range": f"bytes={first}-{end - 1}"})
        assert (part.status_code, part.content) == (206, LARGE[first:end])
        assert part.headers["content-length"] == str(end - first)
        assert part.headers["content-range"] == f"bytes {first}-{end - 1}/{len(LARGE)}"
    assert anonymous.get(url, headers={"Range": f"bytes=-{PIECE + 5}"}).content == LARGE[-PIECE - 5 :]


def test_who_stops_reading_harms_nobody(cast: Cast) -> None:
    url = address(cast, space_with(cast, LARGE))
    for _ in range(5):
        with httpx.stream("GET", url, timeout=TIMEOUT) as answer:
            assert next(answer.iter_raw(10)) == LARGE[:10]
    assert anonymous.get(url).content == LARGE


def test_a_head_request_has_the_headers_of_the_whole_file(cast: Cast) -> None:
    url = address(cast, space_with(cast, LARGE))
    head = anonymous.head(url, headers={"Range": "bytes=0-9"})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(LARGE))
    assert head.headers["accept-ranges"] == "bytes"
    assert head.headers["etag"] == f'"{hashlib.sha256(LARGE).hexdigest()}"'
    assert anonymous.head(url, headers={"If-None-Match": head.headers["etag"]}).status_code == 304


def test_units_of_ranges_have_no_case(cast: Cast) -> None:
    part = anonymous.get(address(cast, space_with(cast, b"abcdef")), headers={"Range": "Bytes=1-2"})
    assert (part.status_code, part.content) == (206, b"bc")


def test_the_end_of_an_empty_file_is_all_of_it(cast: Cast) -> None:
    url = address(cast, space_with(cast, b""))
    answer = anonymous.get(url, headers={"Range": "bytes=-5"})
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")
    assert anonymous.get(url, headers={"Range": "bytes=-0"}).status_code == 416


def test_a_version_of_a_file_stays_at_its_address(cast: Cast) -> None:
    space = space_with(cast, b"first")
    current = address(cast, space)
    file = file_of(current)
    first, second = (version_address(cast, space, file, data) for data in (b"first", b"second"))
    assert anonymous.get(current).headers["cache-control"] == "private, no-cache"
    assert anonymous.get(second).status_code == 404
    make.imported(cast, space, {"README.md": "x", "files/data.bin": b"second"}, mirror=True)
    assert anonymous.get(current).content == b"second"
    make.imported(cast, space, {"README.md": "x"}, mirror=True)
    assert anonymous.get(current).status_code == 404
    for url, data in ((first, b"first"), (second, b"second")):
        answer = anonymous.get(url)
        assert (answer.status_code, answer.content) == (200, data)
        assert answer.headers["cache-control"] == "private, max-age=86400, immutable"
    cast.ada.delete(f"/v1/spaces/{space}")
    assert anonymous.get(first).status_code == 404


def test_the_address_of_a_version_leads_to_nothing_else(cast: Cast) -> None:
    space, other = space_with(cast, b"first"), space_with(cast, b"other")
    file, strange = file_of(address(cast, space)), file_of(address(cast, other))
    good = version_address(cast, space, file, b"first")
    part = urlsplit(good).path.split("/")[2]
    until, signed, version = part.split(".")
    of_other = hashlib.sha256(b"other").hexdigest()
    for wrong in (
        good.replace(version, of_other),
        good.replace(part, f"{until}.{signed}"),
        good.replace(part, f"{until}.{signed}."),
        good.replace(part, f"{part}."),
        good.replace(part, f"{part}.x"),
        good.replace(part, f"{int(until) + 1}.{signed}.{version}"),
        good.replace(file, strange),
        good.replace(space, other),
        version_address(cast, space, file, b"other"),
        version_address(cast, space, strange, b"other"),
        version_address(cast, other, file, b"first"),
        address(cast, space).replace(f"/{space}/", f".{version}/{space}/"),
    ):
        assert anonymous.get(wrong).status_code == 404, wrong
    assert anonymous.get(good).content == b"first"


def served_as(cast: Cast, name: str, content_type: str) -> httpx.Response:
    """Return how a file is sent whose row says this, whatever let it in."""
    space = space_with(cast, b"<script>alert(1)</script>")
    values = {"space": space, "name": name, "content_type": content_type}
    cast.instance.inside(lambda cx: cx.tx.run(_RENAME, **values))
    return anonymous.get(address(cast, space))


@pytest.mark.parametrize(
    "content_type",
    ["video/mp4", "audio/mpeg", "application/pdf", "image/svg+xml", "text/html", "application/xhtml+xml",
     "image/png;x=<svg>", "IMAGE/SVG+XML", "text/xsl", "multipart/x-mixed-replace"],
)  # fmt: skip
def test_what_is_no_plain_picture_is_an_attachment(cast: Cast, content_type: str) -> None:
    answer = served_as(cast, "a.png", content_type)
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == FILE["content-security-policy"]


@pytest.mark.parametrize(
    "content_type", ["text/html\r\nSet-Cookie: a=b", "text/html\n\n<b>", "", "html", "text/ü", "a/b/c"]
)
def test_a_type_that_is_none_is_not_repeated(cast: Cast, content_type: str) -> None:
    answer = served_as(cast, "a.png", content_type)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("C:\\evil.exe", "C:_evil.exe"),
        ("photo\u202egpj.exe", "photo_gpj.exe"),
        ("a\u2066b\u200fc.txt", "a_b_c.txt"),
        ("a\r\nSet-Cookie: b=c", "a__Set-Cookie: b=c"),
        ("..", ".."),
        ("a/", "a_"),
        ("it's \"quoted\"; filename=x.html", "it's \"quoted\"; filename=x.html"),
        ("größe 日本 🚀.txt", "größe 日本 🚀.txt"),
    ],
)  # fmt: skip
def test_a_name_cannot_look_like_another_place_or_kind(cast: Cast, name: str, saved: str) -> None:
    said = served_as(cast, name, "text/plain").headers["content-disposition"]
    before, _, encoded = said.partition("''")
    assert before == "attachment; filename*=UTF-8"
    assert unquote(encoded) == saved
    assert not set(encoded) & set("\"'; ()<>@,:\\/[]?={}")

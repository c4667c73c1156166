"""The bytes of files, from signed addresses: who may have them, in parts, and how browsers take them."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from app.kit.http.headers import FILE
from tests import anonymous, make
from tests.cast import Cast
from tests.timing import on_one_day

DATA = bytes(range(256)) * 4


def address(cast: Cast, name: str = "data.bin", content: str | bytes = DATA) -> str:
    """The address of the only file of a new space."""
    space = make.filled_space(cast, {"README.md": "x", f"files/{name}": content})
    file = cast.ria.get(f"/v1/spaces/{space}/content/files").json()["items"][0]
    assert file["name"] == name
    url: str = file["downloadURL"]
    return url


def replaced(url: str, part: int, by: str) -> str:
    """The address with another part: 1 signature, 2 space, 3 file, 4 name."""
    pieces = urlsplit(url).path.split("/")[1:]
    pieces[part] = by
    return urlsplit(url)._replace(path="/" + "/".join(pieces)).geturl()


def signature(url: str) -> str:
    """The signed part of an address."""
    return urlsplit(url).path.split("/")[2]


def test_whoever_has_the_address_has_the_file(cast: Cast) -> None:
    url = address(cast)
    answer = anonymous.get(url)
    assert (answer.status_code, answer.content) == (200, DATA)
    assert answer.headers["content-length"] == str(len(DATA))
    head = anonymous.head(url)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(DATA)))
    assert anonymous.post(url).status_code == 405


def test_the_address_is_the_same_all_day(cast: Cast) -> None:
    space, file = urlsplit(address(cast)).path.split("/")[3:5]

    def twice() -> set[str]:
        path = f"/v1/spaces/{space}/content/files/{file}"
        return {cast.ada.get(path).json()["downloadURL"] for _ in range(2)}

    assert len(on_one_day(twice)) == 1


def test_a_changed_or_missing_signature_opens_nothing(cast: Cast) -> None:
    url, other = address(cast), address(cast)
    until, _, signed = signature(url).partition(".")
    _, _, _, space, file, _ = urlsplit(other).path.split("/")
    wrong = [
        replaced(url, 1, f"{until}.{'A' * 16}"),
        replaced(url, 1, f"{until}.{signed[:-1]}"),
        replaced(url, 1, f"{until}."),
        replaced(url, 1, until),
        replaced(url, 1, f"{int(until) + 1}.{signed}"),
        replaced(url, 1, f"0{until}.{signed}"),
        replaced(url, 1, "%00.%ff"),
        replaced(url, 1, "é²." + "ü" * 16),
        replaced(url, 1, "9" * 5000 + "." + signed),
        replaced(url, 2, space),
        replaced(url, 3, file),
        replaced(replaced(url, 2, space), 3, file),
        replaced(url, 2, "%00"),
    ]
    for address_ in wrong:
        answer = anonymous.get(address_)
        assert answer.status_code == 404, address_
        assert answer.json()["error"]["code"] == 404
    assert anonymous.get(url, headers={"Authorization": "Bearer nobody"}).status_code == 200


def test_an_old_signature_opens_nothing_any_more(cast: Cast) -> None:
    space, file = urlsplit(address(cast)).path.split("/")[3:5]
    signer = cast.instance.signer

    def opened() -> list[int]:
        """What addresses bring that are good until the last day that is given, and days before that."""
        url: str = cast.ada.get(f"/v1/spaces/{space}/content/files/{file}").json()["downloadURL"]
        until = int(signature(url).partition(".")[0])
        signed = (
            f"{day}.{signer.sign('file', f'{space} {file} {day}')}"
            for day in (until, until - 2, until - 3, 1)
        )
        return [anonymous.get(replaced(url, 1, each)).status_code for each in signed]

    assert on_one_day(opened) == [200, 200, 404, 404]


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=1000-", 1000, 1024),
        ("bytes=1000-5000", 1000, 1024),
        ("bytes=-24", 1000, 1024),
        ("bytes=-5000", 0, 1024),
        ("bytes=0-" + "9" * 5000, 0, 1024),
    ],
)
def test_a_part_can_be_asked_for(cast: Cast, asked: str, start: int, end: int) -> None:
    answer = anonymous.get(address(cast), headers={"Range": asked})
    assert (answer.status_code, answer.content) == (206, DATA[start:end])
    assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/1024"
    assert answer.headers["content-length"] == str(end - start)


@pytest.mark.parametrize("asked", ["bytes=1024-", "bytes=5000-6000", "bytes=-0", "bytes=" + "9" * 5000 + "-"])
def test_a_part_beyond_the_end_is_refused(cast: Cast, asked: str) -> None:
    answer = anonymous.get(address(cast), headers={"Range": asked})
    assert (answer.status_code, answer.content) == (416, b"")
    assert answer.headers["content-range"] == "bytes */1024"


@pytest.mark.parametrize(
    "asked",
    ["bytes=5-2", "bytes=0-1,5-6", "bytes=-", "bytes=a-b", "lines=0-1", "bytes 0-1", "bytes=0-1x", ""],
)
def test_what_is_no_range_brings_the_whole_file(cast: Cast, asked: str) -> None:
    answer = anonymous.get(address(cast), headers={"Range": asked})
    assert (answer.status_code, answer.content) == (200, DATA)


def test_a_file_already_held_is_not_sent_again(cast: Cast) -> None:
    url = address(cast)
    tag = anonymous.get(url).headers["etag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        answer = anonymous.get(url, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag), known
    assert anonymous.get(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_part_of_a_file_that_has_changed_is_not_sent(cast: Cast) -> None:
    url = address(cast)
    tag = anonymous.get(url).headers["etag"]
    part = {"Range": "bytes=0-9"}
    assert anonymous.get(url, headers={**part, "If-Range": tag}).status_code == 206
    for other in ('"other"', f"W/{tag}", "Sat, 29 Oct 1994 19:43:31 GMT"):
        answer = anonymous.get(url, headers={**part, "If-Range": other})
        assert (answer.status_code, answer.content) == (200, DATA), other


@pytest.mark.parametrize(
    ("name", "kind", "shown"),
    [
        ("a.png", "image/png", True),
        ("a.JPG", "image/jpeg", True),
        ("a.svg", "image/svg+xml", False),
        ("a.html", "text/plain", False),
        ("a.css", "text/plain", False),
        ("a.xml", "text/plain", False),
        ("a.pdf", "application/pdf", False),
        ("a.js", "text/plain", False),
        ("a.mjs", "application/octet-stream", False),
        ("a.png.html", "text/plain", False),
        ("a", "application/octet-stream", False),
        ("a.xhtml", "application/octet-stream", False),
    ],
)
def test_only_pictures_are_shown_and_nothing_runs(cast: Cast, name: str, kind: str, shown: bool) -> None:
    answer = anonymous.get(address(cast, name, "<script>alert(1)</script>"))
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.headers["content-disposition"].partition(";")[0] == ("inline" if shown else "attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == FILE["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "private" in answer.headers["cache-control"]
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "name", ["Größe 100 %.txt", 'quo"te;.txt', "日本.txt", "a\u00a0b.txt", "%2e%2e.txt", "a?b#c.txt"]
)
def test_a_file_of_any_name_is_found_and_saved_under_it(cast: Cast, name: str) -> None:
    answer = anonymous.get(address(cast, name, "x"))
    assert answer.status_code == 200
    said = answer.headers["content-disposition"]
    assert said.isascii()
    assert httpx.URL("http://x/" + said.partition("''")[2]).path == f"/{name}"
    assert said.count(";") == 1


def test_an_empty_file_is_sent(cast: Cast) -> None:
    url = address(cast, "empty.txt", "")
    assert (anonymous.get(url).status_code, anonymous.get(url).content) == (200, b"")
    assert anonymous.get(url, headers={"Range": "bytes=0-"}).status_code == 416


def test_the_file_of_a_deleted_space_is_gone(cast: Cast) -> None:
    url = address(cast)
    space = urlsplit(url).path.split("/")[3]
    cast.ada.delete(f"/v1/spaces/{space}")
    assert anonymous.get(url).status_code == 404
    cast.ada.post(f"/v1/spaces/{space}/restore")
    assert anonymous.get(url).status_code == 200


def test_a_file_no_longer_held_is_gone_and_a_changed_one_is_new(cast: Cast) -> None:
    url = address(cast)
    space = urlsplit(url).path.split("/")[3]
    tag = anonymous.get(url).headers["etag"]
    make.imported(cast, space, {"README.md": "x", "files/data.bin": b"new"}, mirror=True)
    changed = anonymous.get(url, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.content) == (200, b"new")
    make.imported(cast, space, {"README.md": "x"}, mirror=True)
    assert anonymous.get(url).status_code == 404

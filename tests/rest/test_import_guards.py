"""Imports from hosts that are hostile, private, slow or simply wrong: 400 naming `url`, nothing changed."""

from __future__ import annotations

import io
import stat
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests import make
from tests.cast import Cast, Person
from tests.factories import changes, space_rows
from tests.instance import Instance, running
from tests.local_server import Answer, Handler, Neighbour, endless, gzip_bomb, html, redirect, sent, slow
from tests.timing import TIMEOUT

MARKDOWN = "text/markdown"
SECRET = "the-body-of-the-other-host"


@pytest.fixture(scope="module")
def instance(database: str, next_door: Neighbour) -> Iterator[Instance]:
    """The product that takes little; it may reach the neighbour."""
    limits = {"outbound_max_bytes": 300_000, "import_max_pages": 20}
    patient = {"outbound_timeout": 60.0, "import_timeout": 100.0}
    with running(database, outbound_allow=next_door.address, **limits, **patient) as instance:
        yield instance


@pytest.fixture(scope="module")
def hasty(database: str, next_door: Neighbour) -> Iterator[Cast]:
    """An organization on the product with little patience, with which nothing is sure to succeed."""
    limits = {"outbound_timeout": 0.6, "import_timeout": 1.5}
    with running(database, outbound_allow=next_door.address, **limits) as instance:
        yield make.cast(instance)


@pytest.fixture(scope="module")
def closed(database: str) -> Iterator[Instance]:
    """The product as it is without an allow list."""
    with running(database) as instance:
        yield instance


@pytest.fixture(scope="module")
def cast(instance: Instance) -> Cast:
    """One organization for all tests here, since what is refused leaves nothing."""
    return make.cast(instance)


@pytest.fixture(scope="module")
def space(cast: Cast) -> str:
    """A space with content, which no import here may change."""
    return make.filled_space(cast)


def brings(person: Person, space: str, url: str, source: str = "markdown") -> httpx.Response:
    """An import from an address."""
    return person.post(f"/v1/spaces/{space}/content/import", {"url": url, "source": source})


def refused(cast: Cast, space: str, url: str, source: str = "markdown") -> str:
    """Return the refusal of an import that must leave everything as it was."""
    before = cast.ada.get(f"/v1/spaces/{space}/content").json()
    answer = brings(cast.ada, space, url, source)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, 400), answer.text
    assert [detail["path"] for detail in error["details"]] == ["url"]
    assert SECRET not in answer.text
    assert cast.ada.get(f"/v1/spaces/{space}/content").json() == before
    message: str = error["message"]
    return message


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost.", "LOCALHOST", "127.0.0.2", "127.1", "2130706433", "0x7f000001",
        "0177.0.0.1", "0x7f.1", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
        "169.254.169.254", "[fd00::1]", "[fe80::1]", "[fe80::1%25lo]", "224.0.0.1", "255.255.255.255",
        "127。0。0。2", "①②⑦.⓪.⓪.①", "does-not-exist.invalid", "-.example", "[::1",
    ],
)  # fmt: skip
def test_private_addresses_are_refused_in_every_spelling(
    cast: Cast, space: str, neighbour: Neighbour, host: str
) -> None:
    asked: list[str] = []

    def answer(request: Any) -> Answer:
        asked.append(request.path)
        return sent(SECRET, MARKDOWN)

    neighbour.shows("/x.md", answer)
    port = neighbour.address.rpartition(":")[2]
    refused(cast, space, f"http://{host}:{port}/x.md")
    assert asked == []


@pytest.mark.parametrize("source", ["markdown", "html", "zip", "docx", "website"])
def test_without_an_allow_list_the_neighbour_cannot_be_reached(
    closed: Instance, neighbour: Neighbour, source: str
) -> None:
    cast = make.cast(closed)
    space = make.filled_space(cast)
    asked: list[str] = []

    def answer(request: Any) -> Answer:
        asked.append(request.path)
        return html(SECRET)

    message = refused(cast, space, neighbour.shows("/x", answer), source)
    assert "public" in message
    assert asked == []


def test_with_it_only_that_port_can(cast: Cast, neighbour: Neighbour) -> None:
    space = make.filled_space(cast)
    assert brings(cast.ada, space, neighbour.shows("/x.md", sent("# X\n", MARKDOWN))).status_code == 201
    own_port = cast.instance.base.rpartition(":")[2]
    assert "public" in refused(cast, space, f"http://127.0.0.1:{own_port}/healthz")


@pytest.mark.parametrize(
    "to",
    [
        "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://localhost:{port}/secret",
        "http://[::ffff:127.0.0.1]:{port}/secret", "//127.1:{port}/secret", "file:///etc/passwd",
        "gopher://127.0.0.1/", "http://user:pass@127.0.0.1:{port}/secret", "/again", "http://", "",
    ],
)  # fmt: skip
def test_redirects_lead_nowhere_private(cast: Cast, space: str, neighbour: Neighbour, to: str) -> None:
    asked: list[str] = []

    def secret(request: Any) -> Answer:
        asked.append(request.path)
        return sent(SECRET, MARKDOWN)

    neighbour.shows("/secret", secret)
    neighbour.shows("/again", redirect("/again"))
    port = neighbour.address.rpartition(":")[2]
    for source in ("markdown", "website"):
        refused(cast, space, neighbour.shows("/x", redirect(to.format(port=port))), source)
    assert asked == []


def hanging(_request: Any) -> Answer:
    """Nothing for longer than anyone waits."""
    threading.Event().wait(TIMEOUT)
    return sent(SECRET)


def cut_off(_request: Any) -> Answer:
    """Less than was promised."""
    return 200, {"content-length": "1000"}, iter([SECRET.encode()])


BAD_ANSWERS: dict[str, Answer | Handler] = {
    "endless": endless(),
    "cut off": cut_off,
    "gzip bomb": gzip_bomb(60_000_000),
    "large": sent(b"x" * 400_000),
    "declared large": (200, {"content-length": "99999999999"}, b""),
    "broken gzip": (200, {"content-encoding": "gzip"}, SECRET.encode()),
    "unknown encoding": (200, {"content-encoding": "br"}, SECRET.encode()),
    "not found": (404, {}, SECRET.encode()),
    "unauthorized": (401, {}, SECRET.encode()),
    "failing": (500, {}, SECRET.encode()),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_bad_answers_are_told(cast: Cast, space: str, neighbour: Neighbour, name: str) -> None:
    source = "html" if name == "endless" else "markdown"
    message = refused(cast, space, neighbour.shows("/x", BAD_ANSWERS[name]), source)
    status = {"not found": "404", "unauthorized": "401", "failing": "500"}.get(name)
    assert status is None or status in message


@pytest.mark.parametrize(("answer", "source"), [(slow(0.05), "html"), (hanging, "markdown")])
def test_nobody_waits_for_who_does_not_come_to_an_end(
    hasty: Cast, neighbour: Neighbour, answer: Handler, source: str
) -> None:
    space = make.filled_space(hasty)
    refused(hasty, space, neighbour.shows("/x", answer), source)


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("markdown", SECRET.encode("utf-16")),
        ("zip", SECRET.encode()),
        ("zip", b""),
        ("zip", make.zipped(make.repository())[:400]),
        ("zip", b"PK\x05\x06" + bytes(18)),
        ("zip", make.zipped({".hidden": SECRET, "a/.gitkeep": ""})),
        ("docx", SECRET.encode()),
        ("docx", make.zipped({"README.md": SECRET})),
        ("website", SECRET.encode()),
    ],
)
def test_what_is_not_what_it_was_called_is_refused(
    cast: Cast, space: str, neighbour: Neighbour, source: str, body: bytes
) -> None:
    refused(cast, space, neighbour.shows("/x", sent(body)), source)


def entries(*named: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """A zip with these entries, whatever they are."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in named:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def symlink(name: str) -> zipfile.ZipInfo:
    """An entry that is a symbolic link."""
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def encrypted() -> bytes:
    """A zip that says that it is encrypted."""
    data = bytearray(entries(("README.md", b"# X\n")))
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "make_zip",
    [
        lambda: entries(("README.md", b"x"), ("../../evil.md", b"x")),
        lambda: entries(("README.md", b"x"), ("/etc/evil.md", b"x")),
        lambda: entries(("README.md", b"x"), ("C:\\evil.md", b"x")),
        lambda: entries(("README.md", b"x"), ("a/../../evil.md", b"x")),
        lambda: entries(("README.md", b"x"), ("a\u202egnp.md", b"x")),
        lambda: entries(("README.md", b"x"), (symlink("evil.md"), b"/etc/passwd")),
        lambda: entries(("README.md", b"x"), ("a.md", b"1"), ("a.md", b"2")),
        lambda: entries(("README.md", b"x"), ("a.md", b"1"), ("A.md", b"2")),
        lambda: entries(("a", b"file"), ("a/b.md", b"folder")),
        lambda: entries(("README.md", b"x"), *((f"{n}.bin", bytes(21_000_000)) for n in range(5))),
        lambda: entries(("README.md", b"x"), ("large.bin", bytes(60_000_000))),
        lambda: entries(("README.md", b"x"), ("x/" * 100 + "a.md", b"x")),
        encrypted,
        lambda: entries(("README.md", b"x")).replace(b"PK\x01\x02", b"PK\x01\x03"),
    ],
    ids=[
        "parent", "absolute", "drive", "hidden parent", "direction", "link", "twice", "twice but for case",
        "file and folder", "bomb", "large file", "deep", "encrypted", "damaged",
    ],
)  # fmt: skip
def test_hostile_zips_are_refused(
    cast: Cast, space: str, neighbour: Neighbour, make_zip: Callable[[], bytes]
) -> None:
    refused(cast, space, neighbour.shows("/x.zip", sent(make_zip())), "zip")


def test_what_is_broken_late_in_a_zip_leaves_nothing(cast: Cast, space: str, neighbour: Neighbour) -> None:
    packed = io.BytesIO()
    summary = "* [First](a.md)\n* [Last](z.md)\n"
    tree = {"SUMMARY.md": summary, "a.md": "# First\n", "z.md": "# Last\n" + "line\n" * 5_000 + "spoiled\n"}
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in tree.items():
            archive.writestr(name, text)
    before = space_rows.held(cast.instance, space, only_open=False)
    message = refused(
        cast, space, neighbour.shows("/x.zip", sent(packed.getvalue().replace(b"spoiled", b"spoilt!"))), "zip"
    )
    assert "z.md" in message
    assert space_rows.held(cast.instance, space, only_open=False) == before


def test_too_much_is_refused_before_anything_is_written(cast: Cast, space: str, neighbour: Neighbour) -> None:
    tree = {f"{number}.md": "word " * 900_000 for number in range(5)}
    refused(cast, space, neighbour.shows("/x.zip", sent(make.zipped(tree))), "zip")


def test_a_website_without_end_is_cut_off_and_kept(cast: Cast, neighbour: Neighbour) -> None:
    def day(request: Any) -> Answer:
        number = int(request.path.rpartition("/")[2] or 0)
        return html(f'<main><h1>Day {number}</h1><p><a href="/days/{number + 1}">Next</a></p></main>')

    neighbour.shows("/days/*", day)
    space = make.space(cast.ada, cast.organization)["id"]
    answer = brings(cast.ada, space, f"{neighbour.base}/days/0", "website")
    assert answer.status_code == 201
    assert 1 <= answer.json()["importedResources"] <= 20
    assert answer.json()["totalResources"] >= answer.json()["importedResources"]


def test_a_website_that_forbids_robots_is_left_alone(cast: Cast, space: str, neighbour: Neighbour) -> None:
    neighbour.shows("/robots.txt", sent("User-agent: *\nDisallow: /\n", "text/plain"))
    refused(cast, space, neighbour.shows("/docs/", html("<h1>X</h1>")), "website")


def fetched(neighbour: Neighbour, path: str, count: int) -> dict[str, Any]:
    """New files, each from an address of its own below the path."""
    uploads = [{"name": "a.bin", "url": f"{neighbour.base}{path}/{n}"} for n in range(count)]
    return {"operation": "insert_files", "files": uploads}


def test_files_that_a_batch_fetches_share_their_bytes(cast: Cast, neighbour: Neighbour) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    neighbour.shows("/large/*", sent(bytes(140_000), "image/png"))
    two = fetched(neighbour, "/large", 2)
    assert changes.refused(cast.ed, space, two, two, path="changes.1.files.0.url") == 400
    assert changes.send(cast.ed, space, two).status_code == 200


def test_files_that_a_batch_fetches_share_their_time(hasty: Cast, neighbour: Neighbour) -> None:
    def late(_request: Any) -> Answer:
        time.sleep(0.4)
        return sent("x", "image/png")

    neighbour.shows("/late/*", late)
    space = make.space(hasty.ada, hasty.organization)["id"]
    assert changes.refused(hasty.ed, space, fetched(neighbour, "/late", 5)) == 400

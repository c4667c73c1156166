"""Threat 38 and the outbound ones, for git: hostile repositories, servers and names are refused or inert.

Hooks are not fetched by git's protocol at all, and nothing is ever checked out, so there is nothing to run.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.kit.git.limits import AuthFailed, GitLimits, GitProblem, GitRefused, RepositoryTooLarge, Unreachable
from app.kit.git.transfers import Checkout, fetch
from app.kit.git.transport import GitCredentials
from app.kit.http.outbound import Outbound
from tests.git_server import Host, hosting
from tests.local_server import Answer, Request, redirect, serve

WORDS = {"README.md": b"# Hello\n", "docs/one.md": b"one\n"}
FILE, FOLDER = "100644", "40000"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "repositories") as host:
        yield host


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that scratch folders are made in."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def fetched(host: Host, url: str, ref: str = "main", **wishes: object) -> Checkout:
    wishes.setdefault("outbound", host.outbound)
    return asyncio.run(fetch(url, ref, **wishes))  # type: ignore[arg-type]


def test_links_submodules_and_pointers_are_told_and_not_followed(host: Host) -> None:
    origin = host.create(files=WORDS)
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"
    tree = origin.odd_tree(
        ("120000", b"README.md", origin.blob(b"/etc/passwd")),
        (FILE, b"bad\xff.md", origin.blob(b"x")),
        (FILE, b"film.mp4", origin.blob(pointer)),
        (FILE, b"line\nbreak.md", origin.blob(b"x")),
        ("160000", b"module", origin.tip()),
        ("100755", b"plain.md", origin.blob(b"plain")),
    )
    origin.commit_tree(tree)
    with fetched(host, origin.url) as checkout:
        assert list(checkout.tree.paths()) == ["plain.md"]
        told = dict(checkout.tree.passed_over)
    assert told["README.md"] == "links are not followed"
    assert told["module"] == "it is a submodule, which is another repository"
    assert told["film.mp4"] == "it is only a pointer to a file kept elsewhere (LFS)"
    assert {"bad\udcff.md", "line\nbreak.md"} < set(told)


@pytest.mark.parametrize(
    "name",
    [
        b"..", b".", b".git", b".GIT", b".git ", b".git.", b"git~1", b".git::$INDEX_ALLOCATION", b"a/b",
        b"/etc", b"..\\up", ".g\u200cit".encode(), "\ufeff.Git".encode(),
    ],
)  # fmt: skip
def test_a_name_that_leads_out_refuses_the_repository(host: Host, name: bytes) -> None:
    origin = host.create(files=WORDS)
    inner = origin.odd_tree((FILE, name, origin.blob(b"x")))
    origin.commit_tree(origin.odd_tree((FOLDER, b"docs", inner)))
    with pytest.raises(GitRefused, match="leads outside"):
        fetched(host, origin.url)


def test_a_tree_that_is_none_refuses_the_repository(host: Host) -> None:
    origin = host.create(files=WORDS)
    blob = origin.blob(b"x")
    trees = [
        origin.odd_tree((FILE, b"same.md", blob), (FILE, b"same.md", blob)),
        origin.odd_tree((FILE, b"", blob)),
        origin.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=b"999 not a tree"),
    ]
    for tree in trees:
        origin.commit_tree(tree)
        with pytest.raises(GitRefused):
            fetched(host, origin.url)


def test_a_small_repository_of_endless_paths_is_bounded(host: Host) -> None:
    origin = host.create(files=WORDS)
    tree = origin.odd_tree((FILE, b"page.md", origin.blob(b"x")))
    for _ in range(12):
        tree = origin.odd_tree(*((FOLDER, b"%02d" % number, tree) for number in range(12)))
    origin.commit_tree(tree)
    with pytest.raises(RepositoryTooLarge, match="1,000 files"):
        fetched(host, origin.url, limits=GitLimits(files=1_000))


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch /tmp/x", "-u", "ext::sh -c touch% /tmp/x", "ssh://git@example.org/x",
        "git://example.org/x", "git@example.org:x/y", "file:///etc", "/etc", "../x", "http://example.org/x.git",
        "HTTP://example.org/x", "",
        "ftp://example.org/x", "https://ada:secret@example.org/x", "https://secret@example.org/x", "https:///x",
        "https://example.org/x?y=z", "https://example.org/x#y", "https://example.org/a/../b", "https://[::1/x",
        "https://example.org/a/%2e%2e/b", "https://example.org/a b", "https://example.org/a\nb",
        "https://example.org:x/",
        "https://example.org\\@evil/x", "https://example.org/" + "x" * 3000,
    ],
)  # fmt: skip
def test_an_address_that_is_no_https_address_is_refused(host: Host, url: str) -> None:
    with pytest.raises(GitRefused) as refused:
        fetched(host, url)
    assert "secret" not in str(refused.value)
    assert refused.value.path == "url"


@pytest.mark.parametrize(
    "ref",
    [
        "--upload-pack=x", "-x", "", "a..b", "a b", "a\nb", "a:b", "a~1", "a^", "a?", "a*", "a[", "a\\b",
        "a@{1}", "@", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "\x00", "x" * 300,
        "a\ud800", "+main:main",
    ],
)  # fmt: skip
def test_a_ref_that_is_none_is_refused_before_anybody_is_asked(host: Host, ref: str) -> None:
    with pytest.raises(GitRefused) as refused:
        fetched(host, host.create().url, ref)
    assert refused.value.path == "ref"
    assert host.requests == []


def test_private_addresses_are_refused_also_after_a_redirect(host: Host) -> None:
    origin = host.create(files=WORDS)
    with pytest.raises(Unreachable, match="public address"):
        fetched(host, "https://127.0.0.1:1/x.git", outbound=Outbound())
    with serve({"/*": host.answer}) as inside:
        host.routes["/moved.git/info/refs"] = redirect(f"{inside}/docs.git/info/refs?service=git-upload-pack")
        host.requests.clear()
        with pytest.raises(GitProblem):
            fetched(host, f"{host.base}/moved.git")
        assert host.requests == []
    with fetched(host, origin.url) as checkout:
        assert checkout.commit.id == origin.tip()


def test_a_repository_that_moved_on_its_server_is_found(host: Host) -> None:
    origin = host.create(files=WORDS)
    host.routes["/old.git/info/refs"] = redirect("/docs.git/info/refs?service=git-upload-pack", 301)
    with fetched(host, f"{host.base}/old.git") as checkout:
        assert checkout.commit.id == origin.tip()


SECRET = GitCredentials("ada", "s3cr3t-t0ken")
LOGIN = "Basic " + base64.b64encode(b"ada:s3cr3t-t0ken").decode()


def test_credentials_open_what_asks_for_them(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    origin = host.create(files=WORDS)
    host.login = LOGIN
    with fetched(host, origin.url, credentials=SECRET) as checkout:
        assert checkout.commit.id == origin.tip()
    with pytest.raises(AuthFailed, match="asks for a user"):
        fetched(host, origin.url)
    with pytest.raises(AuthFailed, match="does not accept") as refused:
        fetched(host, origin.url, credentials=GitCredentials("ada", "wr0ng"))
    assert "wr0ng" not in str(refused.value) + repr(refused.value)
    assert "s3cr3t" not in repr(SECRET)
    assert "s3cr3t" not in caplog.text
    assert LOGIN.partition(" ")[2] not in caplog.text
    with pytest.raises(GitRefused):
        GitCredentials("ada", "x\r\nX-Evil: 1")


def test_credentials_stay_with_their_own_server(host: Host, tmp_path: Path) -> None:
    host.create(files=WORDS)
    with hosting(tmp_path / "others") as other:
        other.create(files=WORDS)
        host.routes["/docs.git/info/refs"] = redirect(
            f"{other.base}/docs.git/info/refs?service=git-upload-pack"
        )
        both = Outbound(allow=host.outbound.allow | other.outbound.allow)
        with fetched(host, f"{host.base}/docs.git", credentials=SECRET, outbound=both):
            pass
    assert len(other.requests) > 1
    assert not any("authorization" in request.headers for request in other.requests)


def served(host: Host, body: Callable[[], object]) -> str:
    """A repository whose pack is this body, with a real list of refs before it."""
    origin = host.create(files=WORDS)

    def answer(request: Request) -> Answer:
        if b"command=fetch" not in request.body:
            return host.answer(request)
        return 200, {"content-type": "application/x-git-upload-pack-result"}, body()  # type: ignore[return-value]

    host.routes["/*"] = answer
    return origin.url


def line(data: bytes) -> bytes:
    return b"%04x" % (len(data) + 4) + data


def test_an_endless_pack_is_cut_off(host: Host, scratch: Path) -> None:
    piece = line(b"\x01" + b"x" * 60_000)
    url = served(host, lambda: itertools.chain([line(b"packfile\n")], itertools.repeat(piece)))
    with pytest.raises(RepositoryTooLarge, match="larger than 3 MB"):
        fetched(host, url, limits=GitLimits(pack=3_200_000))
    assert list(scratch.iterdir()) == []


def test_an_endless_list_of_refs_is_cut_off(host: Host) -> None:
    head = {"content-type": "application/x-git-upload-pack-advertisement"}
    host.routes["/*"] = (200, head, itertools.repeat(line(b"0" * 40 + b" refs/heads/x\n")))
    with pytest.raises(RepositoryTooLarge):
        fetched(host, f"{host.base}/x.git", limits=GitLimits(refs=1 << 20))


def test_a_slow_server_is_given_up(host: Host, scratch: Path) -> None:
    def drip() -> Iterator[bytes]:
        yield line(b"packfile\n")
        while True:
            time.sleep(0.05)
            yield line(b"\x02still counting")

    url = served(host, drip)
    with pytest.raises(Unreachable, match="too long"):
        fetched(host, url, limits=GitLimits(seconds=1.5))
    assert list(scratch.iterdir()) == []


def test_a_caller_who_leaves_leaves_nothing_behind(host: Host, scratch: Path) -> None:
    url = served(host, lambda: itertools.repeat(line(b"\x02waiting" * 100)))

    async def leave() -> None:
        async with asyncio.timeout(0.5):
            await fetch(url, "main", outbound=host.outbound, limits=GitLimits(pack=1 << 40))

    with pytest.raises(TimeoutError):
        asyncio.run(leave())
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "body",
    [
        b"", b"0000", b"zzzz", b"0001", b"<html>", line(b"packfile\n"), line(b"ERR secret words\n"),
        line(b"packfile\n") + line(b"\x03secret words\n"),
        line(b"packfile\n") + line(b"\x01PACK") + b"0000",
        line(b"packfile\n") + line(b"\x09?"),
        line(b"packfile-uris\n") + line(b"a" * 40 + b" sha1 http://127.0.0.1/") + line(b"packfile\n"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_told_in_our_words(host: Host, body: bytes) -> None:
    url = served(host, lambda: body)
    with pytest.raises(GitRefused, match="damaged or not what git servers send") as refused:
        fetched(host, url)
    assert refused.value.__cause__ is None
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/x-git-receive-pack-advertisement"])
def test_a_server_that_is_no_git_server_is_told_as_such(host: Host, kind: str) -> None:
    host.routes["/*"] = (200, {"content-type": kind}, b"0" * 40 + b"\trefs/heads/main\n")
    with pytest.raises(Unreachable, match="no repository"):
        fetched(host, f"{host.base}/x.git")


def test_without_the_library_git_is_refused_in_words(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "dulwich"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "app.kit.git.connection", raising=False)
    with pytest.raises(GitRefused, match=r"docyard\[git\]"):
        fetched(host, host.create().url)


def test_a_folder_of_this_machine_has_the_same_limits(host: Host, scratch: Path) -> None:
    origin = host.create(files={"noise.bin": hashlib.shake_128(b"noise").digest(2 << 20)})
    with pytest.raises(RepositoryTooLarge, match="larger than 1 MB"):
        fetched(host, str(origin.path), local=True, limits=GitLimits(pack=1 << 20))
    assert list(scratch.iterdir()) == []

"""Fetching from a real git server: any ref, the files exactly, nothing more than needed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.kit.errors import Invalid
from app.kit.git.limits import GitRefused, RefMissing, Unreachable
from app.kit.git.objects import blob_id
from app.kit.git.transfers import Checkout, Files, FolderMissing, fetch
from tests.git_server import Host, Origin, git, hosting

WORDS = {
    "README.md": b"# Hello\n",
    "SUMMARY.md": b"# Table of contents\n\n* [Hello](README.md)\n",
    "guide/stärke.md": "# Stärke\r\n\r\nnot a \N{SNOWMAN} newline at the end".encode(),
    "guide/deep/er/page.md": b"",
    "guide/image.png": bytes(range(256)) * 40,
}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "repositories") as host:
        yield host


def fetched(host: Host, origin: Origin, ref: str = "main", **wishes: object) -> Checkout:
    return asyncio.run(fetch(origin.url, ref, outbound=host.outbound, **wishes))  # type: ignore[arg-type]


def everything(tree: Files) -> dict[str, bytes]:
    return {path: tree.read(path) for path in tree.paths()}


def test_a_branch_is_fetched_with_its_files_to_the_byte(host: Host) -> None:
    origin = host.create(files=WORDS)
    with fetched(host, origin) as checkout:
        assert everything(checkout.tree) == WORDS
        assert list(checkout.tree.paths()) == sorted(WORDS)
        assert checkout.tree.passed_over == []
        assert checkout.tree.size("guide/image.png") == 10240
        assert checkout.tree.read("guide/image.png", 3) == b"\x00\x01\x02"


def test_the_server_is_told_that_git_asks(host: Host) -> None:
    with fetched(host, host.create(files=WORDS)):
        assert {request.headers["user-agent"] for request in host.requests} == {"git/2.40 (Docyard)"}


def test_a_commit_says_who_made_it_when_and_why(host: Host) -> None:
    origin = host.create(files=WORDS)
    tip = origin.commit(WORDS, message="Größer\n\nand longer")
    with fetched(host, origin) as checkout:
        commit = checkout.commit
    assert commit.id == tip
    assert commit.message == "Größer\n\nand longer"
    assert (commit.author.name, commit.author.email) == ("Ada Writer", "ada@example.org")
    assert commit.at == datetime.fromtimestamp(1700000000, UTC)


def test_ids_of_files_are_those_of_git(host: Host) -> None:
    origin = host.create(files=WORDS)
    with fetched(host, origin) as checkout:
        for path, content in WORDS.items():
            assert checkout.tree.oid(path) == origin.git("rev-parse", f"main:{path}") == blob_id(content)


@pytest.mark.parametrize("ref", ["v1", "refs/tags/v1", "light"])
def test_a_tag_is_fetched(host: Host, ref: str) -> None:
    origin = host.create(files=WORDS)
    tagged = origin.tip()
    origin.git("tag", "-a", "v1", "-m", "First")
    origin.git("tag", "light")
    origin.commit({"other.md": b"later"})
    with fetched(host, origin, ref) as checkout:
        assert checkout.commit.id == tagged
        assert everything(checkout.tree) == WORDS


def test_a_branch_wins_over_a_tag_of_its_name(host: Host) -> None:
    origin = host.create(files=WORDS)
    origin.git("tag", "main")
    tip = origin.commit({"other.md": b"later"})
    with fetched(host, origin) as checkout:
        assert checkout.commit.id == tip


def test_a_commit_is_fetched_by_its_id_though_no_branch_is_at_it(host: Host) -> None:
    origin = host.create(files=WORDS)
    old = origin.tip()
    origin.commit({"other.md": b"later"})
    with fetched(host, origin, old) as checkout:
        assert checkout.commit.id == old
        assert everything(checkout.tree) == WORDS


def test_head_is_the_default_branch(host: Host) -> None:
    origin = host.create(files=WORDS)
    origin.commit({"x.md": b"x"}, branch="aaa")
    with fetched(host, origin, "HEAD") as checkout:
        assert checkout.commit.id == origin.tip("main")


def test_history_is_left_behind(host: Host) -> None:
    origin = host.create(files={"big.bin": hashlib.sha512(b"seed").digest()})
    noise = b"".join(hashlib.sha512(str(i).encode()).digest() for i in range(20_000))
    origin.commit({"big.bin": noise})
    origin.commit({"README.md": b"small now"})
    with fetched(host, origin) as checkout:
        assert everything(checkout.tree) == {"README.md": b"small now"}
        kept = sum(file.stat().st_size for file in checkout._work.folder.iterdir())
    assert kept < 2_000


def test_files_stored_as_deltas_come_out_whole(host: Host) -> None:
    text = [f"line {number} {hashlib.md5(str(number).encode()).hexdigest()}" for number in range(3_000)]
    versions = {}
    for number in range(60):
        text[number * 50] = f"changed in {number}"
        versions[f"v{number}.md"] = "\n".join(text).encode()
    origin = host.create(files=versions)
    origin.git("repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=60")
    assert "chain length = 5" in origin.git("verify-pack", "-v", *map(str, origin.path.rglob("*.idx")))
    with fetched(host, origin) as checkout:
        assert everything(checkout.tree) == versions


def test_a_large_tree_is_read_whole(host: Host) -> None:
    files = {f"part-{n % 37}/chapter-{n % 11}/page-{n}.md": f"# Page {n}\n".encode() for n in range(2_000)}
    origin = host.create(files=files)
    with fetched(host, origin) as checkout:
        assert everything(checkout.tree) == files


def test_a_project_directory_is_the_root_of_what_is_read(host: Host) -> None:
    origin = host.create(files=WORDS)
    with fetched(host, origin, directory="/guide/") as checkout:
        assert list(checkout.tree.paths()) == ["deep/er/page.md", "image.png", "stärke.md"]
    with pytest.raises(FolderMissing) as missing:
        fetched(host, origin, directory="guide/README.md")
    assert missing.value.commit.id == origin.tip()
    with pytest.raises(GitRefused):
        fetched(host, origin, directory="guide/../..")


def test_what_is_not_there_is_told_as_such(host: Host) -> None:
    origin = host.create(files=WORDS)
    with pytest.raises(RefMissing, match="no such branch or tag") as missing:
        fetched(host, origin, "mai")
    assert not missing.value.empty
    with pytest.raises(RefMissing, match="no such commit"):
        fetched(host, origin, "0123456789abcdef0123456789abcdef01234567")
    with pytest.raises(Unreachable, match="no repository"):
        fetched(host, Origin(origin.path, f"{host.base}/other.git"))
    with fetched(host, origin) as checkout, pytest.raises(Invalid, match="no such file"):
        checkout.tree.read("missing.md")


def test_an_empty_repository_has_nothing_to_fetch(host: Host) -> None:
    with pytest.raises(RefMissing) as missing:
        fetched(host, host.create())
    assert missing.value.empty


def test_nothing_stays_on_disk_once_closed(host: Host) -> None:
    checkout = fetched(host, host.create(files=WORDS))
    folder = checkout._work.folder
    assert folder.is_dir()
    checkout.close()
    assert not folder.exists()


def test_a_folder_of_this_machine_is_read_only_for_those_who_may(host: Host, tmp_path: Path) -> None:
    origin = host.create(files=WORDS)
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "--quiet", str(origin.path), str(copy))
    for place in (origin.path.as_uri(), str(origin.path), str(copy)):
        with fetched(host, Origin(copy, place), local=True) as checkout:
            assert everything(checkout.tree) == WORDS
            assert checkout.commit.id == origin.tip()
        with pytest.raises(GitRefused):
            fetched(host, Origin(copy, place))
    with pytest.raises(Unreachable):
        fetched(host, Origin(copy, str(tmp_path)), local=True)
    with pytest.raises(RefMissing):
        fetched(host, origin_at(tmp_path), local=True)


def origin_at(folder: Path) -> Origin:
    """An empty repository on this machine."""
    path = folder / "empty"
    path.mkdir()
    git(path, "init", "--quiet", "--bare", ".")
    return Origin(path, str(path))


def test_an_old_server_without_the_newer_protocol_is_understood(host: Host) -> None:
    origin = host.create(files=WORDS)

    def old(request: object) -> object:
        request.headers.pop("git-protocol", None)  # type: ignore[attr-defined]
        return host.answer(request)  # type: ignore[arg-type]

    host.routes["/*"] = old  # type: ignore[assignment]
    with fetched(host, origin) as checkout:
        assert everything(checkout.tree) == WORDS
    with pytest.raises(RefMissing) as missing:
        fetched(host, host.create("empty.git"))
    assert missing.value.empty

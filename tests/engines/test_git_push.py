"""Pushing to a real git server: only what differs, only from where the caller stood; git finds it sound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.kit.git.limits import GitLimits, GitRefused, RepositoryTooLarge, Stale
from app.kit.git.objects import CommitAuthor
from app.kit.git.transfers import fetch, push
from tests.git_server import Host, Origin, git, hosting

WORDS = {
    "README.md": b"# Hello\n",
    "docs/one.md": b"one\n",
    "docs/two.md": b"two\n",
    "docs/sub/three.md": b"three\n",
    "docs/sub.md": b"beside\n",
    "src/main.c": b"int main;\n",
}
GRACE = CommitAuthor("Grace Höpper", "grace@example.org")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "repositories") as host:
        yield host


def pushed(
    host: Host,
    origin: Origin,
    changes: Mapping[str, bytes | None],
    *,
    base: str | None,
    ref: str = "main",
    message: str = "Edit",
    author: CommitAuthor = GRACE,
    **wishes: object,
) -> str | None:
    """Push, and have git look at what came of it."""
    commit = asyncio.run(
        push(
            origin.url,
            ref,
            base_commit=base,
            changes=changes,
            message=message,
            author=author,
            outbound=host.outbound,
            **wishes,  # type: ignore[arg-type]
        )
    )
    origin.git("fsck", "--strict", "--full")
    return commit


def test_changes_become_one_commit_on_top_of_the_base(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    at = datetime(2024, 2, 29, 12, 0, tzinfo=UTC)
    changes = {"docs/one.md": b"ONE\r\n", "docs/new/deep.md": b"", "docs/two.md": None}
    commit = pushed(host, origin, changes, base=base, message="Größer\n\nBody\n", at=at)
    assert commit == origin.tip()
    expected = {**WORDS, "docs/one.md": b"ONE\r\n", "docs/new/deep.md": b""}
    del expected["docs/two.md"]
    assert origin.files() == expected
    shown = origin.git("log", "-1", "--format=%P|%an|%ae|%cn|%at|%B")
    assert shown.encode("utf-8", "surrogateescape").decode() == (
        f"{base}|Grace Höpper|grace@example.org|Grace Höpper|1709208000|Größer\n\nBody"
    )


def test_a_push_fetches_no_files_and_sends_only_what_is_new(host: Host) -> None:
    noise = {f"docs/{number}.bin": bytes([number]) * 5_000 + f"{number}".encode() for number in range(50)}
    origin = host.create(files={**WORDS, **noise})
    host.requests.clear()
    before = origin.objects()
    pushed(host, origin, {"docs/one.md": b"ONE\n"}, base=origin.tip())
    assert origin.objects() - before == 4  # a file, its folder, the root, the commit
    asked = next(request for request in host.requests if b"command=fetch" in request.body)
    assert b"filter blob:none" in asked.body
    assert b"deepen 1" in asked.body


def test_modes_links_and_submodules_stay_as_they_are(host: Host) -> None:
    origin = host.create(files=WORDS)
    blob = origin.blob(b"#!/bin/sh\n")
    docs = origin.tree(
        f"100755 blob {blob}\trun.sh",
        f"120000 blob {origin.blob(b'run.sh')}\tlink",
        f"160000 commit {origin.tip()}\tmodule",
        f"100644 blob {blob}\tplain.md",
    )
    base = origin.commit_tree(origin.tree(f"040000 tree {docs}\tdocs"))
    pushed(host, origin, {"docs/run.sh": b"#!/bin/sh\necho\n", "docs/plain.md": b"p\n"}, base=base)
    listed = origin.git("ls-tree", "main:docs").splitlines()
    assert [line.split()[0] + " " + line.split("\t")[1] for line in listed] == [
        "120000 link",
        "160000 module",
        "100644 plain.md",
        "100755 run.sh",
    ]
    tip = origin.tip()
    for path in ("docs/link", "docs/module", "docs/link/below.md", "docs"):
        with pytest.raises(GitRefused):
            pushed(host, origin, {path: b"x"}, base=tip)
    assert pushed(host, origin, {"docs/link": None, "docs/module": None}, base=tip) == tip
    assert origin.tip() == tip


def test_nothing_is_pushed_when_nothing_differs(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    same = {
        "docs/one.md": b"one\n",
        "docs/sub/three.md": b"three\n",
        "docs/never.md": None,
        "no/where.md": None,
    }
    host.requests.clear()
    assert pushed(host, origin, same, base=base) == base
    assert pushed(host, origin, {}, base=base) == base
    assert not [request for request in host.requests if "receive-pack" in request.path + request.query]
    assert origin.tip() == base


def test_a_project_directory_bounds_what_is_touched(host: Host) -> None:
    origin = host.create(files=WORDS)
    pushed(
        host,
        origin,
        {"one.md": None, "README.md": b"docs\n"},
        base=origin.tip(),
        directory="docs",
        ref="refs/heads/main",
    )
    expected = {**WORDS, "docs/README.md": b"docs\n"}
    del expected["docs/one.md"]
    assert origin.files() == expected
    with pytest.raises(GitRefused):
        pushed(host, origin, {"../README.md": b""}, base=origin.tip(), directory="docs")


def test_files_and_folders_take_each_others_place(host: Host) -> None:
    origin = host.create(files=WORDS)
    swap = {"docs/sub/three.md": None, "docs/sub": b"a file", "README.md": None, "README.md/inside.md": b"in"}
    pushed(host, origin, swap, base=origin.tip())
    assert origin.files()["docs/sub"] == b"a file"
    assert origin.files()["README.md/inside.md"] == b"in"


def test_a_folder_without_files_goes(host: Host) -> None:
    origin = host.create(files=WORDS)
    pushed(host, origin, {path: None for path in WORDS if path.startswith("docs/")}, base=origin.tip())
    assert sorted(origin.files()) == ["README.md", "src/main.c"]
    pushed(host, origin, {"README.md": None, "src/main.c": None}, base=origin.tip())
    assert origin.files() == {}


def test_an_empty_repository_gets_its_first_commit(host: Host) -> None:
    origin = host.create()
    assert pushed(host, origin, {}, base=None) is None
    commit = pushed(host, origin, WORDS, base=None)
    assert origin.tip() == commit
    assert origin.files() == WORDS
    assert origin.git("rev-list", "--count", "main") == "1"


def test_a_missing_branch_begins_at_the_base(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    commit = pushed(host, origin, {"docs/one.md": b"ONE\n"}, base=base, ref="drafts/new")
    assert origin.tip("drafts/new") == commit
    assert origin.tip() == base
    assert origin.git("rev-parse", "drafts/new^") == base


@pytest.mark.parametrize("local", [False, True])
def test_a_missing_branch_is_made_also_when_nothing_differs(host: Host, local: bool) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    there = Origin(origin.path, str(origin.path)) if local else origin
    same = {"docs/one.md": b"one\n"}
    assert pushed(host, there, same, base=base, ref="drafts/same", local=local) == base
    assert origin.tip("drafts/same") == base


def test_a_protected_branch_is_refused_in_our_words(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    hook = origin.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho the password is hunter2 >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitRefused, match="did not accept") as refused:
        pushed(host, origin, {"docs/one.md": b"mine\n"}, base=base)
    assert "hunter2" not in str(refused.value)
    assert origin.tip() == base


def test_what_cannot_be_pushed_is_refused_before_anybody_is_asked(host: Host) -> None:
    origin = host.create(files=WORDS)
    base = origin.tip()
    host.requests.clear()
    for path in (
        "../x",
        "/x",
        "a//b",
        ".git/config",
        "docs/.GIT/hooks/x",
        "a\\b",
        "a\0b",
        "git~1",
        "",
        "C:x",
        "x\n",
    ):
        with pytest.raises(GitRefused):
            pushed(host, origin, {path: b""}, base=base)
    for ref in ("HEAD", "refs/tags/v1", "refs/heads/HEAD", base, "-x", "refs/pull/1/head"):
        with pytest.raises(GitRefused):
            pushed(host, origin, {"a": b""}, base=base, ref=ref)
    with pytest.raises(GitRefused):
        pushed(host, origin, {"a": b""}, base="main")
    with pytest.raises(RepositoryTooLarge):
        pushed(host, origin, {"a": b"xx"}, base=base, limits=GitLimits(blob=1))
    assert host.requests == []


def test_odd_words_of_a_commit_cannot_forge_another(host: Host) -> None:
    origin = host.create(files=WORDS)
    forger = CommitAuthor("Eve\nparent 0000 <x>", "eve@example.org>\ncommitter X <y")
    pushed(
        host, origin, {"a": b""}, base=origin.tip(), author=forger, message="\0one\x1b[2J\r\n\r\ntwo\ttabbed"
    )
    head, _, message = origin.git("cat-file", "commit", "main").partition("\n\n")
    assert [line.split()[0] for line in head.splitlines()] == ["tree", "parent", "author", "committer"]
    assert message == "one[2J\n\ntwo\ttabbed"


def test_a_bare_folder_of_this_machine_takes_a_push(host: Host, tmp_path: Path) -> None:
    origin = host.create(files=WORDS)
    here = Origin(origin.path, str(origin.path))
    base = origin.tip()
    commit = pushed(host, here, {"docs/one.md": b"ONE\n", "src/main.c": None}, base=base, local=True)
    assert origin.tip() == commit
    with pytest.raises(Stale):
        pushed(host, here, {"docs/one.md": b"TWO\n"}, base=base, local=True)
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "--quiet", str(origin.path), str(copy))
    checked_out = Origin(copy, str(copy))
    with pytest.raises(GitRefused, match="checked out"):
        pushed(host, checked_out, {"a.md": b"x"}, base=commit, local=True)
    side = pushed(host, checked_out, {"a.md": b"x"}, base=commit, ref="side", local=True)
    assert checked_out.tip("side") == side


def test_what_was_pushed_is_what_is_fetched(host: Host) -> None:
    origin = host.create()
    files = {f"part-{n % 23}/page-{n}.md": f"# {n}\n".encode() * n for n in range(300)}
    commit = pushed(host, origin, files, base=None)

    async def read() -> dict[str, bytes]:
        with await fetch(origin.url, "main", outbound=host.outbound) as checkout:
            assert checkout.commit.id == commit
            assert checkout.commit.author == GRACE
            return {path: checkout.tree.read(path) for path in checkout.tree.paths()}

    assert asyncio.run(read()) == files

"""`docyard sync`: ids on stdout, words on stderr, folders of this machine and addresses."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import make
from tests.cast import Cast
from tests.cli.command import docyard
from tests.git_server import Host, git, hosting
from tests.instance import running

Ran = subprocess.CompletedProcess[str]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """Repositories on this machine, and served."""
    with hosting(tmp_path / "repositories") as host:
        yield host


def in_bytes(**changes: str) -> dict[str, bytes]:
    """A small tree of Markdown."""
    files = {path: make.in_bytes(content) for path, content in make.repository().items()}
    return {**files, **{f"notes/{name}.md": make.in_bytes(text) for name, text in changes.items()}}


def sync(cast: Cast, *arguments: str, **settings: str) -> Ran:
    return docyard("sync", *arguments, database=cast.instance.settings.database, **settings)


def space_of(cast: Cast) -> str:
    return str(make.space(cast.ada, cast.organization)["id"])


def text(cast: Cast, space: str, path: str) -> str:
    """A page's Markdown."""
    found = cast.ada.get(f"/v1/spaces/{space}/content/path/{path}", params={"format": "markdown"})
    assert found.status_code == 200, found.text
    return str(found.json()["markdown"])


@pytest.mark.parametrize("as_path", [lambda origin: str(origin.path), lambda origin: origin.path.as_uri()])
def test_a_folder_comes_and_goes(cast: Cast, host: Host, as_path: object) -> None:
    origin, space = host.create("my docs.git", in_bytes()), space_of(cast)
    assert callable(as_path)
    done = sync(cast, "--space", space, "--url", as_path(origin), "--direction", "import")
    assert (done.returncode, done.stdout) == (0, f"{space}\n"), done.stderr
    assert f"{space}: Imported the commit {origin.tip()[:7]}." in done.stderr
    new = {"operation": "insert_page", "title": "Fog", "document": {"markdown": "# Fog\n\nThick.\n"}}
    make.changes(cast.ada, space, new)
    origin.commit(in_bytes(tide="# Tide\n\nHigh.\n"))
    done = sync(cast, "--space", space, "--message", "By night")
    assert (done.returncode, done.stdout) == (0, f"{space}\n"), done.stderr
    assert text(cast, space, "notes/tide") == "# Tide\n\nHigh.\n"
    assert origin.files()["fog.md"] == b"# Fog\n\nThick.\n"
    assert origin.git("log", "-1", "--format=%s|%an", "main") == "By night|Ada"
    shown = cast.ada.get(f"/v1/spaces/{space}").json()["gitSync"]
    assert shown["repoName"].endswith("docs")


def test_an_address_with_a_branch_a_folder_and_a_token(cast: Cast, host: Host) -> None:
    inside = {f"guide/{path}": content for path, content in in_bytes().items()}
    origin, space = host.create("docs.git"), space_of(cast)
    origin.commit(inside, branch="next")
    host.login = "Basic YWRhOnMzY3IzdA=="  # ada:s3cr3t
    address = host.base.removeprefix("http://")
    settings = {"DOCYARD_OUTBOUND_ALLOW": address, "DOCYARD_GIT_CREDENTIALS": f"{address}=ada:s3cr3t"}
    asked = ("--space", space, "--url", origin.url, "--ref", "next", "--directory", "guide")
    refused = sync(cast, *asked, DOCYARD_OUTBOUND_ALLOW=address)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"{space}: The repository asks for a user and a token." in refused.stderr
    assert "sync again" in refused.stderr
    done = sync(cast, *asked, **settings)
    assert (done.returncode, done.stdout) == (0, f"{space}\n"), done.stderr
    assert "s3cr3t" not in done.stderr + refused.stderr


def test_all_goes_through_every_space_and_one_that_fails_stops_none(fresh_database: str, host: Host) -> None:
    """In a database of its own: others leave spaces behind whose repositories are far away or nowhere."""
    with running(fresh_database) as instance:
        _all_but_one(make.cast(instance), host)


def _all_but_one(cast: Cast, host: Host) -> None:
    good, bad = space_of(cast), space_of(cast)
    origin = host.create("good.git", in_bytes())
    lost = host.create("bad.git", in_bytes())
    for space, url in ((bad, lost.path), (good, origin.path)):
        assert sync(cast, "--space", space, "--url", str(url)).returncode == 0
    lost.path.rename(lost.path.with_name("gone.git"))
    origin.commit(in_bytes(tide="# Tide\n"))
    done = sync(cast, "--all", "--direction", "import")
    assert done.returncode == 1
    assert good in done.stdout.split()
    assert bad not in done.stdout.split()
    assert f"{bad}: There is no such folder." in done.stderr
    assert "the reasons are above" in done.stderr
    assert text(cast, good, "notes/tide") == "# Tide\n"


def test_a_conflict_is_told_and_is_no_failure(cast: Cast, host: Host) -> None:
    origin, space = host.create("docs.git", in_bytes(fog="# Fog\n\nThick.\n")), space_of(cast)
    assert sync(cast, "--space", space, "--url", str(origin.path)).returncode == 0
    page = cast.ada.get(f"/v1/spaces/{space}/content/path/notes/fog").json()["id"]
    document = {"markdown": "# Fog\n\nThin.\n"}
    make.changes(cast.ada, space, {"operation": "update_page", "page": page, "document": document})
    origin.commit(in_bytes(fog="# Fog\n\nThicker.\n"))
    done = sync(cast, "--space", space)
    assert done.returncode == 0, done.stderr
    assert "1 conflict in change request #1, which is open" in done.stderr
    assert origin.files()["notes/fog.md"] == b"# Fog\n\nThin.\n"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "Give a space with --space ID, or all of them with --all."),
        (("--all", "--space", "x"), "Give a space with --space ID, or all of them with --all."),
        (("--all", "--url", "https://example.org/docs"), "need --space"),
        (("--space", "0" * 20), "There is no such space."),
        (("--space", "{space}"), "The space has no repository yet. Give one with --url."),
        (("--space", "{space}", "--url", "/nowhere"), "There is no such folder."),
        (("--space", "{space}", "--url", "ssh://example.org/docs"), "The address is not a folder."),
        (("--space", "{space}", "--url", "http://example.org/docs"), "Only https addresses"),
    ],
)
def test_what_cannot_be_synchronised_is_refused_with_a_sentence(
    cast: Cast, asked: tuple[str, ...], said: str
) -> None:
    space = space_of(cast)
    done = sync(cast, *(word.format(space=space) for word in asked))
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_branch_that_is_checked_out_is_not_pushed_to(cast: Cast, tmp_path: Path) -> None:
    folder, space = tmp_path / "work", space_of(cast)
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README.md").write_text("# Hi\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Words")
    assert sync(cast, "--space", space, "--url", str(folder), "--direction", "import").returncode == 0
    make.changes(cast.ada, space, {"operation": "insert_page", "title": "Fog", "document": {"markdown": "x"}})
    done = sync(cast, "--space", space)
    assert done.returncode == 1
    assert "The branch is checked out in that folder; push to a bare repository." in done.stderr


def test_settings_do_not_show_the_tokens(cast: Cast) -> None:
    shown = docyard("settings", database="x.db", DOCYARD_GIT_CREDENTIALS="git.example.org=ada:s3cr3t").stdout
    assert "DOCYARD_GIT_CREDENTIALS" in shown
    assert "s3cr3t" not in shown
    wrong = docyard("settings", database="x.db", DOCYARD_GIT_CREDENTIALS="a=b:c,s3cr3t").stderr
    assert "must be host=user:token, comma-separated; entry 2 is not" in wrong
    assert "s3cr3t" not in wrong

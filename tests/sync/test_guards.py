"""Guards of syncs: permissions, secrets, hostile repositories, and failing syncs."""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from app.access.context import Actor, Context
from app.domain.git_sync import sync_runs, sync_state, sync_transfers
from app.domain.organizations import organizations
from app.kit.database.statements import rows, table
from app.kit.git.limits import RepositoryTooLarge
from app.models.jobs import Job
from tests import make
from tests.cast import Cast
from tests.factories import collections
from tests.factories.git_sync import SyncedSpace, in_bytes
from tests.git_server import Host, Origin
from tests.timing import TIMEOUT

LOGIN = "ada:s3cr3t-t0ken"
TOKEN = "s3cr3t-t0ken"


def test_an_export_into_an_empty_repository_makes_its_first_commit(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host)
    make.imported(cast, docs.id, make.repository())
    docs.ok("export")
    assert docs.origin.files() == in_bytes(make.repository())
    shown = docs.origin.git("log", "-1", "--format=%an|%ae|%s", "main")
    assert shown == f"Ada|{cast.ada.email}|From Docyard"


def test_a_private_repository_opens_with_the_setting_and_tells_nobody(
    cast: Cast, host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    caplog.set_level("DEBUG")
    host.login = "Basic " + b64encode(LOGIN.encode()).decode()
    try:
        docs.ok("import")
        docs.write("machinery/lamp", "It burns gas.\n")
        docs.ok("export")
        host.login = "Basic somebody-else"
        told = docs.failed("import")
    finally:
        host.login = None
    assert told == "The repository does not accept this user and token."
    answers = [docs.get(), docs.get("/git/info"), docs.get("/content"), docs.get("/revisions")]
    assert TOKEN not in str(answers)
    assert TOKEN not in caplog.text
    assert TOKEN not in repr(cast.instance.inside(_all_that_is_kept(docs.id)))


def _all_that_is_kept(space_id: str) -> Any:
    async def read(cx: Context) -> Any:
        jobs = await cx.db.all(rows(lambda: select(*table(Job).c)))
        return [await cx.db.first(sync_runs.SPACE, id=space_id), *jobs]

    return read


ODD: dict[str, Callable[[Origin, str], list[tuple[str, bytes, str]]]] = {
    "leads out": lambda origin, blob: [("100644", b"../up.md", blob)],
    "git's own folder": lambda origin, blob: [
        ("40000", b".git", origin.odd_tree(("100644", b"config", blob)))
    ],
    "twice the same": lambda origin, blob: [("100644", b"a.md", blob), ("100644", b"a.md", blob)],
}


@pytest.mark.parametrize("odd", ODD)
def test_a_hostile_repository_is_refused_and_changes_nothing(docs: SyncedSpace, odd: str) -> None:
    before = docs.revision
    tip = docs.origin.tip()
    blob = docs.origin.blob(b"# Boo\n")
    docs.origin.commit_tree(docs.origin.odd_tree(*ODD[odd](docs.origin, blob)))
    for direction in ("import", "export"):
        assert "repository" in docs.failed(direction)
    assert docs.revision == before
    docs.origin.git("update-ref", "refs/heads/main", tip)
    assert docs.ok("import").endswith("was synchronised already.")


def test_links_modules_and_pointers_are_passed_over(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"README.md": "# Hi\n"})
    origin = docs.origin
    readme, target = origin.blob(b"# Hi\n"), origin.blob(b"/etc/passwd")
    pointer = origin.blob(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    lines = [
        f"100644 blob {readme}\tREADME.md",
        f"120000 blob {target}\tsecrets.md",
        f"100644 blob {pointer}\tbig.png",
        f"160000 commit {'1' * 40}\tmodule",
    ]
    origin.commit_tree(origin.tree(*lines))
    assert docs.ok("import") == (
        f"Imported the commit {origin.tip()[:7]}. 3 files not taken over ("
        "big.png: it is only a pointer to a file kept elsewhere (LFS); "
        "module: it is a submodule, which is another repository; "
        "secrets.md: links are not followed)."
    )
    assert docs.paths() == {"readme"}
    assert docs.revision["files"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "http://example.org/docs.git"}, {"url": "file:///etc"}, {"url": "/etc"},
        {"url": "--upload-pack=touch"}, {"url": "https://ada:pw@example.org/docs.git"},
        {"url": "ext::sh -c touch"}, {"url": "ssh://example.org/docs.git"}, {"url": ""},
        {"ref": "--all"}, {"ref": "a..b"}, {"ref": ""}, {"repoProjectDirectory": "../up"},
        {"repoCommitURL": "javascript:alert(1)"}, {"gitInfo": {"provider": "other"}}, {"force": "yes"},
    ],
)  # fmt: skip
def test_what_is_no_repository_is_refused_at_once(cast: Cast, host: Host, wrong: dict[str, Any]) -> None:
    docs = SyncedSpace(cast, host)
    assert docs.start("import", **wrong) == 400
    assert docs.start("export", **wrong) == 400
    assert cast.ada.get(f"{docs.path}/git/info").status_code == 404
    assert "gitSync" not in docs.get()


def test_a_commit_needs_a_message_and_a_branch(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host)
    assert docs.start("export", commitMessage="") == 400
    assert docs.start("export", ref="refs/tags/v1") == 400
    assert docs.start("export", ref="0" * 40) == 400


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"ref": "missing"}, "The repository has no such branch or tag."),
        ({"repoProjectDirectory": "missing"}, "The repository has no such folder."),
        ({"url": "missing"}, "There is no repository at this address."),
    ],
)
def test_what_is_not_there_is_a_failure_that_says_so(
    docs: SyncedSpace, host: Host, asked: dict[str, Any], reason: str
) -> None:
    if "url" in asked:
        host.routes["/nowhere/*"] = (404, {}, b"")
        asked = {"url": f"{host.base}/nowhere/docs.git"}
    before = docs.revision
    assert docs.failed("import", **asked) == reason
    assert docs.revision == before
    docs.ok("import")


def test_an_empty_repository_has_nothing_to_import(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host)
    assert docs.failed("import") == "The repository has no commit to start from."


def test_more_than_a_push_may_be_is_refused_before_it_is_held(docs: SyncedSpace) -> None:
    async def write(cx: Context, most: int) -> sync_transfers.ExportedTree:
        space = await cx.db.first(sync_runs.SPACE, id=docs.id)
        assert space is not None
        allowed = sync_runs.acting(cx, space, docs.cast.ada.id)
        return await sync_transfers.export_tree(
            allowed, docs.id, {}, set(), sync_transfers.ForeignFiles([]), most=most
        )

    whole = docs.cast.instance.inside(lambda cx: write(cx, 10_000)).changes
    size = sum(len(content or b"") for content in whole.values())
    assert docs.cast.instance.inside(lambda cx: write(cx, size)).changes == whole
    with pytest.raises(RepositoryTooLarge, match="What is to be pushed is larger"):
        docs.cast.instance.inside(lambda cx: write(cx, size - 1))


def test_who_may_not_edit_may_not_sync(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, make.repository())
    for person, status in ((cast.tom, 403), (cast.ria, 403), (cast.gus, 404), (cast.sol, 404)):
        for direction in ("import", "export"):
            assert docs.start(direction, person) == status
    assert docs.start("import", cast.ed) == 204
    docs.ended()
    assert docs.get("/revisions")["items"][0]["author"]["id"] == cast.ed.id
    assert cast.ed.delete(f"{docs.path}/git").status_code == 403


def test_one_sync_of_a_space_runs_at_a_time(docs: SyncedSpace, host: Host) -> None:
    going_on = threading.Event()

    def slow(request: Any) -> Any:
        going_on.wait(TIMEOUT)
        return host.answer(request)

    host.routes[f"/acme/{docs.id}.git/info/refs"] = slow
    try:
        assert docs.start("import") == 204
        assert docs.get("/git/info")["operation"] == {"state": "running", "direction": "import"}
        assert docs.start("import") == docs.start("export") == 409
    finally:
        going_on.set()
    assert docs.ended()["operation"]["state"] == "success"
    docs.ok("import")


def test_a_sync_that_died_has_run_out_of_time_and_the_next_may_begin(docs: SyncedSpace) -> None:
    async def die(cx: Context) -> None:
        space = await cx.db.first(sync_runs.SPACE, id=docs.id)
        assert space is not None
        earlier = replace(cx, now=cx.now - sync_state.PATIENCE, actor=Actor(docs.cast.ada.id))
        await sync_state.begin(earlier, space, "import", url=docs.origin.url, ref="main")

    docs.cast.instance.inside(die)
    assert docs.get("/git/info")["operation"]["state"] == "timeout"
    docs.ok("import")


def test_a_locked_space_takes_no_import_and_may_be_exported(docs: SyncedSpace) -> None:
    docs.write("machinery/lamp", "It burns gas.\n")
    docs.cast.ada.patch(docs.path, {"editMode": "locked"})
    assert docs.start("import") == 409
    docs.ok("export")
    docs.commit({"notes/fog.md": "# Fog\n"})
    assert docs.failed("export") == "The repository has changes, but the space is locked. Unlock it first."


def test_a_first_sync_that_fails_leaves_the_space_without_a_repository(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"a.md": "# A\n"})
    reason = docs.failed("import", ref="missing")
    assert "gitSync" not in docs.get()
    assert docs.get("/git/info")["operation"]["message"] == reason
    collection = collections.collection(cast.ada, cast.organization)["id"]
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    away = {"organization": cast.elsewhere}
    assert cast.ada.post(f"{docs.path}/transfer", away).status_code == 200
    assert cast.ada.get(f"{docs.path}/git/info").status_code == 404
    assert cast.ada.post(f"{docs.path}/transfer", {"collection": collection}).status_code == 200
    docs.failed("import", ref="missing")
    assert cast.ada.post(f"/v1/collections/{collection}/transfer", away).status_code == 200
    assert cast.ada.get(f"{docs.path}/git/info").status_code == 404
    docs.ok("import")
    assert docs.get()["gitSync"]["url"] == docs.origin.url
    docs.failed("import", ref="missing")
    assert docs.get()["gitSync"]["url"] == docs.origin.url


def test_a_sync_can_be_ended_and_then_the_space_transferred(docs: SyncedSpace) -> None:
    cast = docs.cast
    cast.instance.inside(lambda cx: organizations.add_member(cx, cast.elsewhere, cast.ada.id, "admin"))
    to = {"organization": cast.elsewhere}
    assert cast.ada.post(f"{docs.path}/transfer", to).status_code == 412
    assert cast.ada.delete(f"{docs.path}/git").status_code == 205
    assert cast.ada.delete(f"{docs.path}/git").status_code == 404
    assert "gitSync" not in docs.get()
    assert cast.ada.post(f"{docs.path}/transfer", to).status_code == 200

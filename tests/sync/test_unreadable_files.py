"""A file or a link that cannot be taken in is named, and all else of the commit arrives."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import asyncpg
import pytest

from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host
from tests.instance import Instance

LONG = {
    "letters": "[x](" + "".join(f"{n:x}" for n in range(3_000)) + ".md)",
    "folders": "[x](" + "/".join(f"folder-{n}" for n in range(900)) + "/a.md)",
    "anchor": "[x](#" + "".join(f"{n:x}" for n in range(3_000)) + ")",
    "an id": "[x](/pages/" + "".join(f"{n:x}" for n in range(3_000)) + ")",
}


@pytest.mark.parametrize("kind", LONG)
def test_a_link_longer_than_any_path_is_broken_and_no_more(cast: Cast, host: Host, kind: str) -> None:
    docs = SyncedSpace(cast, host, {"README.md": "# Hi\n"})
    docs.ok("import")
    docs.commit({"a.md": f"# A\n\n{LONG[kind]} and [home](README.md)\n"})
    docs.ok("import")
    assert docs.paths() == {"readme", "a"}
    assert docs.links["broken"] == {"total": 1}
    tip = docs.origin.tip()
    docs.ok("export")
    assert docs.origin.tip() == tip
    page = docs.page("a")
    docs.change({"operation": "update_page", "page": page["id"], "document": {"markdown": LONG[kind]}})


def test_pages_too_deep_for_an_address_are_named_and_stay_in_the_repository(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"README.md": "# Hi\n", "a.md": "# A\n"})
    docs.ok("import")
    deep = {f"p{n:02}" + "x" * 90 + ".md": f"# P{n}\n" for n in range(30)}
    nested = "".join("  " * n + f"* [P{n}]({path})\n" for n, path in enumerate(deep))
    docs.commit({"a.md": "# A\n\nNew.\n", "SUMMARY.md": f"# Summary\n\n* [A](a.md)\n{nested}", **deep})
    told = docs.ok("import")
    last = list(deep)[-1]
    assert "files not taken over" in told
    assert "the path of its page would be too long or too deep" in told
    assert docs.text("a") == "New.\n"
    assert last.removesuffix(".md") not in {path.rpartition("/")[2] for path in docs.paths()}
    before = docs.origin.files()
    docs.ok("export")
    assert docs.origin.files() == before


HREF = "refused.md"
ON_SQLITE = (
    f"CREATE TRIGGER refused BEFORE INSERT ON link WHEN NEW.href = '{HREF}' "
    "BEGIN SELECT RAISE(ABORT, 'refused'); END",
    "DROP TRIGGER refused",
)
ON_POSTGRESQL = (
    f"ALTER TABLE link ADD CONSTRAINT refused CHECK (href <> '{HREF}') NOT VALID",
    "ALTER TABLE link DROP CONSTRAINT refused",
)


@pytest.fixture
def refusing(instance: Instance) -> Iterator[None]:
    """The database takes no link to this address."""
    is_sqlite = instance.engine == "sqlite"
    before, after = ON_SQLITE if is_sqlite else ON_POSTGRESQL
    run = _on_sqlite if is_sqlite else _on_postgresql
    run(instance.settings.database, before)
    yield
    run(instance.settings.database, after)


def _on_sqlite(database: str, statement: str) -> None:
    with closing(sqlite3.connect(database, timeout=30)) as held:
        held.execute(statement)
        held.commit()


def _on_postgresql(database: str, statement: str) -> None:
    async def run() -> None:
        held = await asyncpg.connect(database)
        await held.execute(statement)
        await held.close()

    asyncio.run(run())


@pytest.mark.usefixtures("refusing")
def test_a_file_that_is_refused_is_named_and_the_rest_is_a_change_request(cast: Cast, host: Host) -> None:
    files = {"README.md": "# Hi\n", "d/a.md": "# A\n", "d/b.md": "# B\n", "gone.md": "# G\n"}
    docs = SyncedSpace(cast, host, files)
    docs.ok("import")
    before, ids = docs.revision, docs.ids()
    bad = f"# A\n\n[b](b.md) and [bad]({HREF})\n"
    tip = docs.commit({"d/a.md": bad, "d/b.md": "# B\n\nNew.\n", "c.md": "# C\n", "gone.md": None})
    fault = f"d/a.md: link “{HREF}”: the database does not take it"
    told = f"Not imported: {fault}. The rest of the commit {tip[:7]} is in change request #1."
    for direction in ("import", "export", "import"):
        assert docs.failed(direction) == told
    assert docs.revision == before
    assert docs.origin.tip() == tip
    request = docs.requests()[0]
    merged = cast.ada.post(f"{docs.path}/change-requests/{request['id']}/merge")
    assert merged.json()["result"] == "merge", merged.text
    assert docs.paths() == {"readme", "d", "d/a", "d/b", "c"}
    assert (docs.text("d/a"), docs.text("d/b")) == ("", "New.\n")
    assert {path: key for path, key in docs.ids().items() if path != "c.md"}.items() <= ids.items()
    docs.commit({"d/a.md": "# A\n\n[b](b.md)\n"})
    docs.ok("import")
    assert docs.text("d/a") == "[b](b.md)\n"
    docs.ok("export")
    assert docs.origin.files()["d/a.md"] == b"# A\n\n[b](b.md)\n"


@pytest.mark.usefixtures("refusing")
def test_new_files_that_are_refused_are_named_and_what_is_below_them_comes(cast: Cast, host: Host) -> None:
    docs = SyncedSpace(cast, host, {"README.md": "# Hi\n"})
    docs.ok("import")
    bad = f"# D\n\n[bad]({HREF})\n"
    tip = docs.commit({"d/README.md": bad, "x.md": bad, "d/a.md": "# A\n"})
    told = docs.failed("import")
    assert f"d/README.md: link “{HREF}”" in told
    assert f"x.md: link “{HREF}”" in told
    assert told.endswith(f"The rest of the commit {tip[:7]} is in change request #1.")
    request = f"{docs.path}/change-requests/{docs.requests()[0]['id']}"
    pages = cast.ada.get(f"{request}/content/pages").json()["pages"]
    assert [page["path"] for page in pages] == ["readme", "a"]
    docs.commit({"d/a.md": None})
    assert docs.failed("import").endswith("Nothing else is new.")

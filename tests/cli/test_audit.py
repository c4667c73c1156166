"""`docyard audit`: what commands leave in the log, and whether it is as it was written."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx

from app.kit.database.engines import open_database
from app.kit.ids import new_id
from app.models.audit import AuditEvent
from tests.cli.command import docyard, serving


def test_commands_are_in_the_log_and_what_was_altered_is_told(fresh_database: str) -> None:
    def run(*arguments: str) -> str:
        done = docyard(*arguments, database=fresh_database)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    run("user", "create", "ann@example.org", "--name", "Ann")
    org = run("org", "create", "Sundials", "--owner", "ann@example.org")
    assert "1" in run("audit", "verify", "--org", org).split()

    async def event(**change: str) -> AuditEvent:
        db = open_database(fresh_database)
        try:
            async with db.transaction() as tx:
                return await tx.change(AuditEvent, change, organization_id=org, number=1)
        finally:
            await db.close()

    kept = asyncio.run(event(face="command"))
    assert (kept.actor, kept.action, kept.subject_id) == ("operator", "docyard org create", org)
    assert docyard("audit", "verify", database=fresh_database).returncode == 0
    asyncio.run(event(action="docyard org list"))
    found = docyard("audit", "verify", database=fresh_database)
    assert found.returncode == 1
    assert "broken from event 1 on" in found.stdout
    assert "Sundials" in found.stderr


def test_an_organization_that_is_not_there_has_no_log(fresh_database: str) -> None:
    found = docyard("audit", "verify", "--org", "nowhere", database=fresh_database)
    assert found.returncode == 1
    assert "docyard org list" in found.stderr


def log_of(database: str, **settings: str) -> Callable[..., str]:
    """Run commands on a database whose organization is called Sundials; they must succeed."""

    def run(*arguments: str) -> str:
        done = docyard(*arguments, database=database, **settings)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    owner = f"{new_id()}@example.org".lower()
    run("user", "create", owner, "--name", "Ann")
    run("org", "create", "Sundials", "--owner", owner)
    return run


def test_a_whole_older_copy_of_a_log_is_found_by_an_anchor(tmp_path: Path) -> None:
    database = str(tmp_path / "docyard.db")
    run = log_of(database)
    anchors = tmp_path / "anchors.jsonl"
    anchors.write_text(run("audit", "anchor") + "\n")
    assert json.loads(anchors.read_text())["number"] == 1
    run("audit", "verify", "--anchors", str(anchors))

    other = json.loads(anchors.read_text()) | {"number": 2}
    anchors.write_text(anchors.read_text() + json.dumps(other))
    found = docyard("audit", "verify", "--anchors", str(anchors), database=database)
    assert found.returncode == 1
    assert "an anchor names event 2" in found.stdout

    anchors.write_text(json.dumps(other | {"organization": "gone"}))
    found = docyard("audit", "verify", "--anchors", str(anchors), database=database)
    assert found.returncode == 1
    assert "gone" in found.stderr

    anchors.write_text("[]\n")
    found = docyard("audit", "verify", "--anchors", str(anchors), database=database)
    assert (found.returncode, "cannot be read as anchors" in found.stderr) == (1, True)


def test_an_event_of_another_course_of_things_does_not_fit_the_one_after_it(tmp_path: Path) -> None:
    """Both logs are signed with one key, and an event of either is valid by itself."""
    database = str(tmp_path / "docyard.db")
    run = log_of(database)
    org = json.loads(run("audit", "anchor"))["organization"]
    shutil.copytree(tmp_path, other := tmp_path.with_name(f"{tmp_path.name}-other"))
    run("org", "quota", "--org", org, "--jobs", "5")
    run("org", "quota", "--org", org, "--jobs", "6")
    done = docyard("org", "quota", "--org", org, "--jobs", "7", database=str(other / "docyard.db"))
    assert done.returncode == 0, done.stderr
    run("audit", "verify")
    with closing(sqlite3.connect(database)) as held:
        held.execute("ATTACH ? AS other", (str(other / "docyard.db"),))
        held.execute("DELETE FROM audit_event WHERE number = 2")
        held.execute("INSERT INTO audit_event SELECT * FROM other.audit_event WHERE number = 2")
        held.commit()
    found = docyard("audit", "verify", database=database)
    assert found.returncode == 1
    assert "broken from event 3 on" in found.stdout


def test_the_key_is_a_file_beside_the_database_that_only_its_owner_reads(tmp_path: Path) -> None:
    database = str(tmp_path / "docyard.db")
    docyard("migrate", database=database, DOCYARD_AUDIT_KEY="")
    key = tmp_path / "docyard.db.audit-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text().strip().encode() not in Path(database).read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*key*")) == [key.name]


def test_another_key_is_refused_and_a_new_one_begins_where_the_old_is_lost(tmp_path: Path) -> None:
    database, key = str(tmp_path / "docyard.db"), tmp_path / "docyard.db.audit-key"
    run = log_of(database, DOCYARD_AUDIT_KEY="")
    key.rename(tmp_path / "elsewhere")
    refused = docyard("org", "list", database=database, DOCYARD_AUDIT_KEY="")
    assert refused.returncode == 1
    assert "docyard audit rekey --lost" in refused.stderr
    assert docyard("audit", "rekey", database=database, DOCYARD_AUDIT_KEY="").returncode == 1
    run("audit", "rekey", "--lost")
    log_of(database, DOCYARD_AUDIT_KEY="")
    found = docyard("audit", "verify", database=database, DOCYARD_AUDIT_KEY="")
    assert found.returncode == 1
    assert "which is not here" in found.stdout
    with key.open("a") as file:  # the old key is found again
        file.write((tmp_path / "elsewhere").read_text())
    run("audit", "verify")


def test_a_key_is_changed_by_putting_a_new_one_first(empty_database: str) -> None:
    old, new = "0" * 40, "1" * 40
    log_of(empty_database, DOCYARD_AUDIT_KEY=old)
    log_of(empty_database, DOCYARD_AUDIT_KEY=f"{new}, {old}")
    verified = docyard("audit", "verify", database=empty_database, DOCYARD_AUDIT_KEY=f"{new},{old}")
    assert verified.returncode == 0, verified.stdout
    assert docyard("org", "list", database=empty_database, DOCYARD_AUDIT_KEY=old).returncode == 1
    short = docyard("org", "list", database=empty_database, DOCYARD_AUDIT_KEY="short")
    assert (short.returncode, "at least 32 characters" in short.stderr) == (1, True)


def test_a_running_server_goes_on_with_a_key_that_was_made_meanwhile(tmp_path: Path) -> None:
    database, settings = str(tmp_path / "docyard.db"), {"DOCYARD_AUDIT_KEY": ""}
    with serving("--demo", database=database, log=tmp_path / "log", **settings) as server:
        space = server.first_space
        token = {"Authorization": f"Bearer {server.token('admin')}"}
        for title in ("Before", "After"):
            assert httpx.patch(space, json={"title": title}, headers=token).status_code == 200
            assert docyard("audit", "rekey", database=database, **settings).returncode == 0
        assert server.end() == 0
    verified = docyard("audit", "verify", database=database, **settings)
    assert verified.returncode == 0, verified.stdout

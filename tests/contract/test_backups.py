"""Backups: every read of the API answers the same after a restore, whatever the engines."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests import make, s3
from tests.cast import Cast, Person
from tests.cli.command import docyard
from tests.contract.faces import Call, address, in_body, in_query
from tests.contract.import_sources import routes
from tests.contract.shared_calls import SharedCalls
from tests.databases import create_database
from tests.instance import Instance, idle, running
from tests.local_server import port_of, serve
from tests.timing import TIMEOUT, on_one_day

READS = [row for row in OPERATIONS if not row.writes]
# Their answers say until when something is valid, or when they were made.
TIMED = {"exportSpace", "getSpacePDF", "getChangeRequestPDF", "exportUserById", "getUploadById"}
COUNTING = {"getQuotasInOrganization"}  # how often it was asked
# They are given addresses of the first installation, and refused alike.
ADDRESSED = {row.id for row in READS if re.search(r"Url(?!s)", row.id)}
SEARCHES = ("searchSpaceContent", "searchOrganizationContent", "searchSiteContent")
Answers = dict[str, tuple[int, Any]]


class Question(NamedTuple):
    """A call, and who makes it."""

    operation: Operation
    person: Person
    call: Call


class Original(NamedTuple):
    """An installation that is stopped: its database, questions to it, and what it answered."""

    database: str
    questions: list[Question]
    answers: Answers
    engine: str


@pytest.fixture(scope="module")
def original(new_database: Callable[[], str]) -> Iterator[Original]:
    """An installation with something for every operation that reads."""
    database = new_database()
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        with running(database, outbound_allow=allowed, import_timeout=100.0) as instance:
            calls = SharedCalls(instance)
            questions = []
            for operation in READS:
                cast, call = calls.of(operation)
                questions.append(Question(operation, call.caller or cast.ada, call))
    with quiet(database) as instance:
        yield Original(database, questions, on_one_day(lambda: answers(instance, questions)), instance.engine)


@contextmanager
def quiet(database: str, **settings: object) -> Iterator[Instance]:
    """An installation that does nothing by itself."""
    with idle(), running(database, **settings) as instance:
        yield instance


def answers(instance: Instance, questions: list[Question]) -> Answers:
    """Return what an installation answers, without where it is."""
    found = {}
    sites = instance.settings.sites_base
    for operation, person, call in questions:
        answer = Person(instance, person.id, person.email, person.token).call(
            operation.method, address(operation, call), params=in_query(call), **in_body(call)
        )
        text = answer.text.replace(instance.base, "http://api").replace(sites, "http://sites")
        text = re.sub(r"localhost:\d+", "localhost", text)
        if operation.id not in TIMED | COUNTING:
            found[operation.id] = answer.status_code, json.loads(text)
    return found


def found_by(answer: tuple[int, Any]) -> set[str]:
    """The addresses of everything that a search found."""
    return set(re.findall(r"http://api[^\"]+", json.dumps(answer[1])))


def taken(database: str, *arguments: str, **settings: str) -> str:
    """The output of a command that succeeds."""
    ran = docyard(*arguments, database=database, **settings)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def new_target(engine: str, server: str, folder: Path) -> str:
    """A database with nothing in it, not even tables."""
    return create_database(server) if engine == "postgresql" else str(folder / "restored.db")


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_every_read_answers_the_same_after_a_restore(
    original: Original, engine: str, postgres_server: str, tmp_path: Path
) -> None:
    backup = taken(original.database, "backup", str(tmp_path))
    assert re.fullmatch(r"docyard-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db", Path(backup).name)
    target = new_target(engine, postgres_server, tmp_path)
    taken(target, "restore", backup)
    with quiet(target) as instance:
        after = on_one_day(lambda: answers(instance, original.questions))
        differing = [name for name, answer in after.items() if answer != original.answers[name]]
        if instance.engine != original.engine:  # which rank differently
            for name in SEARCHES:
                assert found_by(after[name]) == found_by(original.answers[name])
            differing = [name for name in differing if name not in SEARCHES]
        assert differing == []
        refused = {name: answer[1] for name, answer in after.items() if answer[0] != 200}
        assert refused.keys() == ADDRESSED
    assert "audit events" in taken(original.database, "backup", "verify", backup)


def test_a_restored_installation_goes_on(original: Original, postgres_server: str, tmp_path: Path) -> None:
    backup = taken(original.database, "backup", str(tmp_path / "backup.db"))
    other = "sqlite" if original.database.startswith("postgresql") else "postgresql"
    target = new_target(other, postgres_server, tmp_path)
    taken(target, "restore", backup)
    with running(target) as instance:
        cast = make.cast(instance)
        space = make.filled_space(cast, {"README.md": "# Begin\n\nA quokka sits here."})
        found = cast.ada.get(f"/v1/spaces/{space}/search", params={"query": "quokka"}).json()
        assert len(found["items"]) == 1
    taken(target, "audit", "verify")


def test_a_backup_is_taken_while_others_write(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        made = [make.space(cast.ada, cast.organization, title=f"Space {n}")["id"] for n in range(5)]
        backup = taken(fresh_database, "backup", str(tmp_path / "backup.db"))
        made_later = make.space(cast.ada, cast.organization)["id"]
    with closing(sqlite3.connect(backup)) as file:
        kept = {row[0] for row in file.execute("SELECT id FROM space")}
    assert set(made) <= kept
    assert made_later not in kept
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("backup")] == ["backup.db"]


def test_files_in_a_bucket_are_in_the_backup_which_may_be_in_one_too(
    fresh_database: str, postgres_server: str, tmp_path: Path
) -> None:
    with s3.server() as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in s3.CREDENTIALS.items():
            patch.setenv(name, value)
        files, backups = s3.create_bucket(endpoint), s3.create_bucket(endpoint)
        content = bytes(range(256)) * 5000
        with running(fresh_database, blobs=files.setting) as instance:
            cast = make.cast(instance)
            space = make.filled_space(cast, {"README.md": "![](a.bin)", "a.bin": content})
        assert len(files.objects()) == 1
        where = f"s3://{backups.name}/nightly?endpoint={endpoint}"
        printed = taken(fresh_database, "backup", where, DOCYARD_BLOBS=files.setting)
        assert printed.startswith(f"s3://{backups.name}/nightly/docyard-")
        source = f"{printed}?endpoint={endpoint}"
        taken(fresh_database, "backup", "verify", source)
        taken(target := new_target("sqlite", postgres_server, tmp_path), "restore", source)
        with running(target) as instance:
            person = Person(instance, cast.ada.id, cast.ada.email, cast.ada.token)
            file = person.get(f"/v1/spaces/{space}/content/files").json()["items"][0]
            assert httpx.get(file["downloadURL"], timeout=TIMEOUT).content == content


def test_what_is_damaged_is_found(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast: Cast = make.cast(instance)
        make.filled_space(cast, {"README.md": "x", "a.bin": "some bytes"})
    backup = taken(fresh_database, "backup", str(tmp_path / "backup.db"))
    with closing(sqlite3.connect(backup)) as file, file:
        file.execute("UPDATE blob SET data = X'00'")
        file.execute("UPDATE audit_event SET action = 'other' WHERE number = 1")
    ran = docyard("backup", "verify", backup, database=fresh_database)
    assert ran.returncode == 1
    assert "were altered" in ran.stderr
    assert "event 1 of the audit log" in ran.stderr
    with open(backup, "r+b") as raw:
        raw.truncate(Path(backup).stat().st_size // 2)
    assert docyard("backup", "verify", backup, database=fresh_database).returncode == 1


def test_nothing_is_overwritten_and_mistakes_are_told(
    fresh_database: str, empty_database: str, tmp_path: Path
) -> None:
    with running(fresh_database) as instance:
        make.cast(instance)
    backup = taken(fresh_database, "backup", str(tmp_path / "backup.db"))
    again = docyard("backup", backup, database=fresh_database)
    assert (again.returncode, "exists already" in again.stderr) == (1, True)
    onto = docyard("restore", backup, database=fresh_database)
    assert onto.returncode == 1
    assert "exists already" in onto.stderr or "has people already" in onto.stderr
    other = docyard("restore", backup, database=empty_database, DOCYARD_SECRET="another-secret-that-is-long")
    assert (other.returncode, "another secret" in other.stderr) == (1, True)
    for source in ("/nowhere/backup.db", str(tmp_path)):
        assert docyard("restore", source, database=empty_database).returncode == 1
    (tmp_path / "junk.db").write_bytes(b"junk" * 1000)
    junk = docyard("backup", "verify", str(tmp_path / "junk.db"), database=fresh_database)
    assert (junk.returncode, "is no backup" in junk.stderr) == (1, True)
    assert docyard("restore", str(tmp_path / "junk.db"), database=empty_database).returncode == 1
    taken(empty_database, "restore", backup)

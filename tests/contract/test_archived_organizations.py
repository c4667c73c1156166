"""What an archive of an organization holds and what not, whom it meets, and what is refused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Table, UniqueConstraint

from app.domain.organization_archives import archive_manifests, ownership
from app.domain.organization_archives.archive_conflicts import UNIQUE
from app.domain.organization_archives.archive_import import COUNTED
from app.domain.privacy.personal_data import SOURCES
from app.kit.database.statements import table
from app.models.tables import METADATA
from tests import make, s3
from tests.cast import Cast, Person
from tests.cli.command import docyard
from tests.contract.recipes import RECIPES
from tests.contract.test_backups import quiet, taken
from tests.contract.test_organization_archives import ELSEWHERE, KEYS, USED, everything
from tests.databases import asked, migrated_in
from tests.factories.integrations import PublishedIntegration
from tests.instance import running

OWN = {"id", "email", "owner_id"}  # columns of personal data that name somebody otherwise


@pytest.fixture
def target(new_database: Callable[..., str]) -> str:
    """Another installation, with keys of its own."""
    return new_database(**KEYS)


def exported(cast: Cast, folder: Path, *options: str) -> str:
    """The archive of an organization."""
    database = cast.instance.settings.database
    return taken(database, "org", "export", cast.organization, str(folder), *options)


def refused(database: str, archive: str | Path, *options: str) -> str:
    """What is said of an archive that is not imported, which leaves everything as it was."""
    before = everything(database)
    ran = docyard("org", "import", str(archive), *options, database=database, **ELSEWHERE)
    assert ran.returncode == 1, ran.stdout
    assert "Traceback" not in ran.stderr
    assert everything(database) == before
    return " ".join(ran.stderr.split())


def test_every_table_belongs_to_an_organization_or_is_left_behind_for_a_reason() -> None:
    for name, t in METADATA.tables.items():
        if name in ownership.LEFT_BEHIND:
            assert ownership.LEFT_BEHIND[name], name
        else:
            assert "$1" in ownership.condition(t), name
    assert ownership.LEFT_BEHIND.keys() <= METADATA.tables.keys()


def test_every_column_that_names_a_person_is_known() -> None:
    named = {column for source in SOURCES for column in source.columns} - OWN
    assert named <= ownership.NAMES_OF_PEOPLE


def test_every_name_that_an_installation_has_once_is_asked_for() -> None:
    once = {
        (t.name, column)
        for t in METADATA.sorted_tables
        if t.name not in (*ownership.LEFT_BEHIND, ownership.PEOPLE)
        for columns in unique_columns(t)
        if not any(name.endswith("_id") for name in columns)
        for column in columns
        if column != "kind"
    }
    assert once == {(table(model).name, column) for model, column in UNIQUE}


def test_every_number_that_an_installation_counts_up_is_counted_anew() -> None:
    counted = {
        t.name
        for t in METADATA.sorted_tables
        if [c.type.python_type for c in t.primary_key] == [int] and t.name not in ownership.LEFT_BEHIND
    }
    assert counted == COUNTED


def unique_columns(t: Table) -> list[list[str]]:
    """The sets of columns that are unique in a table, besides its key."""
    constraints = [c.columns for c in t.constraints if isinstance(c, UniqueConstraint)]
    indexes = [index.columns for index in t.indexes if index.unique]
    return [[column.name for column in columns] for columns in (*constraints, *indexes)]


def test_nothing_of_others_is_in_an_archive(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast, other = make.cast(instance), make.cast(instance)
        told = f"Told by others {make.number()}"
        make.filled_space(cast, {"README.md": "# Ours\n\nWritten by us."})
        make.filled_space(other, {"README.md": f"# {told}", "a.bin": told.encode()}, title=told)
        for name in USED:
            RECIPES[name](cast)
            RECIPES[name](other)
    content = Path(exported(cast, tmp_path)).read_bytes()
    assert b"Written by us." in content
    assert cast.ada.email.encode() in content
    assert told.encode() not in content
    assert not any(part.encode() in content for part in told.split() if len(part) == 20)
    ours = f"'{cast.organization}'"
    for query in (
        f"SELECT id FROM organization WHERE id <> {ours}",
        f"SELECT id FROM space WHERE organization_id <> {ours}",
        f"SELECT id FROM integration WHERE organization_id <> {ours}",
        f"SELECT user_id FROM member WHERE organization_id <> {ours}",
        f"SELECT page_id FROM page_version JOIN space ON line_id = id WHERE organization_id <> {ours}",
        "SELECT hash FROM token",
    ):
        found = [str(row[0]).encode() for row in asked(fresh_database, query)]
        assert found, query
        assert not [each for each in found if each in content], query


def test_people_who_are_there_already_are_the_same_people(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        mention = f"[@Ed](mention://{cast.ed.id})"
        space = make.filled_space(cast, {"README.md": f"# Home\n\nAsk {mention}."})
        page = cast.ada.get(f"/v1/spaces/{space}/content").json()["pages"][0]["id"]
        said = {"body": {"markdown": f"What does {mention} say?"}, "page": page}
        written = cast.ed.post(f"/v1/spaces/{space}/comments", said)
        assert written.status_code == 200, written.text
    ed = taken(target, "user", "create", cast.ed.email, "--name", "Edith Clarke", **ELSEWHERE)
    token = taken(target, "token", "create", "--user", cast.ed.email, **ELSEWHERE)
    before = everything(target)
    taken(target, "org", "import", exported(cast, tmp_path), **ELSEWHERE)
    assert before["user_account"] <= everything(target)["user_account"]
    assert not [row for rows in everything(target).values() for row in rows if cast.ed.id in row]
    with quiet(target, **KEYS) as instance:
        person = Person(instance, ed, cast.ed.email, token)
        assert person.get("/v1/user").json()["displayName"] == "Edith Clarke"
        assert cast.organization in person.get("/v1/orgs").text
        (comment,) = person.get(f"/v1/spaces/{space}/comments").json()["items"]
        assert comment["postedBy"]["id"] == ed
        assert [each["id"] for each in comment["mentions"]] == [ed]
        assert ed in person.get(f"/v1/spaces/{space}/content/page/{page}?format=markdown").text
        members = person.get(f"/v1/orgs/{cast.organization}/members").text
        assert cast.ria.email in members
    assert "valid" in taken(target, "audit", "verify", **ELSEWHERE)


def test_secrets_come_along_with_a_passphrase_alone(fresh_database: str, target: str, tmp_path: Path) -> None:
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("nobody guesses these words")
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        sites = f"/v1/orgs/{cast.organization}/sites"
        site = cast.ada.post(sites, {"title": "Docs"}).json()["id"]
        path = f"{sites}/{site}/publishing/auth"
        key = cast.ada.get(path).json()["privateKey"]
    bare, sealed = tmp_path / "bare.db", tmp_path / "sealed.db"
    exported(cast, bare)
    exported(cast, sealed, "--passphrase-file", str(passphrase))
    with closing(sqlite3.connect(bare)) as file:
        assert file.execute("SELECT DISTINCT visitor_key FROM site").fetchall() == [("",)]
    assert "passphrase" in refused(target, sealed)
    (wrong := tmp_path / "wrong").write_text("somebody guesses these words")
    assert "passphrase is wrong" in refused(target, sealed, "--passphrase-file", str(wrong))
    taken(target, "org", "import", str(sealed), "--passphrase-file", str(passphrase), **ELSEWHERE)
    token = taken(target, "token", "create", "--user", cast.ada.email, **ELSEWHERE)
    with quiet(target, **KEYS) as instance:
        person = Person(instance, cast.ada.id, cast.ada.email, token)
        assert person.get(path).json()["privateKey"] == key


def test_an_archive_that_is_damaged_or_altered_is_refused(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    with running(fresh_database) as instance:
        cast, other = make.cast(instance), make.cast(instance)
        make.filled_space(cast, {"README.md": "# Home", "a.bin": b"some bytes"})
    archive = Path(exported(cast, tmp_path / "archive.db"))
    whole = archive.read_bytes()

    def altered(statement: str, *values: object, tables: tuple[str, ...] = ()) -> Path:
        """The archive after a statement, with new checksums of these tables."""
        archive.write_bytes(whole)
        with closing(sqlite3.connect(archive)) as file, file:
            file.execute(statement, values)
            manifest = archive_manifests.read(file)
            contents = {**manifest.tables, **archive_manifests.contents_of(file, tables)}
            file.execute("DROP TABLE archive")
            archive_manifests.write(file, replace(manifest, tables=contents))
        return archive

    assert "rows of space" in refused(target, altered("UPDATE space SET title = 'Other'"))
    assert "rows of revision" in refused(target, altered("DELETE FROM revision"))
    forged = altered("UPDATE document SET markdown = 'Other'", tables=("document",))
    assert "text" in refused(target, forged)
    forged = altered("UPDATE blob SET data = X'00'", tables=("blob",))
    assert "bytes of the file" in refused(target, forged)
    foreign = altered("UPDATE space SET organization_id = ?", other.organization, tables=("space",))
    assert "does not belong to its organization" in refused(target, foreign)
    columns = "user_id, {}, disabled, sso, granted, joined_at"
    added = f"INSERT INTO member ({columns}) SELECT {columns} FROM member LIMIT 1"
    added = added.format("organization_id", "?")
    foreign = altered(added, other.organization, tables=("member",))
    assert "does not belong to its organization: rows of member" in refused(target, foreign)
    archive.write_bytes(whole[: len(whole) // 2])
    assert refused(target, archive)
    archive.write_bytes(b"junk" * 1000)
    assert "no archive" in refused(target, archive)
    assert "There is no file" in refused(target, tmp_path / "nothing.db")
    later = altered("UPDATE alembic_version SET version_num = '9999'")
    assert "versions up to" in refused(target, later)
    archive.write_bytes(whole)
    with closing(sqlite3.connect(archive)) as file, file:
        file.execute("""UPDATE archive SET manifest = replace(manifest, '"format":1', '"format":2')""")
    assert "format 2" in refused(target, archive)
    backup = taken(fresh_database, "backup", str(tmp_path / "backup.db"))
    assert "no archive of an organization" in refused(target, backup)


def test_what_others_have_is_told_before_anything_is_written(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    host = f"h-{make.number()}"[:20]
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        assert cast.ada.patch(f"/v1/orgs/{cast.organization}", {"hostname": host}).status_code == 200
        integration = PublishedIntegration(cast)
    archive = exported(cast, tmp_path)
    with running(target, **KEYS) as instance:
        other = make.cast(instance)
        assert other.ada.patch(f"/v1/orgs/{other.organization}", {"hostname": host}).status_code == 200
        PublishedIntegration(other, name=integration.name)
    said = refused(target, archive)
    assert f"the hostname “{host}” of an organization" in said
    assert f"the name “{integration.name}” of an integration" in said
    assert "is here already" in refused_where_it_is(fresh_database, archive)


def refused_where_it_is(database: str, archive: str) -> str:
    """What the installation says that the archive was exported from."""
    ran = docyard("org", "import", archive, database=database)
    assert ran.returncode == 1
    return ran.stderr


def test_nothing_is_left_of_an_import_that_fails_at_its_end(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        make.filled_space(cast)
    archive = exported(cast, tmp_path)
    begin, end = failing(target)
    for statement in begin:
        asked(target, statement)
    assert "conflicts" in refused(target, archive)
    asked(target, end)
    taken(target, "org", "import", archive, **ELSEWHERE)
    assert "valid" in taken(target, "audit", "verify", **ELSEWHERE)


def failing(database: str) -> tuple[list[str], str]:
    """What has the database refuse the last row of an import, and take it again."""
    if "://" in database:
        check = "ALTER TABLE audit_head ADD CONSTRAINT stop CHECK (number < 0) NOT VALID"
        return [check], "ALTER TABLE audit_head DROP CONSTRAINT stop"
    trigger = "CREATE TRIGGER stop BEFORE INSERT ON audit_head BEGIN SELECT RAISE(ABORT, 'no'); END"
    return [trigger], "DROP TRIGGER stop"


def test_an_integration_of_others_stays_installed_where_it_is_published(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    with running(fresh_database) as instance:
        cast, publisher = make.cast(instance), make.cast(instance)
        integration = PublishedIntegration(publisher, visibility="unlisted")
        integration.install(cast.organization, cast.ada)
    without = tmp_path / "without"
    without.mkdir()
    archive, publishers = exported(cast, tmp_path), exported(publisher, without)
    with closing(sqlite3.connect(archive)) as file:
        assert file.execute("SELECT count(*) FROM installation").fetchone() == (1,)
        assert file.execute("SELECT count(*) FROM integration").fetchone() == (0,)
    ran = docyard("org", "import", archive, database=target, **ELSEWHERE)
    assert (ran.returncode, integration.name in ran.stderr) == (0, True)
    assert asked(target, "SELECT count(*) FROM installation") == [(0,)]
    (tmp_path / "again").mkdir()
    again = migrated_in(tmp_path / "again", **KEYS)
    taken(again, "org", "import", publishers, **ELSEWHERE)
    taken(again, "org", "import", archive, **ELSEWHERE)
    assert asked(again, "SELECT count(*) FROM installation") == [(1,)]


def test_an_altered_audit_log_is_exported_on_demand_alone(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        make.filled_space(cast)
    asked(fresh_database, "UPDATE audit_event SET action = 'other' WHERE number = 1")
    arguments = ("org", "export", cast.organization, str(tmp_path / "archive.db"))
    ran = docyard(*arguments, database=fresh_database)
    assert (ran.returncode, "broken from event 1" in " ".join(ran.stderr.split())) == (1, True)
    assert not list(tmp_path.glob("archive*"))
    taken(fresh_database, *arguments, "--altered-log")


def test_a_deleted_organization_is_not_exported(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
    taken(fresh_database, "org", "delete", "Analytical Engines", "--org", cast.organization)
    export = ("org", "export", cast.organization, str(tmp_path))
    ran = docyard(*export, database=fresh_database)
    assert (ran.returncode, "was deleted" in ran.stderr) == (1, True)
    taken(fresh_database, "org", "restore", "--org", cast.organization)
    taken(fresh_database, *export)


def test_mistakes_of_an_export_are_told(fresh_database: str, tmp_path: Path) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
    archive = exported(cast, tmp_path)
    assert re.fullmatch(rf"{cast.organization}-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db", Path(archive).name)
    (short := tmp_path / "short").write_text("short")
    for arguments, said in (
        ((cast.organization, archive), "exists already"),
        (("nobody", str(tmp_path / "b.db")), "no organization nobody"),
        ((cast.organization, str(tmp_path / "b.db"), "--passphrase-file", str(short)), "12 characters"),
        ((cast.organization, str(tmp_path / "b.db"), "--passphrase-file", "/nowhere"), "cannot be read"),
        ((cast.organization, "/nowhere/b.db"), "cannot be written"),
    ):
        ran = docyard("org", "export", *arguments, database=fresh_database)
        assert (ran.returncode, said in " ".join(ran.stderr.split())) == (1, True), ran.stderr
    assert not (tmp_path / "b.db").exists()


def test_archives_may_be_in_a_bucket_and_hold_files_of_one(
    fresh_database: str, target: str, tmp_path: Path
) -> None:
    with s3.server() as endpoint, pytest.MonkeyPatch.context() as patch:
        for name, value in s3.CREDENTIALS.items():
            patch.setenv(name, value)
        files, archives = s3.create_bucket(endpoint), s3.create_bucket(endpoint)
        content = bytes(range(256)) * 5000
        with running(fresh_database, blobs=files.setting) as instance:
            cast = make.cast(instance)
            space = make.filled_space(cast, {"README.md": "![](a.bin)", "a.bin": content})
        where = f"s3://{archives.name}/moves?endpoint={endpoint}"
        printed = taken(
            fresh_database, "org", "export", cast.organization, where, DOCYARD_BLOBS=files.setting
        )
        taken(target, "org", "import", f"{printed}?endpoint={endpoint}", **ELSEWHERE)
    token = taken(target, "token", "create", "--user", cast.ada.email, **ELSEWHERE)
    with quiet(target, **KEYS) as instance:
        person = Person(instance, cast.ada.id, cast.ada.email, token)
        file = person.get(f"/v1/spaces/{space}/content/files").json()["items"][0]
        assert instance.http.get(file["downloadURL"]).content == content

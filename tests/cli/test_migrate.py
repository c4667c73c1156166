"""Bringing a database to this version's tables: several at once, and what is no reason to do so."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from app import migrations
from app.kit.database.engines import open_database
from app.kit.errors import Unavailable
from tests import make
from tests.cli.command import ROOT, environment
from tests.databases import asked
from tests.factories.changes import insert, send
from tests.factories.sites import ManagedSite
from tests.instance import running
from tests.timing import TIMEOUT


def test_processes_that_migrate_at_once_all_succeed(empty_database: str) -> None:
    command = [sys.executable, "-m", "app.cli", "migrate", "--database", empty_database]
    started = [
        subprocess.Popen(command, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=TIMEOUT)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    assert all(f"is at version {migrations.HEAD}." in line for line in said)


def test_upgrades_that_really_meet_wait_for_one_another(empty_database: str) -> None:
    async def together() -> None:
        await asyncio.gather(*(asyncio.to_thread(_upgrade_in_a_process, empty_database) for _ in range(2)))
        db = open_database(empty_database)
        assert await migrations.is_current(db)
        await db.close()

    asyncio.run(together())


def _upgrade_in_a_process(database: str) -> None:
    program = "import sys; from app import migrations; migrations.upgrade(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, database], cwd=ROOT, check=True, timeout=TIMEOUT)


def test_the_tables_are_those_that_the_models_describe(empty_database: str) -> None:
    migrations.upgrade(empty_database)
    command.check(migrations.configuration(Config(), empty_database))  # raises, naming what differs


def test_going_back_to_the_beginning_leaves_nothing(empty_database: str) -> None:
    config = migrations.configuration(Config(), empty_database)
    for _ in range(2):  # what was left would be in the way of the second time
        command.upgrade(config, "head")
        command.downgrade(config, "base")


def test_an_upgrade_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "docyard.db"
    with sqlite3.connect(path) as before:
        before.execute("CREATE TABLE revision (id TEXT)")  # in the way of the last of the tables
    before.close()
    with pytest.raises(Exception, match="revision"):
        migrations.upgrade(str(path))
    with sqlite3.connect(path) as after:
        assert after.execute("SELECT name FROM sqlite_master").fetchall() == [("revision",)]
    after.close()


def organization_of_before(database: str) -> None:
    """An organization in a database of an earlier version."""
    asked(
        database,
        """INSERT INTO organization
        (id, title, email_domains, type, sso, ai, invite_links, plan, created_at, updated_at)
        VALUES ('1', 'Acme', '["acme.example", "acme.test"]', 'business', false, false, false, 'free_2024',
        '2026-11-21T10:00:00.000Z', '2026-11-21T10:00:00.000Z')""",
    )


def test_domains_of_before_become_claims_that_prove_nothing(empty_database: str) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0009")
    organization_of_before(empty_database)
    migrations.upgrade(empty_database)
    columns = "name, organization_id, kind, status, verified_at"
    found = asked(empty_database, f"SELECT {columns} FROM domain_claim ORDER BY name")
    assert found == [(f"acme.{top}", "1", "email", "pending", None) for top in ("example", "test")]
    assert len(set(asked(empty_database, "SELECT token FROM domain_claim"))) == 2


def test_hosts_of_published_sites_count_for_two_weeks_and_others_are_pending(
    empty_database: str,
) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0010")
    organization_of_before(empty_database)
    time = "'2026-11-21T10:00:00.000Z'"
    columns = (
        "id, organization_id, type, title, title_folded, visibility, published, adaptive_content,"
        " agents_context, visitor_key, visitor_backend, base_level, lineage, created_at, updated_at,"
        " hostname, proxy"
    )
    for name, published, hostname, proxy in (
        ("a", "true", "'docs.acme.example'", "'acme.example/help'"),
        ("b", "false", "'new.acme.example'", "NULL"),
        ("c", "true", "'169.254.169.254'", "NULL"),
    ):
        values = (
            f"'{name}', '1', 'basic', 'A', 'a', 'public', {published}, false, 'included', '', '{{}}', 0, '',"
            f" {time}, {time}, {hostname}, {proxy}"
        )
        asked(empty_database, f"INSERT INTO site ({columns}) VALUES ({values})")
    migrations.upgrade(empty_database)
    found = asked(empty_database, "SELECT hostname, live_hostname, proxy, live_proxy FROM site ORDER BY id")
    assert found == [
        ("docs.acme.example", "docs.acme.example", "acme.example/help", "acme.example/help"),
        ("new.acme.example", None, None, None),
        (None, None, None, None),
    ]
    claims = asked(
        empty_database,
        "SELECT name, status, ends_at IS NOT NULL FROM domain_claim WHERE kind = 'hostname' ORDER BY name",
    )
    assert [(name, status, bool(ends)) for name, status, ends in claims] == [
        ("acme.example", "verified", True),
        ("docs.acme.example", "verified", True),
        ("new.acme.example", "pending", False),
    ]
    due = asked(empty_database, "SELECT subject FROM job WHERE kind = 'check_domain' AND state = 'scheduled'")
    assert len(due) == 3


def test_spaces_of_before_tell_who_signs_their_visitors_in(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        site = ManagedSite(make.cast(instance), "Manual", "Draft", visibility="visitor-auth")
        site.post("/publish", status=200)
        ManagedSite(site.cast, "Public").post("/publish", status=200)
    kept = "SELECT title, site_auth FROM space ORDER BY title"
    before = asked(fresh_database, kept)
    assert sum(auth is not None for _, auth in before) == 2
    command.downgrade(migrations.configuration(Config(), fresh_database), "0026")
    migrations.upgrade(fresh_database)
    assert asked(fresh_database, kept) == before


def test_spaces_of_before_are_public_where_a_site_shows_them_to_everybody(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        site = ManagedSite(make.cast(instance), "Shown", "Draft")
        site.post("/publish", status=200)
        drafted = site.get("/site-spaces")["items"][1]
        site.patch(f"/site-spaces/{drafted['id']}", {"draft": True})
        ManagedSite(site.cast, "Unpublished")
        ManagedSite(site.cast, "Shared", visibility="share-link").post("/publish", status=200)
    kept = "SELECT title, is_public FROM space ORDER BY title"
    before = asked(fresh_database, kept)
    assert [title for title, is_public in before if is_public] == ["Shown"]
    assert len(before) == 4
    command.downgrade(migrations.configuration(Config(), fresh_database), "0034")
    migrations.upgrade(fresh_database)
    assert asked(fresh_database, kept) == before


def test_bytes_that_were_stored_before_are_counted(fresh_database: str) -> None:
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        space = make.space(cast.ada, cast.organization)["id"]
        upload = {"operation": "insert_files", "files": [make.upload("a.png", make.picture(3, 3))]}
        assert send(cast.ada, space, insert("One", "äöü"), upload).status_code == 200
        assert send(cast.ada, space, insert("Two", "words")).status_code == 200
    stored = "SELECT holder_id, organization_id, bytes FROM stored_bytes ORDER BY holder_id"
    before = asked(fresh_database, stored)
    assert {row[0] for row in before} == {space, cast.organization}
    command.downgrade(migrations.configuration(Config(), fresh_database), "0024")
    migrations.upgrade(fresh_database)
    assert asked(fresh_database, stored) == before


def test_addresses_of_before_get_the_one_spelling_of_their_domain(empty_database: str) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0010")
    for name, email in (("1", "nell@bücher.example"), ("2", "max@BÜCHER.example"), ("3", "ada@example.org")):
        asked(
            empty_database,
            "INSERT INTO user_account (id, email, display_name, name_key, created_at)"
            f" VALUES ('{name}', '{email}', 'Nell', 'nell', '2026-11-21T10:00:00.000Z')",
        )
    migrations.upgrade(empty_database)
    found = asked(empty_database, "SELECT email FROM user_account ORDER BY id")
    assert [email for (email,) in found] == [
        "nell@xn--bcher-kva.example",
        "max@xn--bcher-kva.example",
        "ada@example.org",
    ]


def test_tokens_that_name_no_provider_are_revoked(empty_database: str) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0010")
    time = "'2026-11-21T10:00:00.000Z'"
    asked(
        empty_database,
        "INSERT INTO user_account (id, email, display_name, name_key, created_at)"
        f" VALUES ('1', 'ada@example.org', 'Ada', 'ada', {time})",
    )
    for name, organization in (("own", "NULL"), ("sso", "'1'")):
        asked(
            empty_database,
            "INSERT INTO token (hash, id, user_id, name, read_only, created_at, sso_organization_id)"
            f" VALUES ('{name}', '{name}', '1', '', false, {time}, {organization})",
        )
    migrations.upgrade(empty_database)
    assert asked(empty_database, "SELECT id, sso_provider_id FROM token") == [("own", None)]


def test_siblings_of_before_with_one_rank_are_told_apart_in_the_order_they_had(empty_database: str) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0010")
    organization_of_before(empty_database)
    ranks = {"a": "V", "b": "K", "c": "V", "d": "Z"}
    rows = (
        f"('{key}', '1', '{rank}', '', 0, '', '2026-11-21T10:00:00.000Z', '2026-11-21T10:00:00.000Z')"
        for key, rank in ranks.items()
    )
    columns = "id, organization_id, rank, title, base_level, lineage, created_at, updated_at"
    asked(empty_database, f"INSERT INTO collection ({columns}) VALUES {', '.join(rows)}")
    migrations.upgrade(empty_database)
    found = asked(empty_database, "SELECT id, rank FROM collection ORDER BY rank")
    assert [key for key, _ in found] == ["b", "a", "c", "d"]
    assert len({rank for _, rank in found}) == 4


def test_jobs_of_before_are_those_of_their_organizations(empty_database: str) -> None:
    command.upgrade(migrations.configuration(Config(), empty_database), "0010")
    organization_of_before(empty_database)
    asked(
        empty_database,
        """INSERT INTO openapi_spec
        (id, organization_id, slug, visibility, state, run, created_at, updated_at)
        VALUES ('spec', '1', 'api', 'private', 'pending', 'run', '2026-11-21T10:00:00.000Z',
        '2026-11-21T10:00:00.000Z')""",
    )
    for id_, kind, subject, state in (
        ("1", "process_openapi", "spec", "waiting"),
        ("2", "process_openapi", "gone", "running"),
        ("3", "remove_objects", "place", "failed"),
    ):
        asked(
            empty_database,
            f"""INSERT INTO job (id, kind, subject, payload, state, due_at, attempts, created_at)
            VALUES ('{id_}', '{kind}', '{subject}', '{{}}', '{state}', '2026-11-21T10:00:00.000Z', 0,
            '2026-11-21T10:00:00.000Z')""",
        )
    migrations.upgrade(empty_database)
    found = asked(empty_database, "SELECT organization_id, state FROM job ORDER BY id")
    assert found == [("1", "scheduled"), ("", "running"), ("", "failed")]


def test_bodies_of_before_are_read_for_conditions(fresh_database: str) -> None:
    pages = {
        "one.md": "# One\n\nPublicword.\n\n{%  if visitor.claims.vip %}\nSecretword.\n{% endif %}\n",
        "two.md": "# Two\n\nWords {% if visitor.claims.vip %}oddword{% endif %}.\n",
        "three.md": "# Three\n\n{% hint %}\nPlainword.\n{% endhint %}\n",
    }
    bodies = "SELECT markdown, conditional FROM document ORDER BY markdown"
    sections = "SELECT title, heading, anchor, body, condition FROM search_section ORDER BY title, position"
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        space = make.filled_space(cast, pages)
        written = asked(fresh_database, bodies), asked(fresh_database, sections)
    conditions = [condition for *_, condition in written[1]]
    assert conditions.count("visitor.claims.vip") == conditions.count("false") == 1
    command.downgrade(migrations.configuration(Config(), fresh_database), "0015")
    migrations.upgrade(fresh_database)
    assert (asked(fresh_database, bodies), asked(fresh_database, sections)) == written
    with running(fresh_database) as instance:
        ria = replace(cast.ria, instance=instance)
        for word in ("publicword", "secretword", "oddword", "plainword"):
            found = ria.get(f"/v1/spaces/{space}/search", params={"query": word}).json()["items"]
            assert [word in section["body"].lower() for hit in found for section in hit["sections"]] == [True]


def test_what_pages_of_before_include_and_describe_is_found(fresh_database: str) -> None:
    only = '{% if visitor.claims.plan == "pro" %}\n{% include ".gitbook/includes/block.md" %}\n{% endif %}\n'
    files: make.Files = {
        "always.md": '# Always\n\n{% include ".gitbook/includes/outer.md" %}\n',
        "only.md": f"---\ndescription: About oak.\n---\n\n# Only\n\n{only}",
        ".gitbook/includes/outer.md": '---\ntitle: Outer\n---\n\n{% include "block.md" %}\n',
        ".gitbook/includes/block.md": "---\ntitle: Block\n---\n\nThe oak.\n",
    }
    kept = (
        "SELECT title, heading, anchor, body, condition, kind FROM search_section ORDER BY title, kind, body",
        "SELECT space_id, page_id, reusable_id, condition FROM search_inclusion ORDER BY page_id, 3",
        "SELECT holder_id, href, shown_if FROM link ORDER BY holder_id, position",
    )
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        space = make.filled_space(cast, files)
    before = [asked(fresh_database, each) for each in kept]
    command.downgrade(migrations.configuration(Config(), fresh_database), "0027")
    migrations.upgrade(fresh_database)
    assert [asked(fresh_database, each) for each in kept] == before
    assert {row[-1] for row in before[1]} == {None, 'visitor.claims.plan == "pro"'}
    with running(fresh_database) as instance:
        ria = replace(cast.ria, instance=instance)
        answer = ria.get(f"/v1/spaces/{space}/search", params={"query": "oak"})
        assert {hit["title"] for hit in answer.json()["items"]} == {"Always", "Only"}


def test_links_of_before_are_worked_out_anew(fresh_database: str) -> None:
    include = {".gitbook/includes/oil.md": "[the lamp](../../machinery/lamp.md)\n"}
    dead = {"notes/dead.md": "# Dead\n\n[no](../machinery/lamp.md#no) [gone](gone.md) [self](#dead)\n"}
    kept = (
        "SELECT href, status, target_kind, target_path FROM link WHERE valid_to IS NULL ORDER BY href, line"
    )
    with running(fresh_database) as instance:
        cast = make.cast(instance)
        space = make.filled_space(cast, {**make.repository(include), **dead})
        number = make.change_request(cast.ada, space)["number"]
        page = cast.ada.get(f"/v1/spaces/{space}/content/path/notes/dead").json()["id"]
        make.changes(cast.ada, space, {"operation": "delete_page", "page": page}, request=number)
        found = asked(fresh_database, kept)
    assert ("../machinery/lamp.md#no", "broken", "anchor", "machinery/lamp.md") in found
    command.downgrade(migrations.configuration(Config(), fresh_database), "0019")
    asked(fresh_database, "UPDATE link SET status = 'ok', line = 1 WHERE href = 'gone.md'")
    migrations.upgrade(fresh_database)
    with running(fresh_database):
        until = time.monotonic() + TIMEOUT
        while asked(fresh_database, "SELECT id FROM job"):
            assert time.monotonic() < until, "the job does not end"
            time.sleep(0.1)
    assert asked(fresh_database, kept) == found


def test_a_database_that_cannot_be_read_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("This is a letter, and a long one, but not a database." * 10)

    async def version(address: str) -> None:
        db = open_database(address)
        try:
            await migrations.is_current(db)
        finally:
            await db.close()

    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        asyncio.run(version(str(tmp_path / "letter")))
    with pytest.raises(Unavailable):
        asyncio.run(version("postgresql://ann@127.0.0.1:1/docyard"))

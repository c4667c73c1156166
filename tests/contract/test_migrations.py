"""What a migration did is never changed: databases that it has run on would differ from new ones."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import asyncpg
import pytest

from app import migrations
from app.kit.database.interface import Database
from app.migrations import schema_check
from tests.cli.command import docyard
from tests.contract.frozen_migrations import checksums, frozen
from tests.databases import anew


def test_no_migration_was_changed_after_it_landed() -> None:
    assert checksums() == frozen(), "write a new migration; write_documents records it"


def test_the_last_migration_is_the_head() -> None:
    assert max(checksums())[:4] == migrations.HEAD


def differences(database: str) -> list[str]:
    """Return what a database lacks."""

    async def found(db: Database) -> list[str]:
        return await schema_check.differences(db)

    return anew(database, found)


def alter(database: str, *statements: str) -> None:
    """Alter the tables, as somebody does by hand."""
    if "://" not in database:
        with closing(sqlite3.connect(database)) as file, file:
            for statement in statements:
                file.execute(statement)
        return

    async def alter_there() -> None:
        connection = await asyncpg.connect(database)
        for statement in statements:
            await connection.execute(statement)
        await connection.close()

    asyncio.run(alter_there())


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ("DROP TABLE former_source", "the table former_source is missing"),
        ("ALTER TABLE space DROP COLUMN emoji", "the column space.emoji is missing"),
        ("DROP INDEX ix_job_failed", "the index ix_job_failed is missing"),
    ],
)
def test_a_server_does_not_start_on_tables_that_were_altered(
    fresh_database: str, done: str, said: str
) -> None:
    assert differences(fresh_database) == []
    alter(fresh_database, "CREATE INDEX another ON space (title)", "CREATE TABLE mine (id TEXT)")
    assert differences(fresh_database) == []
    alter(fresh_database, done)
    assert differences(fresh_database) == [said]
    ran = docyard("serve", "--port", "0", database=fresh_database)
    assert (ran.returncode, said in ran.stderr) == (1, True), ran.stderr

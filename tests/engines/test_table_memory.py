"""What SQLite remembers of tables: until somebody changes them, in this process or in another."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, text, update

from app.kit.database.concerned_tables import EVERYTHING, changed_tables
from app.kit.database.engines import open_database
from app.kit.database.interface import Clash, Database
from app.kit.database.statements import command, table
from app.models.access import Token
from app.models.oauth import OAuthAuthorization
from app.models.service import Fact
from app.models.teams import Team, TeamInvite
from tests.databases import migrated_in

FACTS = frozenset({table(Fact).name})
OTHERS = frozenset({table(Token).name})


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Database, Path]]:
    path = await asyncio.to_thread(migrated_in, folder)
    db = open_database(path)
    await put(db, "the writing connection is open")
    try:
        yield db, Path(str(path).removeprefix("sqlite:///"))
    finally:
        await db.close()


async def put(db: Database, name: str) -> None:
    async with db.transaction() as tx:
        await tx.add(Fact, name=name, value="x")


async def remembers(db: Database, tables: frozenset[str]) -> bool:
    """Whether what was put there before is still there; puts it there."""
    memory = await db.memory_of(tables)
    found = "mark" in memory
    memory["mark"] = True
    return found


def test_a_commit_ends_what_is_remembered_of_the_tables_that_it_changes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (db, _):
            assert not await remembers(db, FACTS)
            assert not await remembers(db, OTHERS)
            for n in range(3):
                assert await remembers(db, FACTS)
                assert await remembers(db, OTHERS)
                await put(db, f"a{n}")
                assert not await remembers(db, FACTS), n
                assert await remembers(db, OTHERS), n

    asyncio.run(scenario())


def test_a_commit_of_another_process_ends_all_that_is_remembered(tmp_path: Path) -> None:
    """Also one between two of our own, and whichever of them is seen first."""

    async def scenario() -> None:
        async with opened(tmp_path) as (db, path):
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                await remembers(db, OTHERS)
                other.execute("INSERT INTO fact (name, value) VALUES ('b', 'x')")
                assert not await remembers(db, OTHERS)
                await put(db, "c")
                assert await remembers(db, OTHERS)
                await put(db, "d")
                other.execute("DELETE FROM fact WHERE name = 'b'")
                await put(db, "e")
                assert not await remembers(db, OTHERS)
                await put(db, "f")
                assert await remembers(db, OTHERS)

    asyncio.run(scenario())


def test_nothing_is_remembered_of_tables_that_a_transaction_changes_now(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (db, _):
            async with db.transaction() as tx:
                await tx.add(Fact, name="g", value="x")
                await remembers(db, FACTS)  # as it was before
                assert not await remembers(db, FACTS)
            assert not await remembers(db, FACTS)
            assert await remembers(db, FACTS)

    asyncio.run(scenario())


def test_a_transaction_that_is_undone_or_refused_leaves_nothing_noted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (db, _):
            await put(db, "taken")
            with pytest.raises(Clash):
                await put(db, "taken")
            await remembers(db, FACTS)
            assert await remembers(db, FACTS)

    asyncio.run(scenario())


def test_a_statement_names_the_tables_that_it_changes() -> None:
    facts, tokens, teams = table(Fact), table(Token), table(Team)
    assert changed_tables(select(facts)) == frozenset()
    assert changed_tables(insert(facts)) == changed_tables(update(facts)) == FACTS
    moved = insert(facts).from_select(["name"], select(tokens.c.id)).returning(facts.c.name).cte()
    assert changed_tables(select(moved.c.name)) == FACTS
    assert {"team", table(TeamInvite).name} <= changed_tables(delete(teams))
    assert tokens.name in changed_tables(delete(table(OAuthAuthorization)))
    assert changed_tables(text("UPDATE fact SET value = ''")) == {EVERYTHING}


def test_a_text_ends_all_that_is_remembered(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as (db, _):
            await remembers(db, OTHERS)
            async with db.transaction() as tx:
                await tx.run(command(lambda: text("UPDATE fact SET value = 'y'")))
            assert not await remembers(db, OTHERS)

    asyncio.run(scenario())

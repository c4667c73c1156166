"""Writes on PostgreSQL that wait for the next statement: what follows sees them, refusals come later."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from sqlalchemy import select

from app.kit.clock import utc_now
from app.kit.database.engines import open_database
from app.kit.database.interface import Clash, Database, Transaction
from app.kit.database.postgres_pending import MOST
from app.kit.database.statements import command, given, query, rows, table
from app.models.change_events import ChangeEvent
from app.models.service import Fact
from tests.databases import migrated_on
from tests.timing import TIMEOUT

FACTS, CHANGES = table(Fact), table(ChangeEvent)
_FACTS = query(Fact, lambda: select(*FACTS.c).where(FACTS.c.name.like("w%")).order_by(FACTS.c.name))
_RAISE = command(
    lambda: FACTS.update().values(value=FACTS.c.value + "!").where(FACTS.c.name == given("name")),
    within=("fact",),
)
_RENAMED = rows(
    lambda: (
        FACTS.update()
        .values(value="told")
        .where(FACTS.c.name == given("name"))
        .returning(FACTS.c.name, FACTS.c.value)
    ),
    within=("fact",),
)
Act = Callable[[Transaction], Awaitable[None]]


@pytest.fixture(scope="module")
def address(postgres_server: str) -> str:
    return migrated_on(postgres_server)


def run(address: str, act: Act) -> dict[str, str]:
    """Run a transaction on a database without facts of ours; returns those that are there afterwards."""

    async def scenario(db: Database) -> dict[str, str]:
        async with asyncio.timeout(TIMEOUT):
            try:
                await db.write(act)
            finally:
                found = {row.name: row.value for row in await db.all(_FACTS)}
        return found

    async def bounded() -> dict[str, str]:
        connection = await asyncpg.connect(address)
        await connection.execute("DELETE FROM fact WHERE name LIKE 'w%'")
        await connection.close()
        db = open_database(address)
        try:
            return await scenario(db)
        finally:
            await db.close()

    return asyncio.run(bounded())


def fact(name: str, value: str = "new") -> dict[str, Any]:
    return {"name": name, "value": value}


def test_what_waits_is_there_for_the_next_read_and_after_the_commit(address: str) -> None:
    async def act(tx: Transaction) -> None:
        await tx.add_many(Fact, [fact("w1"), fact("w2")])
        await tx.add_many(Fact, [fact("w3")])
        assert [row.name for row in await tx.all(_FACTS)] == ["w1", "w2", "w3"]
        await tx.put(Fact, {"value": "put"}, name="w2")

    assert run(address, act) == {"w1": "new", "w2": "put", "w3": "new"}


def test_writes_to_one_table_keep_their_order(address: str) -> None:
    async def act(tx: Transaction) -> None:
        await tx.add_many(Fact, [fact("w1")])
        await tx.put(Fact, {"value": "first"}, name="w1")
        await tx.put(Fact, {"value": "second"}, name="w1")
        await tx.run(_RAISE, name="w1")
        await tx.run(_RAISE, name="w1")
        await tx.add_many(Fact, [fact("w1", "ignored"), fact("w2")], missing=True)
        assert [(row.name, row.value) for row in await tx.all(_RENAMED, name="w2")] == [("w2", "told")]
        await tx.remove(Fact, name="w3")
        await tx.add_many(Fact, [fact("w3")])

    assert run(address, act) == {"w1": "second!!", "w2": "told", "w3": "new"}


def test_several_tables_and_a_statement_with_rows_go_together(address: str) -> None:
    change = {"kind": "space", "action": "renamed", "organization_id": "o", "created_at": utc_now()}

    async def act(tx: Transaction) -> None:
        await tx.add_inline(ChangeEvent, [change])
        await tx.add_many(Fact, [fact("w1", 'quoted " $1 \\ \n ü 😀')])
        await tx.flush()
        await tx.add_inline(ChangeEvent, [change])
        assert len(await tx.all(_RENAMED, name="w1")) == 1

    assert run(address, act) == {"w1": "told"}


@pytest.mark.parametrize("number", [MOST - 1, MOST + 1])
def test_many_rows_are_stored_however_many_may_wait(address: str, number: int) -> None:
    async def act(tx: Transaction) -> None:
        await tx.add_many(Fact, [fact("w")])
        await tx.add_many(Fact, [fact(f"w{n:04}") for n in range(number)])
        await tx.add_many(Fact, [fact("wx")])

    assert len(run(address, act)) == number + 2


def test_what_is_refused_in_the_end_undoes_all_of_it(address: str) -> None:
    async def act(tx: Transaction) -> None:
        await tx.add_many(Fact, [fact("w1"), fact("w1")])

    with pytest.raises(Clash):
        run(address, act)


def test_a_flush_raises_what_is_refused(address: str) -> None:
    async def act(tx: Transaction) -> None:
        await tx.add_many(Fact, [fact("w1"), fact("w1")])
        with pytest.raises(Clash):
            await tx.flush()
        raise LookupError("as asked")

    with pytest.raises(LookupError):
        run(address, act)

"""PostgreSQL has current statistics of a table right after a transaction that added many rows."""

from __future__ import annotations

import asyncio

from sqlalchemy import Double, Select, column, select
from sqlalchemy import table as any_table

from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.postgres_transactions import BULK
from app.kit.database.statements import rows
from app.models.service import Fact
from tests.databases import migrated_on


def _known() -> Select[tuple[float]]:
    """Return how many rows of the table the planner has been told of; -1 for nothing."""
    tables = any_table("pg_class", column("relname"), column("reltuples", Double()))
    return select(tables.c.reltuples).where(tables.c.relname == "fact")


_KNOWN = rows(_known)


async def add(db: Database, prefix: str, count: int) -> int:
    """Add facts in one transaction; returns of how many the planner knows then."""
    async with db.transaction() as tx:
        await tx.add_many(Fact, [{"name": f"{prefix}{index}", "value": "x"} for index in range(count)])
    (known,) = await db.all(_KNOWN)
    return int(known.reltuples)


def test_the_planner_knows_of_many_rows_at_once(postgres_server: str) -> None:
    async def scenario(address: str) -> None:
        db = open_database(address)
        try:
            assert await add(db, "few", BULK - 1) == -1
            assert await add(db, "many", BULK) >= 2 * BULK - 1
            before = await add(db, "more", 10 * BULK)
            assert before >= 12 * BULK - 1
            assert await add(db, "not a tenth", BULK) == before
        finally:
            await db.close()

    asyncio.run(scenario(migrated_on(postgres_server)))

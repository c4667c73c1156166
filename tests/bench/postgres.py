"""REST on PostgreSQL beside raw asyncpg: one space, a list of a hundred, a durable change.

The server is one of its own that waits for the disk at every commit. Its processes are not counted in the
processor time of either side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import asyncpg

from app import migrations
from app.kit.database.statements import table
from app.models.spaces import Space
from tests import postgres
from tests.bench.data import ICON, Data, found, inside, settings_of
from tests.bench.options import Options
from tests.bench.report import Row
from tests.bench.rest import Contest, compare_reads, compare_writes
from tests.bench.servers import ceiling, docyard

ORGANIZATIONS, EACH = 50, 2_000
CEILING = "raw asyncpg + orjson"


def run(options: Options) -> list[Row]:
    """Measure it all; raises AssertionError where ours and the ceiling answer differently."""
    with postgres.server(durable=True) as address:
        asyncio.run(_create_database(address, "bench"))
        database = f"{address}/bench"
        data, spaces = _filled(database)
        with docyard(database) as server, ceiling("postgres_ceiling:app", database) as raw:
            contest = Contest(data, spaces, server, raw, CEILING)
            reads = compare_reads(options, contest, least=(0.5, 0.6))
            return [*reads, *compare_writes(options, contest, least=0.4)]


def _filled(database: str) -> tuple[Data, Sequence[Sequence[str]]]:
    """Return the data of a new database, and the ids of ten spaces of each organization."""
    migrations.upgrade(database, settings_of(database))
    data = inside(database, lambda cx: found(cx, Path(), ORGANIZATIONS, ICON))
    asyncio.run(_multiply_spaces(database))
    return data, asyncio.run(_some(database, data.organizations))


async def _create_database(address: str, name: str) -> None:
    connection = await asyncpg.connect(f"{address}/postgres")
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()


async def _multiply_spaces(database: str) -> None:
    """Copy every space until each organization has `EACH`, as `data.multiply_spaces` does on SQLite."""
    columns = [column.name for column in table(Space).columns]
    made = {"id": "lpad(n::text, 16, '0') || lpad(place::text, 4, '0')", "title": "'Space number ' || n"}
    values = ", ".join(made.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    connection = await asyncpg.connect(database)
    await connection.execute(
        f"""
        SET session_replication_role = replica;  -- what refers to the spaces that are copied does not matter
        CREATE TEMP TABLE template AS SELECT row_number() OVER (ORDER BY id) AS place, * FROM space;
        DELETE FROM space;
        INSERT INTO space ({names})
        SELECT {values} FROM generate_series(1, {EACH}) AS n CROSS JOIN template ORDER BY n, place;
        """
    )
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def _some(database: str, organizations: Sequence[str]) -> list[list[str]]:
    connection = await asyncpg.connect(database)
    spaces = []
    for organization in organizations:
        rows = await connection.fetch(
            "SELECT id FROM space WHERE organization_id = $1 ORDER BY id", organization
        )
        spaces.append([row["id"] for row in rows][:: EACH // 10][:10])
    await connection.close()
    return spaces

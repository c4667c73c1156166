"""Copies the rows of tables from one database to another, whatever their engines.

Rows travel as SQLite keeps them: times and JSON are text. Nothing here knows what is in a table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Boolean, Column, Table

from app.kit.clock import wire_time
from app.kit.database.columns import Bytes, Instant, Json
from app.kit.database.file_threads import Batch, FileThread, opened

ROWS = 1000  # that are read at once
LARGE_ROWS = 8  # of a table whose rows may have a megabyte each
BUSY_TIMEOUT = 30  # seconds to wait for another process
Convert = Callable[[Any], Any]


class Selection(NamedTuple):
    """Some rows of a table: a condition in SQL that both engines read, with `$1` for the one value."""

    table: Table
    condition: str


@asynccontextmanager
async def snapshot(address: str) -> AsyncIterator[Any]:
    """Open a connection to a PostgreSQL server whose reads all see the same moment."""
    import asyncpg

    connection = await asyncpg.connect(address, statement_cache_size=0)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield connection
    finally:
        await connection.close()


async def to_file(connection: Any, tables: Sequence[Table], target: Path) -> None:
    """Copy the rows of a snapshot into a SQLite file that has the tables, in place of the rows there."""
    async with opened(target) as file:
        await file.run(partial(_begin_empty, tables=tables))
        for table in tables:
            insert = _insert(table)
            async for batch in _from_postgres(connection, table):
                await file.add(insert, batch)
        await file.run(lambda written: written.execute("COMMIT").close())


async def selected_to_file(address: str, selections: Sequence[Selection], value: str, target: Path) -> None:
    """Copy rows of a database, as they are at one moment, into a SQLite file that has the tables, in place of
    the rows there.
    """
    if address.startswith("postgres"):
        await _selected_from_server(address, selections, value, target)
    else:
        await _selected_from_file(Path(address), selections, value, target)


async def _selected_from_server(
    address: str, selections: Sequence[Selection], value: str, target: Path
) -> None:
    async with snapshot(address) as connection, opened(target) as file:
        await file.run(partial(_begin_empty, tables=[each.table for each in selections]))
        for table, condition in selections:
            async for batch in _from_postgres(connection, table, condition, value):
                await file.add(_insert(table), batch)
        await file.run(lambda written: written.execute("COMMIT").close())


async def _selected_from_file(
    source: Path, selections: Sequence[Selection], value: str, target: Path
) -> None:
    """Copy within one connection, whose reads of the source all see the same moment."""

    def copy(connection: sqlite3.Connection) -> None:
        connection.execute("ATTACH ? AS target", (str(target),)).close()
        connection.execute("BEGIN").close()
        for table, condition in selections:
            name, columns = _quoted(table.name), _names(table)
            connection.execute(f"DELETE FROM target.{name}").close()
            # Without the name of a database a table is the source's.
            rows = f"SELECT {columns} FROM {name} WHERE {condition}"
            connection.execute(f"INSERT INTO target.{name} ({columns}) {rows}", {"1": value}).close()
        connection.execute("COMMIT").close()

    async with opened(source, timeout=BUSY_TIMEOUT) as file:
        await file.run(copy)


async def batches(
    file: FileThread, table: Table, names: Sequence[str], order: str
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield these columns of the rows of a table in a file, in an order, as our statements take them."""
    reads = [_as_given(table.columns[name]) for name in names]
    columns = ", ".join(map(_quoted, names))
    found = f"SELECT {columns} FROM {_quoted(table.name)} ORDER BY {order}"
    async for batch in file.batches(found, _batch_size(table)):
        yield [dict(zip(names, _converted(row, reads), strict=True)) for row in batch]


def _begin_empty(written: sqlite3.Connection, tables: Sequence[Table]) -> None:
    """Begin a transaction and empty all tables in it, without checking references."""
    written.execute("PRAGMA foreign_keys=OFF")
    written.execute("BEGIN IMMEDIATE")
    for table in tables:
        written.execute(f"DELETE FROM {_quoted(table.name)}")


async def to_server(source: Path, tables: Sequence[Table], address: str) -> None:
    """Copy the rows of a SQLite file to a PostgreSQL server that has the tables, in place of the rows there.

    Whoever reads there sees all of them or none.
    """
    import asyncpg

    connection = await asyncpg.connect(address, statement_cache_size=0)
    try:
        async with opened(source) as file, connection.transaction():
            await connection.execute(f"TRUNCATE {', '.join(_quoted(table.name) for table in tables)}")
            for table in tables:
                names = [column.name for column in table.columns]
                rows = _to_postgres(file, table)
                await connection.copy_records_to_table(table.name, records=rows, columns=names)
            await _count_on(connection, tables)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


async def _count_on(connection: Any, tables: Sequence[Table]) -> None:
    """Have columns that count up by themselves go on after the highest number."""
    for table in tables:
        for column in table.primary_key:
            name = f"pg_get_serial_sequence('{_quoted(table.name)}', '{column.name}')"
            if await connection.fetchval(f"SELECT {name}") is not None:
                highest = f"SELECT max({_quoted(column.name)}) FROM {_quoted(table.name)}"
                await connection.execute(f"SELECT setval({name}, coalesce(({highest}), 0) + 1, false)")


async def _from_postgres(
    connection: Any, table: Table, condition: str = "true", *values: str
) -> AsyncIterator[Batch]:
    """Yield rows of a table as SQLite keeps them."""
    converts = [_as_kept(column) for column in table.columns]
    size = _batch_size(table)
    batch: Batch = []
    found = f"SELECT {_names(table)} FROM {_quoted(table.name)} WHERE {condition}"
    async for row in connection.cursor(found, *values, prefetch=size):
        batch.append(_converted(row, converts))
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


async def _to_postgres(file: FileThread, table: Table) -> AsyncIterator[tuple[Any, ...]]:
    """Yield the rows of a table in a file as the driver of PostgreSQL wants them."""
    converts = [_as_sent(column) for column in table.columns]
    async for batch in file.batches(f"SELECT {_names(table)} FROM {_quoted(table.name)}", _batch_size(table)):
        for row in batch:
            yield _converted(row, converts)


def _converted(row: Iterable[Any], converts: Sequence[Convert | None]) -> tuple[Any, ...]:
    return tuple(
        value if convert is None or value is None else convert(value)
        for value, convert in zip(row, converts, strict=True)
    )


def _as_kept(column: Column[Any]) -> Convert | None:
    if isinstance(column.type, Instant):
        return wire_time
    if isinstance(column.type, Json):
        return lambda value: orjson.dumps(orjson.loads(value)).decode()
    return int if isinstance(column.type, Boolean) else None


def _as_sent(column: Column[Any]) -> Convert | None:
    if isinstance(column.type, Instant):
        return datetime.fromisoformat
    return bool if isinstance(column.type, Boolean) else None


def _as_given(column: Column[Any]) -> Convert | None:
    return orjson.loads if isinstance(column.type, Json) else _as_sent(column)


def _batch_size(table: Table) -> int:
    return LARGE_ROWS if any(isinstance(column.type, Bytes) for column in table.columns) else ROWS


def _insert(table: Table) -> str:
    places = ", ".join("?" for _ in table.columns)
    return f"INSERT INTO {_quoted(table.name)} ({_names(table)}) VALUES ({places})"


def _names(table: Table) -> str:
    return ", ".join(_quoted(column.name) for column in table.columns)


def _quoted(name: str) -> str:
    return f'"{name}"'

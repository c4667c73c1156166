"""Compares the tables of a database with those that this version has, where a server starts.

The version of a database says which migrations ran, and not what somebody did to its tables meanwhile. What
there is besides, such as another index, harms nobody.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import column, text

from app.kit.database.interface import Reader
from app.kit.database.statements import by_engine, rows
from app.kit.errors import Problem

MOST = 10  # differences that are told
# Of SQLite, the columns of the primary key are not null although it does not say so.
_COLUMNS = {
    "sqlite": """
        SELECT m.name AS table_name, c.name AS column_name, c."notnull" OR c.pk > 0 AS is_required
        FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'
    """,
    "postgresql": """
        SELECT table_name::text, column_name::text, is_nullable = 'NO' AS is_required
        FROM information_schema.columns WHERE table_schema = current_schema()
    """,
}
_INDEXES = {
    "sqlite": "SELECT name AS index_name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname::text AS index_name FROM pg_indexes WHERE schemaname = current_schema()",
}


class SchemaDiffers(Problem):
    """The tables of a database are not those of its version."""


async def check(db: Reader) -> None:
    """Raise SchemaDiffers where a table, a column or an index is missing, or a column takes other values."""
    missing = await differences(db)
    if missing:
        more = f" and {len(missing) - MOST} more" if len(missing) > MOST else ""
        raise SchemaDiffers(
            f"The tables of this database were altered: {'; '.join(missing[:MOST])}{more}."
            " Restore a backup, or undo what was done to them."
        )


async def differences(db: Reader) -> list[str]:
    """Return what this version's tables have and the database does not, in words."""
    from app.models.tables import METADATA  # all of them, which only a server that starts needs

    found: dict[str, dict[str, bool]] = {}
    for row in await db.all(_FOUND_COLUMNS):
        found.setdefault(row.table_name, {})[row.column_name] = bool(row.is_required)
    indexes = {row.index_name for row in await db.all(_FOUND_INDEXES)}
    said = []
    for table in METADATA.sorted_tables:
        columns = found.get(table.name)
        if columns is None:
            said.append(f"the table {table.name} is missing")
            continue
        for each in table.columns:
            place = f"the column {table.name}.{each.name}"
            is_required = columns.get(each.name)
            if is_required is None:
                said.append(f"{place} is missing")
            elif is_required == bool(each.nullable):
                said.append(f"{place} {'must have a value' if is_required else 'may be empty'}")
        said += [f"the index {index.name} is missing" for index in _missing(table.indexes, indexes)]
    return said


def _missing(wanted: Any, indexes: set[str]) -> list[Any]:
    return sorted((each for each in wanted if each.name not in indexes), key=lambda each: str(each.name))


def _by_engine(texts: dict[str, str], *names: str) -> Any:
    return rows(by_engine(lambda engine: text(texts[engine]).columns(*map(column, names))))


_FOUND_COLUMNS = _by_engine(_COLUMNS, "table_name", "column_name", "is_required")
_FOUND_INDEXES = _by_engine(_INDEXES, "index_name")

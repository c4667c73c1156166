"""Alembic's entry: runs the revisions through the async drivers that the product uses anyway.

The lock is taken before the version is read, so whoever had to wait sees what the one before has done.
"""

import asyncio
from typing import Any
from uuid import uuid4

from alembic import context
from sqlalchemy import Connection, MetaData, pool, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from app.migrations import COLUMN_OF_WORDS, UnsupportedDatabase, compare_full_text, without_full_text
from app.models.tables import METADATA

LOCK = 0x646F6379617264  # any number of 64 bits that no other program takes in the same database
PATIENCE = 120  # seconds another process may hold a SQLite file
FULL_TEXT = "full-text search"
NEEDED = {
    "advisory locks": "SELECT pg_advisory_xact_lock(:lock)",
    FULL_TEXT: "SELECT to_tsvector('simple', 'a') @@ to_tsquery('simple', 'a')",
}
"""Features that some engines with the protocol of PostgreSQL lack, each with a statement that uses it."""
_UNKNOWN = ("42883", "42704", "0A000")  # no such function; no such type; feature not supported


def include(object_: object, name: str | None, type_: str, reflected: bool, compare_to: object) -> bool:
    """Leave the search index to its revision: models cannot describe it."""
    return not (name or "").startswith("search_index") and name not in (
        "terms",
        "ix_search_section_terms",
        "ix_search_title_words",
    )


def apply_conditions(metadata: MetaData) -> None:
    """Give partial indexes their condition in both dialects (see kit.database.columns)."""
    for table in metadata.tables.values():
        for index in table.indexes:
            if where := index.info.get("where"):
                for dialect in ("sqlite", "postgresql"):
                    index.dialect_options[dialect]["where"] = text(where)


def begin_alone(connection: Connection) -> None:
    """Begin a transaction after any other process that migrates.

    Raises UnsupportedDatabase where the engine has not all that is needed.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    is_plain = context.config.attributes["full_text"] == "plain"
    for feature, statement in NEEDED.items():  # the first is the lock
        if is_plain and feature == FULL_TEXT:
            continue
        try:
            connection.execute(text(statement), {"lock": LOCK} if ":lock" in statement else {})
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _UNKNOWN:
                raise
            option = ", or set DOCYARD_FULL_TEXT=plain" if feature == FULL_TEXT else ""
            raise UnsupportedDatabase(
                f"This database has no {feature}, which Docyard needs. Use PostgreSQL or SQLite{option}."
            ) from error
    stored = connection.execute(COLUMN_OF_WORDS).scalar()
    compare_full_text(stored, context.config.attributes["full_text"])
    if is_plain:
        without_full_text.follow(connection)


def migrate(connection: Connection) -> None:
    """Run the revisions on an open connection, all or none."""
    begin_alone(connection)
    apply_conditions(METADATA)
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        render_as_batch=connection.dialect.name == "sqlite",
        include_object=include,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("COMMIT")


async def main() -> None:
    """Connect, migrate, go."""
    address = context.config.attributes["address"]
    if "sqlite" in address:
        # Left to itself, the driver begins only before the first row is written, after all the tables.
        options: dict[str, Any] = {"timeout": PATIENCE, "isolation_level": None}
    else:  # behind a pooler, statements of others may have the driver's own names
        options = {"statement_cache_size": 0, "prepared_statement_name_func": lambda: f"docyard_{uuid4()}"}
    engine = create_async_engine(address, poolclass=pool.NullPool, connect_args=options)
    async with engine.connect() as connection:
        await connection.run_sync(migrate)
        await connection.commit()
    await engine.dispose()


asyncio.run(main())

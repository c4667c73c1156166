"""Alembic's entry: runs the revisions through the async drivers that the product uses anyway."""

import asyncio

from alembic import context
from sqlalchemy import Connection, MetaData, pool, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlmodel import SQLModel

import app.models  # noqa: F401 - fills the metadata that `alembic check` compares with


def include(object_: object, name: str | None, type_: str, reflected: bool, compare_to: object) -> bool:
    """Leave the search index to its revision: models cannot describe it."""
    return not (name or "").startswith("search_index") and name not in ("terms", "ix_search_section_terms")


def apply_conditions(metadata: MetaData) -> None:
    """Give partial indexes their condition in both dialects (see kit.columns)."""
    for table in metadata.tables.values():
        for index in table.indexes:
            if where := index.info.get("where"):
                for dialect in ("sqlite", "postgresql"):
                    index.dialect_options[dialect]["where"] = text(where)


def migrate(connection: Connection) -> None:
    """Run the revisions on an open connection, all or none."""
    apply_conditions(SQLModel.metadata)
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        include_object=include,
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


async def main() -> None:
    """Connect, migrate, go."""
    engine = create_async_engine(context.config.attributes["address"], poolclass=pool.NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(migrate)
        await connection.commit()
    await engine.dispose()


asyncio.run(main())

"""Restores backups, into a SQLite file or into a PostgreSQL server: also the way from one to the other."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from sqlalchemy import select

from app import migrations
from app.domain.backups.backup_files import TABLES, index_again
from app.domain.backups.backup_publishing import BackupRefused
from app.kit.database import file_copies, table_copies
from app.kit.database.engines import open_database
from app.kit.database.statements import rows, table
from app.kit.settings import Settings
from app.models.users import User

USERS = table(User)
_ANYBODY = rows(lambda: select(USERS.c.id).limit(1))


async def restore(source: Path, settings: Settings) -> None:
    """Restore a backup as the database of these settings, which must be new or empty.

    Raises BackupRefused. Where it fails, the database is as empty as before.
    """
    if settings.is_postgres:
        await _into_server(source, settings)
    else:
        await asyncio.to_thread(_into_file, source, Path(settings.database.removeprefix("sqlite:///")))


def _into_file(source: Path, target: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):  # an old log would be applied to the new file
        if (file := target.with_name(f"{target.name}{ending}")).exists():
            raise BackupRefused(f"{file} exists already. Move it away, or name another database.")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        file_copies.copy_file(source, part)
        part.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise BackupRefused(f"{target} cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)


async def _into_server(source: Path, settings: Settings) -> None:
    db = open_database(settings.database, timeouts=settings.timeouts)
    try:
        await asyncio.to_thread(migrations.upgrade, settings.database, settings)
        if await db.all(_ANYBODY):
            raise BackupRefused("The database has people already. Restore into one that is empty.")
        with tempfile.TemporaryDirectory() as folder:
            file = await asyncio.to_thread(_current, source, Path(folder), settings)
            await table_copies.to_server(file, TABLES, settings.database)
        await index_again(db, settings)
    finally:
        await db.close()


def _current(source: Path, folder: Path, settings: Settings) -> Path:
    """Return a backup with this version's tables: a copy that is migrated, where it has others."""
    with closing(sqlite3.connect(source)) as file:
        version: str = file.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    if version == migrations.HEAD:
        return source
    if version > migrations.HEAD:
        raise BackupRefused(
            f"The backup has version {version}, but this Docyard knows versions up to {migrations.HEAD}."
        )
    copy = folder / "migrated.db"
    file_copies.copy_file(source, copy)
    migrations.upgrade(str(copy), settings)
    return copy

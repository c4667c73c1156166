"""Writes backups. Each is one SQLite file with everything, whatever the engine that it is a backup of.

So it can be looked at with common tools, served to try it, and restored into either engine. Files that are in
a bucket are put into it. A file that needs nothing but a copy is backed up before the tables would be loaded.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from app.domain.backups.backup_publishing import BackupRefused, publish
from app.kit.database import file_copies
from app.kit.settings import Settings

_ANY_IN_BUCKET = "SELECT EXISTS (SELECT 1 FROM blob WHERE place IS NOT NULL)"


async def write(settings: Settings, target: Path) -> list[str]:
    """Write a backup of the database of these settings to a new file, while others read and write there.

    Returns the ids of files that were removed from the bucket meanwhile. Nothing is left behind where it
    fails. Raises BackupRefused.
    """
    if target.exists():
        raise BackupRefused(f"{target} exists already. Name a file that does not.")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        missing = await _write(settings, part)
        await asyncio.to_thread(publish, part, target)
    except (OSError, sqlite3.Error) as error:
        raise BackupRefused(f"{target} cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return missing


async def _write(settings: Settings, target: Path) -> list[str]:
    if not settings.is_postgres:
        source = Path(settings.database.removeprefix("sqlite:///"))
        if not await asyncio.to_thread(_copy, source, target):
            return []
    from app.domain.backups import backup_files

    if settings.is_postgres:
        await backup_files.write_rows(settings, target)
    return await backup_files.take_in_files(settings, target)


def _copy(source: Path, target: Path) -> bool:
    """Copy a database; returns whether it has files in a bucket."""
    file_copies.copy_file(source, target)
    with closing(sqlite3.connect(target)) as copy:
        return bool(copy.execute(_ANY_IN_BUCKET).fetchone()[0])

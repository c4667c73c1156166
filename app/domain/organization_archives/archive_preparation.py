"""Makes a copy of an archive ready to be imported into one installation: with its people, secrets and
integrations, and without what it has already.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import select

from app import migrations
from app.access.context import Context
from app.domain.backups import backup_files
from app.domain.infrastructure import stored_secrets
from app.domain.organization_archives import archive_checks, archive_conflicts, archived_people, ownership
from app.domain.organization_archives.archive_manifests import ArchiveRefused, Manifest
from app.domain.organization_archives.archived_people import People
from app.kit.database import file_threads
from app.kit.database.file_threads import FileThread
from app.kit.database.interface import Reader
from app.kit.database.sql import among
from app.kit.database.statements import Statement, rows, table
from app.kit.signing import Signer
from app.models.files import Blob
from app.models.integrations import Integration
from app.models.pages import Document

AT_ONCE = 500
BLOBS, DOCUMENTS, INTEGRATIONS = table(Blob), table(Document), table(Integration)
_HELD: dict[str, Statement[Any]] = {
    ownership.TEXTS: rows(lambda: select(DOCUMENTS.c.id).where(among(DOCUMENTS.c.id, "ids"))),
    ownership.BYTES: rows(lambda: select(BLOBS.c.id).where(among(BLOBS.c.id, "ids"))),
}
_PUBLISHED = rows(
    lambda: select(INTEGRATIONS.c.id).where(
        among(INTEGRATIONS.c.id, "ids"), INTEGRATIONS.c.deleted_at.is_(None)
    )
)


@dataclass(frozen=True)
class Prepared:
    """A copy of an archive that can be imported, and what is told of it.

    `uninstalled` are names of integrations of other organizations that are not here.
    """

    file: Path
    manifest: Manifest
    people: People
    uninstalled: Sequence[str]


@asynccontextmanager
async def prepared(cx: Context, source: Path, passphrase: str | None) -> AsyncIterator[Prepared]:
    """Verify an archive and make a copy of it ready for this installation, until the block ends.

    Raises ArchiveRefused. The installation is only read.
    """
    await asyncio.to_thread(archive_checks.version_of, source)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "archive.db")
        try:
            await asyncio.to_thread(shutil.copyfile, source, copy)
            manifest, signer = await asyncio.to_thread(archive_checks.examine, copy, passphrase)
            if await asyncio.to_thread(archive_checks.version_of, copy) < migrations.HEAD:
                await asyncio.to_thread(migrations.upgrade, str(copy), cx.settings)
            await asyncio.to_thread(archive_checks.check_rows, copy, manifest)
            async with file_threads.opened(copy) as file:
                await archive_conflicts.refuse(cx.db, file, manifest)
                people = await archived_people.match(cx.db, file)
                uninstalled = await _leave_uninstalled(cx.db, file, manifest)
                await _leave_held(cx.db, file)
            await _take_over_secrets(cx, copy, signer)
        except (OSError, sqlite3.Error) as error:
            raise ArchiveRefused(f"{source} cannot be read: {error}.") from error
        yield Prepared(copy, manifest, people, uninstalled)


async def _leave_uninstalled(db: Reader, file: FileThread, manifest: Manifest) -> list[str]:
    """Leave out installations of integrations that nobody publishes here; returns the names of these."""
    statement = 'SELECT "id", "integration_id" FROM "installation"'
    found = await file.run(lambda raw: raw.execute(statement).fetchall())
    borrowed = {id_: integration for id_, integration in found if id_ in manifest.borrowed}
    here = {row.id for row in await db.all(_PUBLISHED, ids=list(borrowed.values()))}
    gone = [id_ for id_, integration in borrowed.items() if integration not in here]

    def leave(raw: sqlite3.Connection) -> None:
        for name, column in (("installation_placement", "installation_id"), ("installation", "id")):
            raw.executemany(f'DELETE FROM "{name}" WHERE "{column}" = ?', [(id_,) for id_ in gone]).close()

    await file.run(leave)
    return sorted(manifest.borrowed[id_] for id_ in gone)


async def _leave_held(db: Reader, file: FileThread) -> None:
    """Leave out the texts and files that other organizations have here too, which are kept once."""
    for name, held in _HELD.items():
        last = ""
        while True:
            page = f'SELECT "id" FROM "{name}" WHERE "id" > ? ORDER BY "id" LIMIT {AT_ONCE}'
            ids = await file.run(partial(_first_column, page, last))
            if not ids:
                break
            here = [(row.id,) for row in await db.all(held, ids=ids)]
            if name == ownership.BYTES:
                await file.add('DELETE FROM "blob_part" WHERE "blob_id" = ?', here)
            await file.add(f'DELETE FROM "{name}" WHERE "id" = ?', here)
            last = ids[-1]


def _first_column(statement: str, value: str, raw: sqlite3.Connection) -> list[str]:
    return [row[0] for row in raw.execute(statement, (value,))]


async def _take_over_secrets(cx: Context, copy: Path, signer: Signer | None) -> None:
    """Encrypt the secrets of an archive with this installation's; where it has none, make those anew that
    cannot be missing.
    """
    async with backup_files.opened_file(copy) as db:
        if signer is None:
            await db.write(lambda tx: stored_secrets.replace_lost(replace(cx, db=tx), cx.signer))
        else:
            await db.write(lambda tx: stored_secrets.renew(replace(cx, db=tx, signer=signer), cx.signer))

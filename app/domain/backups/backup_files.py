"""The files of backups from inside: rows of a server that are put into one, and files of a bucket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy import select, update

from app import migrations
from app.access.context import Actor, Context
from app.domain.backups.backup_publishing import BackupRefused
from app.domain.infrastructure import blobs
from app.domain.infrastructure.blobs import BLOBS, PIECE
from app.domain.search import search_rebuild
from app.kit.clock import utc_now
from app.kit.database import table_copies
from app.kit.database.engines import open_database
from app.kit.database.interface import Database, Transaction
from app.kit.database.statements import command, given, query, rows, table
from app.kit.errors import Unavailable
from app.kit.settings import Settings
from app.kit.signing import Signer
from app.models.files import BlobPart
from app.models.spaces import Space
from app.models.tables import METADATA

SPACES = table(Space)
NOT_KEPT = ("change_event",)  # what happened in the last day; its numbers mean nothing elsewhere
TABLES = [each for each in METADATA.sorted_tables if each.name not in NOT_KEPT]
_IN_BUCKET = rows(lambda: select(BLOBS.c.id, BLOBS.c.place).where(BLOBS.c.place.is_not(None)))
_TAKE_IN = command(
    lambda: (
        update(BLOBS)
        .values(data=given("data", BLOBS.c.data.type), place=None)
        .where(BLOBS.c.id == given("id"))
    )
)
_ALL_SPACES = query(Space, lambda: select(*SPACES.c).order_by(SPACES.c.id))


async def write_rows(settings: Settings, target: Path) -> None:
    """Write the rows of a server into a file that has its tables, and index its texts."""
    async with table_copies.snapshot(settings.database) as connection:
        version = await connection.fetchval("SELECT version_num FROM alembic_version")
        if version != migrations.HEAD:
            raise BackupRefused(
                f"The database has version {version}, and this Docyard {migrations.HEAD}. Migrate it first,"
                " or take the backup with the Docyard that used it last."
            )
        target.touch()  # raises where it cannot be written
        await asyncio.to_thread(migrations.upgrade, str(target), settings)
        await table_copies.to_file(connection, TABLES, target)
    async with opened_file(target) as db:
        await index_again(db, settings)


async def index_again(db: Database, settings: Settings) -> None:
    """Fill the engine's own search index, which has nothing yet, space by space."""
    for space in await db.all(_ALL_SPACES):

        async def index(tx: Transaction, space: Space = space) -> None:
            await search_rebuild.rebuild(context(tx, settings), space)

        await db.write(index)


async def take_in_files(settings: Settings, target: Path) -> list[str]:
    """Put the files of the bucket into a backup; returns the ids of those that are gone."""
    gone: list[str] = []
    async with opened_file(target) as db:
        for row in await db.all(_IN_BUCKET):
            bucket = blobs.bucket(settings)
            try:
                data = await bucket.read(row.place)
            except Unavailable:
                if await bucket.size(row.place) is not None:
                    raise
                gone.append(row.id)  # removed since the database was copied
                continue

            async def take_in(tx: Transaction, id_: str = row.id, data: bytes = data) -> None:
                await tx.run(_TAKE_IN, id=id_, data=data[:PIECE])
                parts = range(PIECE, len(data), PIECE)
                await tx.add_many(
                    BlobPart,
                    [{"blob_id": id_, "start": at, "data": data[at : at + PIECE]} for at in parts],
                )

            await db.write(take_in)
    return gone


@asynccontextmanager
async def opened_file(path: Path) -> AsyncIterator[Database]:
    """Open a backup, which stays one file."""
    db = open_database(str(path), journal="DELETE", synchronous="NORMAL")
    try:
        yield db
    finally:
        await db.close()


def context(db: Database | Transaction, settings: Settings) -> Context:
    """Return a Context for what reads a backup, or writes in it."""
    return Context(db, Actor("", is_operator=True), utc_now(), Signer(b""), settings)

"""Checks an archive before anything of it is imported: whole, unaltered, and of one organization alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from app import migrations
from app.domain.organization_archives import archive_manifests, ownership
from app.domain.organization_archives.archive_manifests import ArchiveRefused, Manifest
from app.domain.revisions.documents import document_id
from app.kit.signing import Signer

DAMAGED = "The archive is damaged: {}. Export the organization again."
FOREIGN = "The archive holds what does not belong to its organization: {}."
_BORROWING = ("installation", "integration")  # of which an organization does not have all
_PARTS = 'SELECT "data" FROM "blob_part" WHERE "blob_id" = ? ORDER BY "start"'


def version_of(path: Path) -> str:
    """Return the version of the tables in a file; raises ArchiveRefused where there are none, or later ones.

    Blocking, as all of this module.
    """
    if not path.is_file():
        raise ArchiveRefused(f"There is no file {path}.")
    try:
        with _opened(path) as file:
            version: str = file.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    except (sqlite3.Error, TypeError):
        raise ArchiveRefused(f"{path} is no archive of an organization, or it is damaged.") from None
    if version > migrations.HEAD:
        raise ArchiveRefused(
            f"The archive has version {version}, but this Docyard knows versions up to {migrations.HEAD}."
        )
    return version


def examine(path: Path, passphrase: str | None) -> tuple[Manifest, Signer | None]:
    """Return what an archive says of itself, and what its secrets are encrypted with, once that is verified.

    Raises ArchiveRefused where it is damaged or was altered, and for a wrong passphrase.
    """
    try:
        with _opened(path) as file:
            manifest = archive_manifests.read(file)
            signer = _signer(manifest, passphrase)
            if file.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                raise ArchiveRefused(DAMAGED.format("the file is not whole"))
            names = {row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for name, contents in manifest.tables.items():
                if name not in names or archive_manifests.contents_of(file, [name])[name] != contents:
                    raise ArchiveRefused(DAMAGED.format(f"the rows of {name} are not those that it had"))
    except sqlite3.Error as error:
        raise ArchiveRefused(DAMAGED.format(error)) from None
    return manifest, signer


def _signer(manifest: Manifest, passphrase: str | None) -> Signer | None:
    if manifest.salt is None:
        return None
    if passphrase is None:
        raise ArchiveRefused("The archive is protected by a passphrase. Give it with --passphrase-file.")
    signer = manifest.signer(passphrase)
    if not manifest.is_signed(signer):
        raise ArchiveRefused("The passphrase is wrong, or the archive was altered.")
    return signer


def check_rows(path: Path, manifest: Manifest) -> None:
    """Raise ArchiveRefused unless every row belongs to the organization and texts and files are what they are
    named after, so that nothing is put in the place of what other organizations have.
    """
    with _opened(path) as file:
        for table, condition in ownership.selections():
            owned = _count(file, table.name, condition, manifest.organization_id)
            if owned != _count(file, table.name, "true", ""):
                raise ArchiveRefused(FOREIGN.format(f"rows of {table.name}"))
        for row in file.execute("PRAGMA foreign_key_check"):
            if (row[0], row[2]) != _BORROWING:
                raise ArchiveRefused(
                    DAMAGED.format(f"a row of {row[0]} names a row of {row[2]} that is missing")
                )
        _check_texts(file)
        _check_files(file)


def _count(file: sqlite3.Connection, table: str, condition: str, value: str) -> int:
    found = file.execute(f'SELECT count(*) FROM "{table}" WHERE {condition}', {"1": value}).fetchone()
    return int(found[0])


def _check_texts(file: sqlite3.Connection) -> None:
    for id_, markdown, raw in file.execute('SELECT "id", "markdown", "raw" FROM "document"'):
        if document_id(markdown if raw is None else raw) != id_:
            raise ArchiveRefused(DAMAGED.format(f"the text {id_} was altered"))


def _check_files(file: sqlite3.Connection) -> None:
    for id_, first, place in file.execute('SELECT "id", "data", "place" FROM "blob"'):
        digest = sha256(first)
        for (piece,) in file.execute(_PARTS, (id_,)):
            digest.update(piece)
        if place is not None or digest.hexdigest() != id_:
            raise ArchiveRefused(DAMAGED.format(f"the bytes of the file {id_} are missing or were altered"))


def _opened(path: Path) -> closing[sqlite3.Connection]:
    """Open a file for reading; nothing that its schema says is run."""
    file = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    file.execute("PRAGMA trusted_schema=OFF")
    return closing(file)

"""The manifest of an archive: its format, the organization, and a checksum of the rows of each table.

An archive is a SQLite file with the tables of a database. Where it was written with a passphrase, a signature
covers the manifest, and with it every row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import scrypt, sha256

import orjson

from app.kit.errors import Problem
from app.kit.signing import Signer

FORMAT = 1
LEAST_PASSPHRASE = 12  # characters
SIGNED = "archive"
_MEMORY = 1 << 26  # bytes that deriving a key from a passphrase may take
_CREATE = "CREATE TABLE archive (manifest TEXT NOT NULL)"


class ArchiveRefused(Problem):
    """An archive cannot be written, read or imported."""


@dataclass(frozen=True)
class Contents:
    """The rows of a table: how many there are, and their checksum."""

    rows: int
    checksum: str


@dataclass(frozen=True)
class AuditEnd:
    """The newest event of the organization's audit log when the archive was written."""

    number: int
    hash: str


@dataclass(frozen=True)
class Manifest:
    """The manifest of an archive.

    `salt` is for the passphrase that its secrets are encrypted with; None where it has none. `borrowed` are
    the names of integrations that other organizations publish, by the ids of the installations.
    """

    format: int
    organization_id: str
    title: str
    created_at: str
    audit: AuditEnd
    borrowed: Mapping[str, str]
    salt: str | None = None
    tables: Mapping[str, Contents] = field(default_factory=dict)
    signature: str | None = None

    def signer(self, passphrase: str) -> Signer:
        """Return what the secrets of this archive are encrypted with, and its manifest signed."""
        salt = bytes.fromhex(self.salt or "")
        return Signer(scrypt(passphrase.encode(), salt=salt, n=1 << 15, r=8, p=1, maxmem=_MEMORY))

    def signed(self, signer: Signer) -> Manifest:
        """Return this manifest with its signature."""
        return replace(self, signature=signer.sign(SIGNED, self._text))

    def is_signed(self, signer: Signer) -> bool:
        """Tell whether the signature was made with this passphrase, of just this manifest."""
        return signer.good(SIGNED, self._text, self.signature or "")

    @property
    def _text(self) -> str:
        return orjson.dumps(asdict(replace(self, signature=None)), option=orjson.OPT_SORT_KEYS).decode()


def write(file: sqlite3.Connection, manifest: Manifest) -> None:
    """Write the manifest into a new archive."""
    file.execute(_CREATE)
    file.execute("INSERT INTO archive VALUES (?)", (orjson.dumps(asdict(manifest)).decode(),))


def read(file: sqlite3.Connection) -> Manifest:
    """Return the manifest of an archive; raises ArchiveRefused where there is none of this format."""
    try:
        found = orjson.loads(file.execute("SELECT manifest FROM archive").fetchone()[0])
        if found["format"] != FORMAT:
            raise ArchiveRefused(
                f"The archive has the format {found['format']}, but this Docyard reads {FORMAT} only."
            )
        tables = {name: Contents(**contents) for name, contents in found.pop("tables").items()}
        return Manifest(**{**found, "audit": AuditEnd(**found["audit"]), "tables": tables})
    except (sqlite3.Error, ValueError, TypeError, KeyError):
        raise ArchiveRefused("This is no archive of an organization, or its beginning is damaged.") from None


def contents_of(file: sqlite3.Connection, names: Sequence[str]) -> dict[str, Contents]:
    """Return what tables of an archive hold."""
    return {name: _contents(file, name) for name in names}


def _contents(file: sqlite3.Connection, name: str) -> Contents:
    columns = file.execute(f'PRAGMA table_info("{name}")').fetchall()
    keys = ", ".join(f'"{key[1]}"' for key in sorted(columns, key=lambda column: int(column[5])) if key[5])
    digest, count = sha256(), 0
    for row in file.execute(f'SELECT * FROM "{name}" ORDER BY {keys}'):
        digest.update(repr(row).encode())
        count += 1
    return Contents(count, digest.hexdigest())
